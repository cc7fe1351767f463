# SPDX-License-Identifier: BSD-3-Clause
"""A Linux host seals; segseal verifies, requires, and passes on octet for octet."""
import dataclasses

import pytest

from interop import cases, netlab, traffic
from interop.gateway import Gateway


@pytest.fixture(scope="module")
def gateway(lab):
    with Gateway(lab, config=["port 0 verify require"]) as made:
        yield made


def seal(lab, case):
    """A seals the case's traffic, and B wants what A sends."""
    for host in (lab.a, lab.b):
        cases.set_key(host, case.key)
    cases.route(lab, case, case.key.id)
    lab.require_hmac(1)


@pytest.mark.parametrize("case", list(cases.every_case()), ids=str)
def test_sealed_by_linux_is_verified(lab, gateway, case):
    seal(lab, case)
    gateway.set_key(case.key)
    gateway.clear()
    with traffic.from_a(lab) as before, \
            traffic.to_b(lab) as after:
        cases.exchange(lab, case)
        sent, arrived = traffic.settle(before, after, least=8)
        stats = gateway.settled(verified=len(sent))
    assert len(sent) >= 8
    assert all(traffic.is_sealed(frame, case.key) for frame in sent)
    assert traffic.same(arrived, sent)
    assert stats["verified"] == len(sent)
    assert sum(stats["drops"].values()) == 0
    assert stats["rx"] == stats["tx"]


@pytest.mark.parametrize("why, wrong", (
    ("hmac_mismatch", {"secret": b"another secret"}),
    ("hmac_mismatch", {"algorithm": "sha1"}),
    ("key_unknown", None),
), ids=("secret", "algorithm", "unknown"))
@pytest.mark.parametrize("mode", ("inline", "encap", "l2encap.red"))
def test_with_another_key_nothing_passes(lab, gateway, mode, why, wrong):
    case = cases.Case(mode, "sha256", 3, 32)
    seal(lab, case)
    gateway.call("key.set", id=case.key.id, algorithm="sha256", profile="linux", secret="x")
    if wrong is None:
        gateway.del_key(case.key)
    else:
        gateway.set_key(dataclasses.replace(case.key, **wrong))
    gateway.clear()
    sender, receiver, destination = case.ends(lab)
    with traffic.to_b(lab) as after:
        assert traffic.udp(sender, receiver, destination, (100, 200, 300), timeout=0.3) == 0
        assert after.wait(1, timeout=0) == []
    assert gateway.drops(3) == {why: 3}


@pytest.mark.parametrize("mode", ("inline", "encap"))
def test_without_hmac_by_the_mode_of_the_port(lab, gateway, mode):
    case = cases.Case(mode, "sha256", 3)
    cases.route(lab, case)
    lab.require_hmac(0)
    gateway.clear()
    assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200), timeout=0.3) == 0
    assert gateway.drops(2) == {"hmac_missing": 2}
    gateway.call("port.set", port=0, verify="if-present")
    try:
        gateway.clear()
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200)) == 2
        assert gateway.settled(no_hmac=2)["no_hmac"] == 2
        assert gateway.drops() == {}
    finally:
        gateway.call("port.set", port=0, verify="require")


def test_without_srh_to_a_protected_prefix(lab, gateway):
    """What was never sealed gets to no SID, and to everything else."""
    netlab.ip(lab.a, f"route replace {netlab.SERVICE}/128 via {netlab.ADDR_B} dev a0")
    try:
        gateway.call("sid.add", prefix=netlab.SID_PREFIX)
        gateway.clear()
        assert traffic.udp(lab.a, lab.b, netlab.sid(1), (100, 200), timeout=0.3) == 0
        assert gateway.drops(2) == {"no_srh": 2}
        assert traffic.udp(lab.a, lab.b, netlab.SERVICE, (100, 200)) == 2
        assert gateway.settled(out_of_scope=2)["out_of_scope"] >= 2
        assert gateway.drops(2) == {"no_srh": 2}
    finally:
        gateway.call("sid.del", prefix=netlab.SID_PREFIX)
        netlab.ip(lab.a, f"route del {netlab.SERVICE}/128 via {netlab.ADDR_B} dev a0")
