# SPDX-License-Identifier: BSD-3-Clause
"""Frames for the seeds, octet by octet: nothing here knows what is right."""

import struct

SOURCE = bytes.fromhex("fd00000c000000000000000000000099")
SEGMENTS = [bytes.fromhex(f"fd00000{i % 10}0000000000000000000000{i:02x}") for i in range(1, 128)]
UDP = struct.pack("!HHHH", 0x1234, 0x5678, 16, 0) + b"payload!"

HOP, ROUTING, FRAGMENT, ESP, AUTH, NONE, DEST, MOBILITY = 0, 43, 44, 50, 51, 59, 60, 135


def ether(*tags, kind=0x86DD):
    octets = bytes.fromhex("020000000002020000000001")
    for tag in tags:
        octets += struct.pack("!HH", tag, 100)
    return octets + struct.pack("!H", kind)


def srh(segments, tlvs=b"", left=0, flags=0, last=None, hdr_ext_len=None):
    """What follows the Next Header octet of an SRH with SEGMENTS[0..segments)."""
    if last is None:
        last = segments - 1
    if hdr_ext_len is None:
        hdr_ext_len = 2 * segments + len(tlvs) // 8
    return (
        bytes([hdr_ext_len, 4, left, last, flags, 0, 0]) + b"".join(SEGMENTS[:segments]) + tlvs
    )


def routing(kind, octets=8):
    return bytes([octets // 8 - 1, kind]) + bytes(octets - 3)


def options(octets=8):
    """Hop-by-Hop or Destination Options with one PadN."""
    return bytes([octets // 8 - 1, 1, octets - 4]) + bytes(octets - 4)


def auth(octets=12):
    return bytes([octets // 4 - 2]) + bytes(octets - 2)


def fragment(offset, more):
    return bytes([0]) + struct.pack("!HI", offset | more, 0xABCD)


def hmac_tlv(length=38, key_id=42, d_bit=False, octets=None):
    if octets is None:
        octets = bytes(range(0xA0, 0xA0 + length - 6))
    return struct.pack("!BBHI", 5, length, 0x8000 if d_bit else 0, key_id) + octets


def ipv6(headers, upper=17, payload=UDP, destination=SEGMENTS[0], source=SOURCE, length=None):
    """headers: (number, octets after Next Header) from the first to the last."""
    kinds = [kind for kind, _ in headers] + [upper]
    chain = b"".join(
        bytes([following]) + octets for (_, octets), following in zip(headers, kinds[1:])
    )
    if length is None:
        length = len(chain) + len(payload)
    fixed = struct.pack("!IHBB", 6 << 28, length, kinds[0], 64)
    return fixed + source + destination + chain + payload
