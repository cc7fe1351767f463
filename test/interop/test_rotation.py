# SPDX-License-Identifier: BSD-3-Clause
"""
Keys are rotated while traffic flows both ways: A seals and segseal verifies on port 0, B sends an SRH
and segseal inserts on port 1; both hosts require HMAC.

Of each rotation: the new key goes to whoever verifies, then the sender seals with it, and when what
the old one sealed has arrived, the old key is deleted everywhere.
"""
import itertools
import time

import pytest

from interop import cases, netlab, seg6, traffic
from interop.gateway import Gateway
from oracle import mac

STOPS = [netlab.sid(1), netlab.sid(2)]
DRAIN = 0.2  # seconds in which what is under way arrives


class Rotation:
    """The keys of both directions, and the next ones."""

    def __init__(self, lab, gateway):
        self.lab, self.gateway = lab, gateway
        self.kernels = [seg6.Genl(lab.a), seg6.Genl(lab.b)]
        self.numbers = itertools.count(1)
        self.out = self.back = None
        self.done = 0

    def _new_key(self, first_id):
        number = next(self.numbers)
        return mac.Key(first_id + number, ("sha256", "sha1")[number % 2], "linux",
                          cases.secret(32, number).encode())

    def _everywhere(self, key):
        self.gateway.set_key(key)
        for kernel in self.kernels:
            kernel.set(key.id, key.algorithm, key.secret)

    def _forget(self, key):
        self.gateway.del_key(key)
        for kernel in self.kernels:
            kernel.set(key.id, key.algorithm, b"")

    def rotate(self):
        old = (self.out, self.back)
        self.out, self.back = self._new_key(1000), self._new_key(2000)
        self._everywhere(self.out)
        self._everywhere(self.back)
        self.lab.seal_route("encap", STOPS, self.out.id)
        self.gateway.call("port.set", port=1, insert=self.back.id)
        if old[0]:
            time.sleep(DRAIN)
            for key in old:
                self._forget(key)
        self.done += 1

    def close(self):
        for kernel in self.kernels:
            kernel.close()


@pytest.fixture(scope="module")
def rotation(lab):
    lab.seal_route_back()
    lab.require_hmac(1, "b0")
    lab.require_hmac(1, "a0")
    with Gateway(lab, config=["port 0 verify require"]) as gateway:
        made = Rotation(lab, gateway)
        made.rotate()
        yield made
        made.close()


def test_tcp_of_100_megabytes_while_keys_rotate_every_second(lab, rotation):
    gateway = rotation.gateway
    gateway.clear()
    transfer = traffic.TcpTransfer(lab.a, lab.b, netlab.SERVICE, 100_000_000, timeout=20,
                                   source=netlab.SERVICE_A, least_seconds=5.5, pace=40_000_000)
    rotations = rotation.done
    transfer.start()
    next_time = time.monotonic() + 1
    while transfer.is_alive():
        transfer.join(max(0, next_time - time.monotonic()))
        if transfer.is_alive():
            rotation.rotate()
            next_time += 1
    assert transfer.error is None
    assert transfer.received >= 100_000_000
    assert rotation.done - rotations >= 5
    stats = gateway.stats()
    # Which frames a full ring takes is TCP's affair; what a key decides must be right each time.
    assert set(gateway.drops()) <= {"tx_full"}
    assert stats["verified"] >= transfer.received // netlab.MTU
    assert stats["inserted"] > 1000
    for key in (rotation.out, rotation.back):
        answer = gateway.call("key.list", id=key.id)["keys"][0]
        assert answer["failed"] == 0


def test_rotation_loses_no_datagram(lab, rotation):
    gateway = rotation.gateway
    gateway.clear()
    there = traffic.UdpStream(lab.a, lab.b, netlab.SERVICE, source=netlab.SERVICE_A)
    back = traffic.UdpStream(lab.b, lab.a, netlab.SERVICE_A, source=netlab.SERVICE)
    for stream in (there, back):
        stream.start()
    for _ in range(5):
        time.sleep(0.1)
        rotation.rotate()
    assert there.stop() == [] and back.stop() == []
    assert there.sent > 300 and back.sent > 300
    stats = gateway.settled(verified=there.sent, inserted=back.sent)
    assert gateway.drops() == {}
    assert (stats["verified"], stats["inserted"]) == (there.sent, back.sent)


def test_a_deleted_key_takes_effect_at_once(lab, rotation):
    """Without the new key first, the same traffic stops with the packet after the deletion."""
    gateway = rotation.gateway
    assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100,)) == 1
    gateway.clear()
    gateway.del_key(rotation.out)
    assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200), timeout=0.3) == 0
    assert gateway.drops(2) == {"key_unknown": 2}
    gateway.set_key(rotation.out)
    assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200)) == 2
