# SPDX-License-Identifier: BSD-3-Clause
"""What one gateway seals, another verifies and strips; between them Python's hmac looks."""

import pytest

from oracle import build, edit, gateway, mac, parse
from pcap.case import key, path, require
from replay import replay

FRAMES = [
    build.routed(path(count), left=left, tlvs=tlvs, vlans=vlans, payload=payload)
    for count in range(1, 11)
    for left, tlvs, vlans, payload in (
        (count - 1, b"", (), None),
        (0, build.padn(6), (7,), None),
        (count // 2, build.unknown(0x7C, b"vendor"), (7, 8), bytes(1400)),
    )
] + [build.reduced(path(count)) for count in range(2, 8)]


@pytest.mark.parametrize("algorithm", mac.ALGORITHMS)
@pytest.mark.parametrize("profile", mac.PROFILES)
def test_round_trip(build, profile, algorithm):
    a_key = key(profile, algorithm)
    there = replay(build, gateway.Config(keys=(a_key,), insert=a_key.id), FRAMES)
    assert there.status == 0, there.errors
    assert there.counters["inserted"] == len(FRAMES) == len(there.frames)
    for before, after in zip(FRAMES, there.frames):
        assert len(after) == len(before) + 8 + a_key.field
        found = parse.find(after)
        assert found.hmac_key == a_key.id
        assert found.hmac_value == edit.expected_tag(a_key, found)

    back = replay(build, require(a_key, strip=True), there.frames, from_peer=True)
    assert back.status == 0, back.errors
    assert back.counters["verified"] == back.counters["stripped"] == len(FRAMES)
    assert back.frames == FRAMES


@pytest.mark.parametrize("algorithm", mac.ALGORITHMS)
def test_translate_there_and_back(build, algorithm):
    """linux to rfc8754 by one gateway, back by another: the packets that the host sent."""
    linux, rfc = key(mac.LINUX, algorithm), key(mac.RFC8754, algorithm)
    sent = [edit.seal(linux, frame) for frame in FRAMES]
    inside = replay(build, require(linux, rfc, strip=True, insert=rfc.id), sent)
    assert inside.status == 0, inside.errors
    for frame in inside.frames:
        found = parse.find(frame)
        assert found.hmac_key == rfc.id and not found.flags & mac.FLAG_LINUX
        assert found.hmac_value == edit.expected_tag(rfc, found)
    back = replay(build, require(linux, rfc, strip=True, insert=linux.id), inside.frames)
    assert back.status == 0, back.errors
    assert back.frames == sent


def test_same_input_same_output(build):
    config = require(key(mac.LINUX, "sha256"), insert=key(mac.LINUX, "sha256").id)
    runs = [replay(build, config, FRAMES) for _ in range(2)]
    assert runs[0].frames == runs[1].frames and runs[0].counters == runs[1].counters
