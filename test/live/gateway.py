# SPDX-License-Identifier: BSD-3-Clause
"""segseal on virtual devices, without hugepages and hardware, and the hold to stop it."""

import itertools
import json
import os
import subprocess
import time

SOCKET = "segseal.sock"
NOWHERE = "net_null0,no-rx=1"  # takes all and gives nothing
NUMBERS = itertools.count()


class Failed(Exception):
    """The gateway, or segsealctl, did not do what it was asked."""


def loop(pcap):
    """A device that gives the packets of a file for ever."""
    return f"net_pcap0,rx_pcap={pcap},infinite_rx=1"


def once(pcap):
    """A device that gives them once."""
    return f"net_pcap0,rx_pcap={pcap}"


class Gateway:
    """segseal in a folder, with two devices and a file "config" there. Use it in a with."""

    def __init__(self, programs, folder, devices, options=(), memory=256):
        cores = sorted(os.sched_getaffinity(0))
        self.programs = programs
        self.folder = folder
        self.log = open(folder / "log", "w+")
        self.process = subprocess.Popen(
            [programs / "segseal", "--lcores", f"0@{cores[0]},1@{cores[-1]}", "--no-huge"]
            + ["--no-pci", "--no-telemetry", "-m", str(memory), "--log-level=3"]
            + ["--file-prefix", f"segseal-{os.getpid()}-{next(NUMBERS)}"]
            + [f"--vdev={device}" for device in devices]
            + ["--", "-c", "config", "-s", SOCKET, *options],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        try:
            for _ in range(600):
                if self.process.poll() is not None:
                    raise Failed(f"segseal ended: {self.text()}")
                if (self.folder / SOCKET).exists() and self.answers():
                    return self
                time.sleep(0.05)
            raise Failed(f"segseal does not answer: {self.text()}")
        except BaseException:
            self.end()
            raise

    def __exit__(self, *_):
        self.end()

    def answers(self):
        try:
            self.ctl("show port info all")
        except Failed:
            return False
        return True

    def text(self):
        self.log.flush()
        return (self.folder / "log").read_text()

    def ctl(self, words, secret=None):
        """What segsealctl prints for a command; the secret goes to its standard input."""
        done = subprocess.run(
            [self.programs / "segsealctl", "-s", SOCKET, *words.split()],
            cwd=self.folder,
            input="" if secret is None else secret + "\n",
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        if done.returncode != 0:
            raise Failed(f"segsealctl {words}: {done.stderr.strip()}")
        return done.stdout

    def stats(self):
        return json.loads(self.ctl("show stats json"))

    def quit(self):
        """Ask it to stop; its exit status."""
        self.ctl("quit")
        return self.process.wait(timeout=30)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


def since(before, after):
    """What was counted between two answers of stats()."""
    change = {name: n - before[name] for name, n in after.items() if name != "drops"}
    change["drops"] = {name: n - before["drops"][name] for name, n in after["drops"].items()}
    return change
