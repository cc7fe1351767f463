# SPDX-License-Identifier: BSD-3-Clause
"""A worker that is stuck in a driver: port 0 reads a pipe, and what comes through it ends in the
middle of a burst, so that the driver waits for more and the worker with it."""

import json
import os
import struct
import time

import pytest

from control.live import SINK, TOP, Gateway, balanced, settled, telemetry
from segseal_client import SegsealError

CAPTURE = TOP / "test" / "linux" / "captures" / "encap-sha256-3seg-udp.pcap"


class Pipe:
    """A capture that never ends: its packets again and again, whenever it is told to."""

    def __init__(self, path):
        os.mkfifo(path)
        octets = CAPTURE.read_bytes()
        self.path, self.packets = path, octets[24:]
        self.count = 0
        at = 0
        while at < len(self.packets):
            at += 16 + struct.unpack_from("<I", self.packets, at + 8)[0]
            self.count += 1
        # For reading, too: opening it waits for nobody, then.
        self.fd = os.open(path, os.O_RDWR)
        os.write(self.fd, octets[:24])

    def write(self, times):
        for _ in range(times):
            os.write(self.fd, self.packets)
        return times * self.count

    def end(self):
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None


@pytest.fixture
def pipe(tmp_path):
    made = Pipe(tmp_path / "pipe")
    yield made
    made.end()


def state(gateway):
    return gateway.call("worker.list")["workers"][0]["state"]


def start(build, tmp_path, pipe, **more):
    vdevs = [f"net_pcap0,rx_pcap={pipe.path}", SINK]
    return Gateway(build, tmp_path, vdevs, config="worker stuck-after 300\n", **more)


def test_stuck_and_back(build, tmp_path, pipe):
    with start(build, tmp_path, pipe) as gateway:
        assert gateway.call("worker.list")["stuck_after_ms"] == 300
        settled(lambda: state(gateway), lambda now: now == "stuck")
        line = gateway.said("is stuck")
        assert "worker 0 on lcore 1 is stuck: no heartbeat for" in line
        told = json.loads(telemetry(gateway, "/segseal/workers,0"))["/segseal/workers"]
        assert told["state"] == "stuck" and told["heartbeat_ms"] >= 300
        ages = [gateway.call("worker.list")["workers"][0]["heartbeat_ms"] for _ in range(3)]
        assert ages == sorted(ages)

        # Nobody waits for it: forty looks would take forty seconds.
        begin = time.monotonic()
        for _ in range(40):
            assert balanced(gateway.stats())
        assert time.monotonic() - begin < 30
        with pytest.raises(SegsealError) as refused:
            gateway.call("stop")
        assert refused.value.errno_name == "EBUSY" and "does not respond" in str(refused.value)

        gateway.call("worker.set", stuck_after_ms=3600000)
        assert state(gateway) == "stuck"
        sent = pipe.write(8)
        pipe.end()
        settled(lambda: state(gateway), lambda now: now == "polling")
        assert "worker 0 on lcore 1 goes on: there was no heartbeat for" in gateway.said("goes on")
        stats = settled(gateway.stats, lambda now: now["rx"] == sent)
        assert balanced(stats)
        assert gateway.call("stop") == {"running": False}
        assert state(gateway) == "stopped"
        assert gateway.log().count("is stuck") == 1 == gateway.log().count("goes on")


def test_the_end_does_not_wait_for_it(build, tmp_path, pipe):
    with start(build, tmp_path, pipe) as gateway:
        settled(lambda: state(gateway), lambda now: now == "stuck")
        gateway.call("quit")
        assert gateway.wait(60) == 1
        assert "worker 0 on lcore 1 does not end" in gateway.log()
        assert not os.path.exists(gateway.socket)


def test_others_go_on(build, tmp_path, pipe):
    """Two workers: what the other one forwards is not disturbed."""
    vdevs = [
        f"net_pcap0,rx_pcap={pipe.path}",
        f"net_pcap1,rx_pcap={CAPTURE},infinite_rx=1",
        SINK,
        "net_null1,no-rx=1",
    ]
    config = "port 0 peer 2\nport 1 peer 3\nworker stuck-after 300\n"
    with Gateway(build, tmp_path, vdevs, config=config, workers=2) as gateway:
        workers = settled(
            lambda: gateway.call("worker.list")["workers"],
            lambda now: sorted(one["state"] for one in now) == ["polling", "stuck"],
        )
        ports = {
            one["state"]: [queue["port"] for queue in one["queues"]] for one in workers
        }
        names = {one["port"]: one["name"] for one in gateway.call("port.list")["ports"]}
        assert "net_pcap0" in [names[port] for port in ports["stuck"]]
        assert "net_pcap1" in [names[port] for port in ports["polling"]]
        first = gateway.stats()["rx"]
        settled(gateway.stats, lambda now: now["rx"] > first + 1000)


@pytest.mark.parametrize("wrong", [0, 99, 3600001, "1000", None, True])
def test_bad_time(build, tmp_path, wrong):
    with Gateway(build, tmp_path, ["net_null0,no-rx=1", "net_null1,no-rx=1"]) as gateway:
        with pytest.raises(SegsealError) as refused:
            gateway.call("worker.set", stuck_after_ms=wrong)
        assert refused.value.code == -32602
        assert gateway.call("worker.list")["stuck_after_ms"] == 1000
