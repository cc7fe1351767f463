# SPDX-License-Identifier: BSD-3-Clause
"""Long work shows on a terminal how far it is, and nothing of that in a pipe."""

import os
import subprocess
import threading
import time

import pytest

from control.fake_gateway import FakeGateway
from control.live import settled
from control.terminal import Terminal
from oracle import build as packets
from oracle import capture
from pcap.case import path

BATCH = 256  # packets: two bursts


@pytest.fixture
def gateway(tmp_path):
    with FakeGateway(tmp_path / "socket") as fake:
        fake.go.clear()
        yield fake
        fake.go.set()


def ctl(build, tmp_path):
    return [str(build / "app" / "segsealctl"), "-s", str(tmp_path / "socket"), "key", "load", "/k"]


def test_waiting_on_a_terminal(build, tmp_path, gateway):
    with Terminal(ctl(build, tmp_path)) as terminal:
        for _ in range(3):  # drawn over and over
            terminal.until("waiting for the answer to key.load: ")
        gateway.go.set()
        assert terminal.wait() == 2
        # The line is overwritten with blanks, and the error takes its place.
        assert " \rsegsealctl: key load: /k:3: unknown algorithm" in terminal.text


def test_waiting_in_a_pipe(build, tmp_path, gateway):
    process = subprocess.Popen(
        ctl(build, tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    settled(gateway.methods, lambda methods: methods == ["key.load"])
    time.sleep(1.5)  # when a terminal had been told
    gateway.go.set()
    out, errors = process.communicate(timeout=60)
    assert (out, errors) == ("", "segsealctl: key load: /k:3: unknown algorithm\n")


def test_prompt_after_waiting(build, tmp_path, gateway):
    gateway.go.set()
    with Terminal(ctl(build, tmp_path)[:3]) as terminal:
        terminal.until("segseal> ")
        gateway.go.clear()
        terminal.type("show sids\r")
        terminal.until("waiting for the answer to sid.list: ")
        gateway.go.set()
        terminal.until("no sids: every SRH is judged\n")
        terminal.until("segseal> ")


class Feed:
    """A capture that does not end until it is told to."""

    def __init__(self, folder):
        self.fifo = folder / "fifo"
        os.mkfifo(self.fifo)
        frames = [packets.routed(path(2))] * BATCH
        capture.write(folder / "some.pcap", frames)
        self.octets = (folder / "some.pcap").read_bytes()
        self.end = threading.Event()
        self.batches = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        with open(self.fifo, "wb") as file:
            file.write(self.octets)
            while not self.end.is_set():
                file.write(self.octets[24:])
                file.flush()
                self.batches += 1
                time.sleep(0.01)


def replay(build, tmp_path):
    (tmp_path / "config").write_text("port 0 verify off\n")
    program = str(build / "app" / "segseal")
    return [program, "--replay", "fifo", "--config", "config", "--json"]


def test_replay_on_a_terminal(build, tmp_path):
    feed = Feed(tmp_path)
    with Terminal(replay(build, tmp_path), cwd=tmp_path) as terminal:
        for _ in range(3):
            terminal.until("fifo: ")
            terminal.until(" packets, ")
        feed.end.set()
        assert terminal.wait() == 0
        assert ' \r{"rx":' in terminal.text


def test_replay_in_a_pipe(build, tmp_path):
    feed = Feed(tmp_path)
    process = subprocess.Popen(
        replay(build, tmp_path),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    settled(lambda: feed.batches, lambda n: n > 10)
    time.sleep(1)
    feed.end.set()
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith('{"rx":') and out.count("\n") == 1 and errors == ""
