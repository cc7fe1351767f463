# SPDX-License-Identifier: BSD-3-Clause
"""The other two kinds of port that stand in for a network card: AF_XDP sockets, and TAP devices."""
import os
import socket

import pytest

from interop import cases, netlab, netns, traffic
from interop.gateway import Gateway
from oracle import edit, mac

KINDS = ("af_packet", "af_xdp", "tap")
CASE = cases.Case("encap", "sha256", 3, 32)
BACK = mac.Key(77, "sha1", "linux", b"the way back")


def tap_bridges(lab):
    """TAP devices are ends of their own: the kernel joins each to the link that it stands for."""
    for n in (0, 1):
        lab.quiet(lab.g, f"t{n}")
        lab.join(lab.g, f"g{n}", f"t{n}", name=f"br{n}")
        netlab.ip(lab.g, f"link set t{n} up")


@pytest.fixture(scope="module", params=KINDS)
def through(request):
    """A lab whose gateway verifies what comes from A and inserts into what comes from B."""
    with netlab.Lab() as lab:
        config = ["port 0 verify require", f"port 1 insert key {BACK.id}"]
        with Gateway(lab, ports=request.param, config=config) as gateway:
            if request.param == "tap":
                tap_bridges(lab)
            lab.require_hmac(1, "a0")
            lab.require_hmac(1, "b0")
            for key in (CASE.key, BACK):
                gateway.set_key(key)
            for host in (lab.a, lab.b):
                cases.set_key(host, CASE.key)
                cases.set_key(host, BACK)
            cases.route(lab, CASE, CASE.key.id)
            lab.seal_route_back()
            assert traffic.ping(lab.a, netlab.ADDR_B, count=1, wait=3) == 1
            yield lab, gateway


def test_verify_there_and_insert_back(through):
    lab, gateway = through
    gateway.clear()
    with traffic.from_a(lab) as sent, \
            traffic.to_b(lab) as arrived, \
            traffic.from_b(lab) as answered, \
            traffic.to_a(lab) as sealed:
        assert traffic.ping(lab.a, netlab.SERVICE, 5, 800, source=netlab.SERVICE_A) == 5
        requests, came, answers, back = traffic.settle(sent, arrived, answered, sealed, least=5)
        assert len(requests) == len(answers) == 5
        assert traffic.same(came, requests)
        assert traffic.same(back, [edit.seal(BACK, frame) for frame in answers])
    stats = gateway.settled(verified=5, inserted=5)
    assert (stats["verified"], stats["inserted"]) == (5, 5)
    assert gateway.drops() == {}


def test_tcp(through):
    lab, gateway = through
    gateway.clear()
    transfer = traffic.TcpTransfer(lab.a, lab.b, netlab.SERVICE, 20_000_000,
                                   source=netlab.SERVICE_A)
    transfer.run()
    assert transfer.error is None
    assert set(gateway.drops()) <= {"tx_full"}
    assert gateway.stats()["verified"] >= 20_000_000 // netlab.MTU


@pytest.mark.parametrize("tag", (b"", b"\x81\x00\x60\x64", b"\x88\xa8\x00\x05\x81\x00\x00\x64"),
                         ids=("untagged", "802.1Q", "802.1ad"))
def test_other_frames_pass_as_they_are(through, tag):
    """What is not IPv6 with an SRH is not the gateway's to touch, nor is a VLAN tag."""
    lab, gateway = through
    head = b"\x02\x5e\0\0\0\x0b\x02\x5e\0\0\0\x0a" + tag
    frames = [head + b"\x88\xb5" + os.urandom(size) for size in (46, 500, 1400)]
    with traffic.to_b(lab,
                         wanted=lambda frame: frame.startswith(head[:12])) as capture, \
            netns.open_socket(lab.a, socket.AF_PACKET, socket.SOCK_RAW, 0) as sock:
        sock.bind(("a0", 0))
        for frame in frames:
            sock.send(frame)
        arrived = capture.wait(len(frames))
    if gateway.ports == "af_packet":
        # The kernel takes the outer tag out, and DPDK's driver puts it back as 802.1Q.
        frames = [frame.replace(b"\x88\xa8", b"\x81\x00", 1) for frame in frames]
    assert traffic.same(arrived, frames)


@pytest.mark.parametrize("kind", (b"\x81\x00", b"\x88\xa8"), ids=("802.1Q", "802.1ad"))
@pytest.mark.parametrize("tags", (1, 3, 8, 9, 20))
def test_nothing_hides_behind_priority_tags(through, tags, kind):
    """A host takes off any number of tags with VLAN ID 0, and acts on the SRH behind them."""
    lab, gateway = through
    passes = tags <= 8
    with traffic.from_a(lab) as capture:
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (300,)) == 1
        ((frame,),) = traffic.settle(capture)
    wrong = bytearray(frame)
    wrong[14 + 40 + 8] ^= 1  # an octet of the segment list
    gateway.clear()
    with traffic.to_b(lab, wanted=lambda arrived: arrived.endswith(frame[-300:])) as capture, \
            netns.open_socket(lab.a, socket.AF_PACKET, socket.SOCK_RAW, 0) as sock:
        sock.bind(("a0", 0))
        for what in (wrong, frame):
            sock.send(what[:12] + (kind + b"\0\0") * tags + what[12:])
        drops = gateway.drops(1 if passes else 2)
        arrived = capture.wait(1) if passes else capture.wait(0)
    assert drops == ({"hmac_mismatch": 1} if passes else {"srh_malformed": 2})
    assert [bytes(got[-len(frame) + 12:]) for got in arrived] == [frame[12:]] * passes
    assert gateway.settled(verified=int(passes))["verified"] == passes


def test_sealed_in_a_vlan(through):
    """The SRH is found behind VLAN tags."""
    lab, gateway = through
    with traffic.from_a(lab) as capture:
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (300,)) == 1
        ((frame,),) = traffic.settle(capture)
    tagged = frame[:12] + b"\x81\x00\x60\x64" + frame[12:]
    gateway.clear()
    with traffic.to_b(lab) as capture, \
            netns.open_socket(lab.a, socket.AF_PACKET, socket.SOCK_RAW, 0) as sock:
        sock.bind(("a0", 0))
        sock.send(tagged)
        assert capture.wait(1) == [tagged]
        wrong = bytearray(tagged)
        wrong[18 + 40 + 8] ^= 1  # an octet of the segment list
        sock.send(wrong)
    assert gateway.settled(rx=2)["verified"] == 1
    assert gateway.drops(1) == {"hmac_mismatch": 1}
