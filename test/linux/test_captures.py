# SPDX-License-Identifier: BSD-3-Clause
"""Packets that a Linux kernel sealed: right ones pass, and any change to what is sealed shows."""

import pytest

from linux import kernel
from oracle import gateway, parse

GROUPS = kernel.groups()


def require(group):
    return gateway.Config(keys=tuple(one.key for one in group), verify=gateway.REQUIRE)


def passed(counters):
    return {name: counters[name] for name in gateway.PASSES if counters[name]}


def dropped(counters):
    return {name: n for name, n in counters["drops"].items() if n}


def test_all_captures_are_there():
    assert sum(len(group) for group in GROUPS) == 21
    assert all(one.frames for group in GROUPS for one in group)


@pytest.mark.parametrize("group", GROUPS)
def test_verified(judge, group):
    frames = [frame for one in group for frame in one.frames]
    out, counters = judge(require(group), frames)
    assert out == frames
    assert counters["rx"] == counters["tx"] == len(frames)
    assert passed(counters) == {"verified": len(frames)}
    assert not dropped(counters)


def flipped(frame, at, bit=1):
    return frame[:at] + bytes([frame[at] ^ bit]) + frame[at + 1 :]


# How to change one octet, in every place where that kind is, and which reasons it may be dropped
# for. The oracle tells which of several it is for a packet.
TAMPERINGS = {
    "source": (lambda f: range(f.ip + 8, f.ip + 24), 0x01, {"hmac_mismatch"}),
    "segments": (lambda f: range(f.srh + 8, f.list_end), 0x80, {"hmac_mismatch"}),
    "hmac": (lambda f: range(f.hmac + 8, f.hmac + 40), 0x10, {"hmac_mismatch"}),
    "flags": (lambda f: [f.srh + 5], 0x20, {"hmac_mismatch"}),
    "flag-hmac": (lambda f: [f.srh + 5], 0x08, {"hmac_missing"}),
    "key-id": (lambda f: range(f.hmac + 4, f.hmac + 8), 0x40, {"key_unknown"}),
    "last-entry-up": (
        lambda f: [f.srh + 4] if not f.last & 1 else [],
        0x01,
        # The segment list reaches into the TLV then, so what follows is not a TLV any more; and
        # Linux's place, the last 40 octets, is cut.
        {"hmac_missing", "hmac_malformed", "hmac_mismatch", "tlv_malformed", "srh_malformed"},
    ),
    "last-entry-down": (
        lambda f: [f.srh + 4] if f.last & 1 else [],
        0x01,
        # The last segment is read as TLVs.
        {"hmac_mismatch", "hmac_malformed", "tlv_malformed", "srh_malformed"},
    ),
}
TRIED_MIN = 9  # how many captures have an odd Last Entry



@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampered(judge, kind):
    places, bit, reasons = TAMPERINGS[kind]
    tried = 0
    for group in GROUPS:
        frames = []
        for one in group:
            found = parse.find(one.frames[0])
            frames += [flipped(one.frames[0], at, bit) for at in places(found)]
        if not frames:
            continue
        out, counters = judge(require(group), frames)
        assert out == []
        assert counters["rx"] == len(frames) == sum(counters["drops"].values())
        assert set(dropped(counters)) <= reasons
        assert counters == gateway.gateway(require(group), frames)[1].json()
        tried += len(frames)
    assert tried >= TRIED_MIN


@pytest.mark.parametrize("mode", [gateway.IF_PRESENT, gateway.REQUIRE])
def test_each_drop_alone(judge, mode):
    """One changed packet among good ones is the one that does not come out."""
    group = GROUPS[0]
    config = gateway.Config(keys=tuple(one.key for one in group), verify=mode)
    frames = [frame for one in group for frame in one.frames]
    bad = parse.find(frames[5])
    changed = frames[:5] + [flipped(frames[5], bad.hmac + 39)] + frames[6:]
    out, counters = judge(config, changed)
    assert out == frames[:5] + frames[6:]
    assert dropped(counters) == {"hmac_mismatch": 1}


@pytest.mark.parametrize("group", GROUPS)
def test_wrong_secret(judge, group):
    config = gateway.Config(
        keys=tuple(
            type(one.key)(one.key.id, one.key.algorithm, one.key.profile, one.key.secret[:-1] + b"!")
            for one in group
        ),
        verify=gateway.REQUIRE,
    )
    frames = [one.frames[0] for one in group]
    out, counters = judge(config, frames)
    assert out == [] and dropped(counters) == {"hmac_mismatch": len(frames)}
