# SPDX-License-Identifier: BSD-3-Clause
"""Thousands of damaged packets through segseal and through the oracle: the same frames come out,
and the same is counted. The frames of all cases are the stock; the damage is repeatable."""

import os
import random

import pytest

from oracle import edit, gateway, mac, parse
from pcap.case import KEYS, require
from pcap.define import CASES
from replay import replay

COUNT = int(os.environ.get("SEGSEAL_RANDOM_FRAMES", "4000"))
SEED = int(os.environ.get("SEGSEAL_RANDOM_SEED", "8754"))
STOCK = sorted({frame for case in CASES for frame in case.frames if len(frame) <= 2200})
SIDS = ("fc00:b::/32", "2001:db8:7::7/128")

CONFIGS = {
    "require": require(*KEYS),
    "if-present": gateway.Config(keys=KEYS, verify=gateway.IF_PRESENT),
    "strip": require(*KEYS, strip=True),
    "scope": require(*KEYS, sids=SIDS),
    "insert-linux": gateway.Config(keys=KEYS, insert=KEYS[0].id),
    "insert-rfc8754": gateway.Config(keys=KEYS, insert=KEYS[3].id, mtu=1500),
    "translate": gateway.Config(
        keys=KEYS, verify=gateway.IF_PRESENT, strip=True, insert=KEYS[2].id, sids=SIDS
    ),
}


def header_octet(found, dice):
    """An octet of a header, the length fields and flags among them more often than others."""
    fields = [found.ip + at for at in (0, 4, 5, 6)]
    if found.srh:
        fields += [found.srh + at for at in (0, 1, 2, 3, 4, 5)]
        fields += [at + more for at, _, _ in found.tlvs for more in (0, 1)]
    if dice.random() < 0.6:
        return dice.choice(fields)
    return dice.randrange(0, max(found.chain_end, found.ip + 40))


def damaged(frame, dice):
    found = parse.find(frame)
    if not found.ip or len(frame) < found.ip + 40:
        return frame
    out = bytearray(frame)
    for _ in range(dice.choice((0, 1, 1, 1, 2, 3))):
        at = header_octet(found, dice)
        if at < len(out):
            out[at] = dice.choice((out[at] ^ 1 << dice.randrange(8), dice.randrange(256), 0, 5))
    if dice.random() < 0.1:
        del out[dice.randrange(14, len(out)) :]
    if dice.random() < 0.1:
        out += dice.randbytes(dice.randrange(1, 64))
    frame = bytes(out)
    # Mostly the damage is to be sealed in, else nearly all that has an HMAC is a mismatch.
    found = parse.find(frame)
    if found.status == "found" and found.hmac and dice.random() < 0.7:
        key = next((key for key in KEYS if key.id == found.hmac_key), dice.choice(KEYS))
        fits = found.hmac_length == key.tlv_length
        if fits and (key.profile == mac.RFC8754 or found.linux_hmac):
            frame = edit.with_tag(key, frame)
    return frame


def frames(seed, count):
    dice = random.Random(seed)
    return [damaged(dice.choice(STOCK), dice) for _ in range(count)]


def first_difference(build, config, stock):
    """The one frame that segseal and the oracle differ on, by halves."""
    while len(stock) > 1:
        half = stock[: len(stock) // 2]
        stock = stock[len(half) :] if same(build, config, half) else half
    return stock[0]


def same(build, config, stock):
    out, counters = gateway.gateway(config, stock)
    done = replay(build, config, stock)
    assert done.status == 0, done.errors
    return done.frames == out and done.counters == counters.json()


@pytest.mark.parametrize("name", CONFIGS)
def test_random(build, name):
    config = CONFIGS[name]
    stock = frames(f"{SEED} {name}", COUNT)
    if same(build, config, stock):
        return
    frame = first_difference(build, config, stock)
    out, counters = gateway.gateway(config, [frame])
    done = replay(build, config, [frame])
    pytest.fail(
        f"in   {frame.hex()}\noracle {[one.hex() for one in out]} {counters.json()}\n"
        f"segseal {[one.hex() for one in done.frames]} {done.counters}"
    )


def test_random_frames_are_worth_it():
    """The stock must not all end in the same few verdicts."""
    seen = set()
    for name, config in CONFIGS.items():
        _, counters = gateway.gateway(config, frames(f"{SEED} {name}", COUNT))
        seen |= {reason for reason, n in counters.drops.items() if n >= 3}
        seen |= {event for event, n in counters.events.items() if n >= 3}
    missing = {*gateway.EVENTS, *gateway.PASSES, *gateway.DROPS} - seen
    assert missing <= {"tx_full", "no_buffer", "insert_key_unknown", "srh_full"}
