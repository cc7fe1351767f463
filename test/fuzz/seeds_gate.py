# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of the targets that use gate_rig.c: settings, layout, then a frame as seeds_srh.py has them."""

import seeds_srh
from packets import ROUTING, SEGMENTS, ether, hmac_tlv, ipv6, srh

OFF, IF_PRESENT, REQUIRE = 0, 1, 2
STRIP, INSERT = 0x40, 0x80
FIX_LENGTH, FIX_DESTINATION, SEAL, SPOIL, FIX_FORM = 1, 2, 4, 8, 16
GOOD = FIX_LENGTH | FIX_DESTINATION | SEAL | FIX_FORM

LINUX_KEYS, RFC_KEYS = (1, 2, 3, 4), (5, 6, 7, 8)
NAMES = {1: "sha1", 2: "sha256", 3: "sha384", 0: "sha512"}
PLAIN = bytes([63, 0, 0])
SPLIT = bytes([10, 60, 100])
SHARED = bytes([0x40, 0, 0])


def length(key):
    return 30 if key == 5 else 38


def name(key):
    return ("linux-" if key in LINUX_KEYS else "rfc-") + NAMES[key % 4]


def sealed(key, segments=2, left=1, tlvs=b"", d_bit=False, octets=None):
    tlv = hmac_tlv(length(key), key, d_bit, octets)
    tlvs = tlvs + tlv if key in LINUX_KEYS else tlv + tlvs
    return ether() + ipv6([(ROUTING, srh(segments, tlvs, left))], destination=SEGMENTS[left])


def settings(mode, key=0, mtu=0, edit=0):
    return bytes([mode | edit | (INSERT if key else 0), key | mtu])


def verify():
    def put(mode, frame, options=GOOD, prefixes=0, layout=PLAIN, spoilt=0, **edits):
        head = bytes([prefixes]) + settings(mode, **edits) + layout
        return head + bytes([options]) + spoilt.to_bytes(2, "big") + frame

    for key in LINUX_KEYS + RFC_KEYS:
        yield name(key), put(REQUIRE, sealed(key))
        yield name(key) + "-wrong", put(REQUIRE, sealed(key), FIX_LENGTH)
        other = 9 - key
        yield name(key) + "-again", put(REQUIRE, sealed(key), edit=STRIP, key=other)
    reduced = sealed(6, left=2, d_bit=True)
    yield "reduced", put(REQUIRE, reduced)
    yield "reduced-no-d", put(REQUIRE, sealed(6, left=2), FIX_LENGTH | SEAL)
    yield "destination", put(REQUIRE, sealed(6), FIX_LENGTH | SEAL | SPOIL, spoilt=8 * 53)
    yield "one-bit", put(REQUIRE, sealed(2), GOOD | SPOIL, spoilt=8 * 64 + 3)
    yield "10-segments", put(REQUIRE, sealed(2, 10, 9), layout=SPLIT)
    yield "60-segments", put(REQUIRE, sealed(8, 60, 59), layout=bytes([0x80, 20, 40]))
    yield "unknown-key", put(REQUIRE, ether() + ipv6([(ROUTING, srh(1, hmac_tlv(38, 99)))]))
    yield "strip", put(IF_PRESENT, sealed(2, tlvs=seeds_srh.UNKNOWN), edit=STRIP)
    yield "strip-shared", put(IF_PRESENT, sealed(6), layout=SHARED, edit=STRIP)
    yield "fill", put(OFF, sealed(3, octets=bytes(32)), FIX_LENGTH, key=3)
    yield "fill-rfc", put(OFF, sealed(5, octets=bytes(24)), FIX_LENGTH, key=5)
    yield "sealed-already", put(IF_PRESENT, sealed(2), key=6)
    yield "too-big", put(OFF, ether() + ipv6([(ROUTING, srh(2))]), key=2, mtu=0x80 | 40)
    yield "no-key", put(OFF, ether() + ipv6([(ROUTING, srh(2))]), key=9)
    for number, (title, packet) in enumerate(seeds_srh.frames()):
        if len(packet) > 600:
            continue
        mode, edits = ((REQUIRE, 0), (IF_PRESENT, 6), (OFF, 2))[number % 3]
        layout = (PLAIN, SPLIT, SHARED)[number // 3 % 3]
        yield title, put(mode, ether() + packet, GOOD, number % 4, layout, key=edits, edit=STRIP)


def unsealed():
    """(name, layout, frame) of what can get an HMAC TLV, and of what cannot."""
    yield "plain", PLAIN, ether() + ipv6([(ROUTING, srh(2, left=1))], destination=SEGMENTS[1])
    yield "reduced", PLAIN, ether() + ipv6([(ROUTING, srh(2, left=2))])
    yield "list-full", PLAIN, ether() + ipv6([(ROUTING, srh(60, left=3))])
    yield "flag", PLAIN, ether() + ipv6([(ROUTING, srh(1, seeds_srh.UNKNOWN * 3, flags=8))])
    yield "tagged", SPLIT, ether(0x88A8, 0x8100) + ipv6([(ROUTING, srh(3, left=2))])
    yield "no-headroom", bytes([0, 0, 0]), ether() + ipv6([(ROUTING, srh(2, seeds_srh.UNKNOWN))])
    yield "fill-linux", PLAIN, sealed(2, octets=bytes(32))
    yield "fill-rfc", PLAIN, sealed(6, octets=bytes(32))
    for number, (title, packet) in enumerate(seeds_srh.frames()):
        if not title.startswith("hmac") and len(packet) < 600:
            yield "other-" + title, (PLAIN, SPLIT, SHARED)[number % 3], ether() + packet


def insert_verify():
    for number, (title, layout, frame) in enumerate(unsealed()):
        options = bytes([FIX_LENGTH | FIX_DESTINATION]) + (number * 41).to_bytes(2, "big")
        key = {"fill-linux": 1, "fill-rfc": 5}.get(title, number % 8)
        yield title, bytes([key]) + layout + options + frame


def strip_insert():
    for number, (title, layout, frame) in enumerate(unsealed()):
        options = bytes([FIX_LENGTH | FIX_DESTINATION, 0, 0])
        yield title, bytes([number * 11 % 64]) + layout + options + frame
