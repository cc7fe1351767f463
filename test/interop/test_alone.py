# SPDX-License-Identifier: BSD-3-Clause
"""
Linux on all three hosts: what it does without segseal. If this fails the lab is wrong, or the
kernel is not the one that the facts were written about.
"""
import pytest

from interop import cases, netlab, traffic

CASES = [cases.Case(mode, algorithm, segments, octets, end and mode != "inline")
         for mode in cases.MODES for algorithm, segments, octets, end in
         (("sha1", 2, 20, True), ("sha256", 2, 1, False), ("sha256", 14, 64, True))]


@pytest.fixture(scope="module")
def bridged(lab):
    lab.bridge()
    return lab


@pytest.fixture
def required(bridged):
    bridged.require_hmac(1)
    yield bridged
    bridged.require_hmac(0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_linux_takes_what_linux_sealed(required, case):
    for host in (required.a, required.b):
        cases.set_key(host, case.key)
    cases.route(required, case, case.key.id)
    with traffic.to_b(required) as capture:
        cases.exchange(required, case)
        frames = capture.wait(8)
    assert len(frames) >= 8
    assert all(traffic.is_sealed(frame, case.key) for frame in frames)


@pytest.mark.parametrize("end", (False, True), ids=("address", "end"))
def test_linux_drops_a_wrong_key(required, end):
    case = cases.Case("encap", "sha256", 2, 20, end)
    cases.set_key(required.a, case.key)
    cases.set_key(required.b, cases.dataclasses.replace(case.key, secret=b"another"))
    cases.route(required, case, case.key.id)
    before = required.snmp6(required.b, "Udp6InDatagrams")
    assert traffic.udp(required.a, required.b, netlab.SERVICE, (100, 200), timeout=0.3) == 0
    assert required.snmp6(required.b, "Udp6InDatagrams") == before


@pytest.mark.parametrize("mode, passes", ((-1, True), (0, True), (1, False)))
def test_linux_without_hmac_passes_by_its_mode(required, mode, passes):
    case = cases.Case("encap", "sha256", 2)
    required.require_hmac(mode)
    cases.route(required, case)
    assert traffic.udp(required.a, required.b, netlab.SERVICE, (100,),
                       timeout=2 if passes else 0.3) == passes


def test_require_hmac_is_read_of_the_ingress_device_only(required):
    """`all` and `default` say nothing of a device that is there already."""
    case = cases.Case("encap", "sha256", 2)
    cases.route(required, case)
    required.require_hmac(0)
    required.require_hmac(1, "all")
    try:
        assert traffic.udp(required.a, required.b, netlab.SERVICE, (100,)) == 1
    finally:
        required.require_hmac(0, "all")


def test_linux_seals_no_list_of_15_segments(required):
    case = cases.Case("encap", "sha256", netlab.SEGMENTS_MAX + 1)
    cases.set_key(required.a, case.key)
    cases.route(required, case, case.key.id)
    with traffic.from_a(required) as capture:
        with pytest.raises(OSError, match="Message too long"):
            traffic.udp(required.a, required.b, netlab.SERVICE, (100,))
        assert not capture.wait(1, timeout=0.1)
