# SPDX-License-Identifier: BSD-3-Clause
"""segseal inserts; a Linux host with seg6_require_hmac=1 takes it, and drops a wrong key."""
import dataclasses

import pytest

from interop import cases, netlab, traffic
from interop.gateway import Gateway
from oracle import edit

DELIVERED = ("Udp6InDatagrams", "Icmp6InEchos")


@pytest.fixture(scope="module")
def gateway(lab):
    lab.require_hmac(1)
    with Gateway(lab) as made:
        yield made


def insert(lab, gateway, case, secret=None):
    """A puts an SRH on its packets, segseal an HMAC into the SRH, and B requires one."""
    cases.set_key(lab.b, case.key)
    cases.route(lab, case)
    gateway.set_key(dataclasses.replace(case.key, secret=secret or case.key.secret))
    gateway.call("port.set", port=0, insert=case.key.id)
    gateway.clear()


def few_cases():
    """As many as every case has, but for the red modes, which have no SRH with one segment."""
    for case in cases.every_case():
        if case.segments > 1 or not case.mode.endswith(".red"):
            yield case


@pytest.mark.parametrize("case", list(few_cases()), ids=str)
def test_inserted_hmac_is_taken_by_linux(lab, gateway, case):
    insert(lab, gateway, case)
    _, receiver, _ = case.ends(lab)
    before = lab.snmp6(receiver, *DELIVERED)
    with traffic.from_a(lab) as sent, \
            traffic.to_b(lab) as sealed:
        cases.exchange(lab, case)
        plain, frames = traffic.settle(sent, sealed, least=8)
        stats = gateway.settled(inserted=len(plain))
    assert len(plain) >= 8
    assert traffic.same(frames, [edit.seal(case.key, frame) for frame in plain])
    assert stats["inserted"] == len(plain)
    assert stats["rx"] == stats["tx"] and sum(stats["drops"].values()) == 0
    after = lab.snmp6(receiver, *DELIVERED)
    assert after["Udp6InDatagrams"] - before["Udp6InDatagrams"] == len(cases.UDP_SIZES)
    assert after["Icmp6InEchos"] - before["Icmp6InEchos"] == 4


@pytest.mark.parametrize("mode, end", (("inline", False), ("encap", False), ("encap", True),
                                       ("l2encap", True), ("encap.red", False)))
def test_linux_drops_what_a_wrong_key_sealed(lab, gateway, mode, end):
    case = cases.Case(mode, "sha256", 3, 20, end)
    insert(lab, gateway, case, secret=b"not the secret of B")
    sender, receiver, destination = case.ends(lab)
    before = lab.snmp6(receiver, *DELIVERED)
    assert traffic.udp(sender, receiver, destination, (100, 200, 300), timeout=0.3) == 0
    assert lab.snmp6(receiver, *DELIVERED) == before
    assert gateway.settled(inserted=3)["inserted"] == 3
    assert gateway.drops() == {}
    # The right key in one step, and the same packets arrive.
    gateway.set_key(case.key)
    assert traffic.udp(sender, receiver, destination, (100, 200, 300)) == 3


def test_a_frame_of_the_whole_mtu_grows(lab, gateway):
    """1500 octets from A become 1540 to B: the gateway's other link must carry them."""
    case = cases.Case("encap", "sha256", 3)
    insert(lab, gateway, case)
    with traffic.to_b(lab) as sealed:
        traffic.tcp(lab.a, lab.b, netlab.SERVICE, 300_000)
        longest = max(len(frame) for frame in sealed.wait(200, timeout=0.2))
    assert longest == 14 + netlab.MTU + 40


def test_more_than_the_peer_port_carries_is_dropped(lab, gateway):
    case = cases.Case("encap", "sha256", 3)
    insert(lab, gateway, case)
    gateway.call("port.set", port=1, mtu=1400)
    try:
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (1000,)) == 1
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (1250,), timeout=0.3) == 0
        assert gateway.drops(1) == {"too_big": 1}
    finally:
        gateway.call("port.set", port=1, mtu=netlab.MTU_DOMAIN)


def test_what_linux_sealed_passes_insertion_unchanged(lab, gateway):
    case = cases.Case("encap", "sha1", 2)
    insert(lab, gateway, case)
    cases.set_key(lab.a, case.key)
    cases.route(lab, case, case.key.id)
    with traffic.from_a(lab) as before, \
            traffic.to_b(lab) as after:
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, cases.UDP_SIZES) == len(cases.UDP_SIZES)
        sent, passed = traffic.settle(before, after, least=len(cases.UDP_SIZES))
        assert traffic.same(passed, sent)
    stats = gateway.settled(already_sealed=len(sent))
    assert (stats["already_sealed"], stats["inserted"]) == (len(sent), 0)


def test_linux_takes_no_list_of_15_segments(lab, gateway):
    """segseal seals longer lists than the kernel can hash."""
    case = cases.Case("encap", "sha256", netlab.SEGMENTS_MAX + 1)
    insert(lab, gateway, case)
    with traffic.to_b(lab) as after:
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100,), timeout=0.3) == 0
        frames = after.wait(1)
    assert len(frames) == 1 and traffic.is_sealed(frames[0], case.key)
