# SPDX-License-Identifier: BSD-3-Clause
"""Programs that forward from net_pcap to net_null: segseal, and testpmd beside it.

All of them are started first and held by SIGSTOP, and let go one at a time: what disturbs the
machine disturbs all of them. A sample is what a forwarder did while it was let go: packets, time,
and the time that its workers were on a CPU, by which cycles are told, for a busy machine takes
workers off theirs. Both are the same on an idle one.
"""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benches import Unusable, Wrong
from control.live import SINK, Gateway, cpus
from oracle import capture

WORKER_NAMES = ("rte-worker", "dpdk-worker", "lcore-worker")
START_SECONDS = 60
PATIENCE_SECONDS = 30  # for a worker to get a CPU at all
NO_HUGE = ("--no-huge", "-m", "1024")
HUGE_FREE = 600  # huge pages of 2 MiB that all forwarders of a bench have room in
NUMBERS = itertools.count()


def free_huge_pages():
    found = re.search(r"HugePages_Free: *(\d+)", Path("/proc/meminfo").read_text())
    return int(found[1]) if found else 0


def memory(huge):
    """EAL options. Nothing is left of huge pages in their file system."""
    return ("--huge-unlink",) if huge else NO_HUGE


def prefix():
    """Another one for each process that may share a file system of huge pages."""
    return f"bench{os.getpid()}-{next(NUMBERS)}"


def devices(path, workers):
    queues = ",".join([f"rx_pcap={path}"] * workers)
    return [f"net_pcap0,{queues},infinite_rx=1", SINK]


def buffers(path, workers):
    """That a pool needs: each queue of net_pcap holds all packets of its capture in some."""
    return workers * (len(capture.read(path)) + 8192)


@dataclass
class Sample:
    packets: int
    seconds: float
    cpu_seconds: float  # of all workers together

    @property
    def rate(self):
        """Packets a second by the clock on the wall."""
        return self.packets / self.seconds

    def cycles(self, hz):
        """TSC ticks per packet of one worker's time on its CPU."""
        return self.cpu_seconds * hz / self.packets


class Forwarder:
    """One process. Subclasses know how to start it and how to ask it for its packets."""

    def __init__(self, name, workers):
        self.name = name
        self.workers = workers
        self.process = None

    def threads(self):
        """Files that tell the time that each worker was on a CPU."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):  # threads that serve telemetry come and go
                if (task / "comm").read_text().startswith(WORKER_NAMES):
                    found.append(task / "schedstat")
        if len(found) != self.workers:
            raise Wrong(f"{self.name}: {len(found)} worker threads, not {self.workers}")
        return found

    def cpu_seconds(self):
        return sum(int(path.read_text().split()[0]) for path in self.threads()) / 1e9

    def hold(self):
        self.process.send_signal(signal.SIGSTOP)

    def let_go(self):
        self.process.send_signal(signal.SIGCONT)

    def sample(self, warm_up, seconds, wait=time.sleep):
        """Let it run; what it did after the warm-up, while wait(seconds) took its time."""
        self.let_go()
        time.sleep(warm_up)
        before, cpu_before, began = self.packets(), self.cpu_seconds(), time.monotonic()
        while True:
            wait(seconds)
            cpu, took = self.cpu_seconds() - cpu_before, time.monotonic() - began
            packets = self.packets() - before
            if packets > 0 and cpu > 0:
                self.hold()
                return Sample(packets, took, cpu)
            if took > PATIENCE_SECONDS:
                raise Wrong(f"{self.name}: forwarded nothing")

    def packets(self):
        raise NotImplementedError

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, *_):
        raise NotImplementedError


class Segseal(Forwarder):
    """expected: the counter that each packet has to have, and no packet may be dropped."""

    def __init__(self, name, build, folder, path, config, expected, workers=1, memo=None,
                 huge=False):
        super().__init__(name, workers)
        self.expected = expected
        options = ["--rxq", str(workers)]
        options += ["--mbufs", str(buffers(path, workers))]
        if memo is not None:
            options += ["--memo-entries", str(memo)]
        self.gateway = Gateway(
            build,
            folder,
            devices(path, workers),
            f"worker stuck-after 3600000\n{config}",
            workers=workers,
            options=options,
            memory=memory(huge),
            eal=("--file-prefix", prefix()),
        )

    def __enter__(self):
        self.gateway.__enter__()
        self.process = self.gateway.process
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.let_go()
        self.gateway.__exit__(*_)

    def call(self, method, **params):
        return self.gateway.call(method, **params)

    def packets(self):
        """Those that it received, after a look at the counters."""
        stats = self.call("stats.get")
        self.check(stats)
        return stats["rx"]

    def check(self, stats):
        dropped = {reason: n for reason, n in stats["drops"].items() if n}
        if dropped or stats["rx"] != stats["tx"] or stats[self.expected] != stats["rx"]:
            raise Wrong(f"{self.name}: not all packets are {self.expected}: {stats}")

    def burst(self):
        """Mean of packets in a burst that had any."""
        workers = self.call("worker.list")["workers"]
        return sum(w["packets"] for w in workers) / max(1, sum(w["bursts"] for w in workers))

    def hz(self):
        """TSC ticks in a second."""
        def look():
            before = time.monotonic()
            cycles = self.call("worker.list")["workers"][0]["cycles"]
            return cycles, (before + time.monotonic()) / 2

        first, began = look()
        time.sleep(0.5)
        second, ended = look()
        return (second - first) / (ended - began)


class Testpmd(Forwarder):
    """DPDK's own forwarder: swaps the MAC addresses and looks at nothing else."""

    program = "dpdk-testpmd"

    def __init__(self, name, folder, path, workers=1, huge=False):
        super().__init__(name, workers)
        if not shutil.which(self.program):
            raise Unusable(f"{self.program} is not installed (Debian package dpdk-dev)")
        self.runtime = Path(tempfile.mkdtemp(prefix="segseal-"))
        self.log_path = Path(folder) / f"{self.runtime.name}.log"
        self.prefix = prefix()
        self.words = [self.program, "--lcores", cpus(workers), "--no-pci", *memory(huge)]
        self.words += ["--file-prefix", self.prefix]
        for device in devices(path, workers):
            self.words += ["--vdev", device]
        self.words += ["--", "--forward-mode=macswap", "--auto-start", "--no-flush-rx"]
        self.words += ["--no-lsc-interrupt", f"--nb-cores={workers}", f"--rxq={workers}"]
        self.words += [f"--txq={workers}", f"--total-num-mbufs={buffers(path, workers)}"]

    def __enter__(self):
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, "RUNTIME_DIRECTORY": str(self.runtime)},
            )
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self):
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                if self.packets() > 0:
                    return
            except (OSError, ValueError):  # no socket yet, or no port behind it
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                raise Unusable(f"{self.program} does not start: {self.last_words()}")
            time.sleep(0.05)

    def last_words(self):
        lines = self.log_path.read_text(errors="replace").strip().splitlines()
        return " / ".join(lines[-3:])

    def packets(self):
        """Those that port 1 took."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.settimeout(20)
            sock.connect(str(self.runtime / "dpdk" / self.prefix / "dpdk_telemetry.v2"))
            sock.recv(1024)  # greeting
            sock.send(b"/ethdev/stats,1")
            return (json.loads(sock.recv(65536))["/ethdev/stats"] or {}).get("opackets", 0)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.let_go()
            self.process.stdin.close()  # ends it
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.runtime, ignore_errors=True)
