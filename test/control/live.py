# SPDX-License-Identifier: BSD-3-Clause
"""The real gateway on virtual devices, started, watched and ended by the test that wants it."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "scripts"))

from segseal_client import Client  # noqa: E402

START_SECONDS = 60  # a sanitizer build on a busy machine
NUMBERS = itertools.count()


def cpus(workers):
    """--lcores for control and so many workers, on the CPUs that we may use."""
    ours = sorted(os.sched_getaffinity(0))
    places = [ours[0]] + [ours[-1 - i % len(ours)] for i in range(workers)]
    return ",".join(f"{lcore}@{cpu}" for lcore, cpu in enumerate(places))


class Gateway:
    """A running segseal. Ends with the with block, whatever happens in it."""

    def __init__(
        self,
        build,
        folder,
        vdevs,
        config=None,
        workers=1,
        options=(),
        eal=(),
        stdin=None,
        path=None,  # of the control socket
        memory=("--no-huge", "-m", "512"),
    ):
        self.folder = Path(folder)
        number = next(NUMBERS)
        # Sockets have short names. The EAL's own files (and its telemetry socket) lie there, too.
        self.runtime = Path(tempfile.mkdtemp(prefix="segseal-"))
        self.socket = str(path or self.runtime / "socket")
        self.log_path = self.folder / f"log{number}"
        self.out_path = self.folder / f"out{number}"
        words = [str(build / "app" / "segseal"), "--lcores", cpus(workers)]
        words += [*memory, "--no-pci", "--file-prefix", "test"]
        for vdev in vdevs:
            words += ["--vdev", vdev]
        words += [*eal, "--", "--socket", self.socket]
        if config is not None:
            path = self.folder / f"config{number}"
            path.write_text(config)
            words += ["--config", str(path)]
        self.words = words + list(options)
        self.stdin = stdin
        self.process = None
        self.clients = []

    def __enter__(self):
        self.launch()
        try:
            self.client = self.connect()
            self.client.call("version")  # answered once it forwards
        except BaseException:
            self.end()
            print(self.log(), file=sys.stderr)
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def launch(self):
        with open(self.log_path, "w") as log, open(self.out_path, "w") as out:
            self.process = subprocess.Popen(
                self.words,
                stdin=self.stdin if self.stdin is not None else subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, "RUNTIME_DIRECTORY": str(self.runtime)},
            )

    def connect(self, timeout=30.0):
        """Another client of its own."""
        end = time.monotonic() + START_SECONDS
        while True:
            if self.process.poll() is not None:
                raise RuntimeError(f"segseal ended with {self.process.returncode}: {self.log()}")
            try:
                client = Client(self.socket, timeout)
                self.clients.append(client)
                return client
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def out(self):
        return self.out_path.read_text(errors="replace")

    def said(self, text, seconds=20):
        """The log line that has this text, as soon as there is one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in self.log().splitlines():
                if text in line:
                    return line
            time.sleep(0.02)
        raise AssertionError(f"never said {text!r}:\n{self.log()}")

    def stats(self):
        return self.client.call("stats.get")

    def call(self, method, **params):
        return self.client.call(method, **params)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=30):
        """Its exit status."""
        return self.process.wait(seconds)

    def end(self):
        for client in self.clients:
            client.close()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.runtime, ignore_errors=True)


def run_refused(build, folder, vdevs, **more):
    """(exit status, what it said) of a gateway that is expected not to start."""
    gateway = Gateway(build, folder, vdevs, **more)
    gateway.launch()
    try:
        status = gateway.wait(START_SECONDS)
    finally:
        gateway.end()
    return status, gateway.log()


def settled(look, wanted, seconds=20):
    """look() until wanted(value); that value. For what takes a moment, never for luck."""
    end = time.monotonic() + seconds
    while True:
        value = look()
        if wanted(value):
            return value
        if time.monotonic() > end:
            raise AssertionError(f"still {value}")
        time.sleep(0.02)


def looped(capture):
    """A port that receives a capture's packets for ever, as fast as it can."""
    return f"net_pcap0,rx_pcap={capture},infinite_rx=1"


SINK = "net_null0,no-rx=1"  # a port that takes whatever is sent


def dropped(stats):
    return {reason: n for reason, n in stats["drops"].items() if n}


def balanced(stats):
    return stats["rx"] == stats["tx"] + sum(stats["drops"].values())


def telemetry(gateway, command):
    """What dpdk-telemetry.py would get."""
    path = gateway.runtime / "dpdk" / "test" / "dpdk_telemetry.v2"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.settimeout(20)
        sock.connect(str(path))
        sock.recv(1024)  # greeting
        sock.send(command.encode())
        return sock.recv(65536).decode()
