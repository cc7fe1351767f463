# SPDX-License-Identifier: BSD-3-Clause
"""
Two Linux hosts with an RFC 8754 domain between them: the first gateway verifies and strips what A
sealed and seals it under an rfc8754 key, the second makes it again what B's kernel requires.
"""
import pytest

from interop import cases, netlab, traffic
from interop.gateway import Gateway
from oracle import edit, mac

KEY_ID_BETWEEN = 7  # one id, two constructions: each gateway has its own table


@pytest.fixture(scope="module")
def far_lab():
    with netlab.Lab(hops=2, l2=True) as made:
        made.require_hmac(1)
        yield made


@pytest.fixture(scope="module")
def gateways(far_lab):
    with Gateway(far_lab, 0) as first, Gateway(far_lab, 1) as second:
        yield first, second


@pytest.mark.parametrize("algorithm", ("sha256", "sha512", "sha1"))
@pytest.mark.parametrize("mode, segments", (("inline", 3), ("encap", 1), ("encap", 14),
                                            ("encap.red", 1), ("encap.red", 4), ("l2encap", 2),
                                            ("l2encap.red", 3)))
def test_linux_to_rfc8754_to_linux(far_lab, gateways, mode, segments, algorithm):
    case = cases.Case(mode, "sha256", segments, 32)
    between = mac.Key(KEY_ID_BETWEEN, algorithm, "rfc8754", cases.secret(40, algorithm).encode())
    last = mac.Key(case.key.id, "sha1", "linux", b"what B's side has agreed on")
    first, second = gateways
    cases.set_key(far_lab.a, case.key)
    cases.set_key(far_lab.b, last)
    cases.route(far_lab, case, case.key.id)
    for gateway, key_in, key_out in ((first, case.key, between), (second, between, last)):
        gateway.set_key(key_in)
        gateway.set_key(key_out)
        gateway.call("port.set", port=0, verify="require", strip=True, insert=key_out.id)
        gateway.clear()
    with traffic.from_a(far_lab) as at_a, \
            traffic.between_gateways(far_lab) as in_domain, \
            traffic.to_b(far_lab) as at_b:
        cases.exchange(far_lab, case)
        sealed, translated, final = traffic.settle(at_a, in_domain, at_b, least=8)
    assert len(sealed) >= 8
    plain = [edit.strip(case.key, frame) for frame in sealed]
    assert traffic.same(translated, [edit.seal(between, frame) for frame in plain])
    assert traffic.same(final, [edit.seal(last, frame) for frame in plain])
    for gateway in gateways:
        stats = gateway.settled(inserted=len(sealed))
        assert [stats[name] for name in ("verified", "stripped", "inserted")] == [len(sealed)] * 3
        assert sum(stats["drops"].values()) == 0


@pytest.mark.parametrize("which", (0, 1))
def test_a_wrong_key_between_stops_it(far_lab, gateways, which):
    """B's gateway drops what the first sealed with another secret; A's what A did."""
    case = cases.Case("encap", "sha256", 2, 32)
    cases.set_key(far_lab.a, case.key)
    cases.route(far_lab, case, case.key.id)
    between = mac.Key(KEY_ID_BETWEEN, "sha256", "rfc8754", b"right")
    gateways[0].set_key(case.key)
    for gateway in gateways:
        gateway.set_key(between)
    wrong = (case.key, between)[which]
    gateways[which].set_key(mac.Key(wrong.id, wrong.algorithm, wrong.profile, b"wrong"))
    gateways[0].call("port.set", port=0, insert=KEY_ID_BETWEEN)
    for gateway in gateways:
        gateway.clear()
    assert traffic.udp(far_lab.a, far_lab.b, netlab.SERVICE, (100, 200), timeout=0.3) == 0
    assert gateways[which].drops(2) == {"hmac_mismatch": 2}
    assert gateways[1 - which].drops() == {}
