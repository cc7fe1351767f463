# SPDX-License-Identifier: BSD-3-Clause
"""Seal frames with an HMAC TLV, and unseal them. Offsets and lengths are worked out from scratch;
frames are immutable, so each step returns a new one."""

import struct

from oracle import mac, parse


def resized(found, frame, change):
    """frame with Hdr Ext Len and Payload Length moved by change octets."""
    out = bytearray(frame)
    out[found.srh + 1] += change // 8
    struct.pack_into("!H", out, found.ip + 4, found.payload_length + change)
    return bytes(out)


def expected_tag(key, found):
    return mac.tag(
        key, found.source, found.last, found.flags, found.hmac_dres, found.segments
    )


def with_tag(key, frame):
    """frame with the right HMAC written into its HMAC TLV, whatever stands there."""
    found = parse.find(frame)
    tag = expected_tag(key, found)
    return frame[: found.hmac + 8] + tag + frame[found.hmac + 8 + len(tag) :]


def with_flags(found, frame, flags):
    return frame[: found.srh + 5] + bytes([flags]) + frame[found.srh + 6 :]


def dres_of(key, found):
    """D and reserved bits that a sealer writes: D=1 exactly for a reduced SRH at its source."""
    return mac.D_BIT if key.profile == mac.RFC8754 and found.left > found.last else 0


def seal(key, frame):
    """Put an HMAC TLV into a frame whose SRH has none."""
    found = parse.find(frame)
    place = found.srh_end if key.profile == mac.LINUX else found.list_end
    tlv = mac.tlv(key.id, b"\0" * key.field, dres_of(key, found))
    out = resized(found, frame[:place] + tlv + frame[place:], len(tlv))
    if key.profile == mac.LINUX:
        out = with_flags(found, out, found.flags | mac.FLAG_LINUX)
    return with_tag(key, out)


def fill(key, frame):
    """Write the HMAC into a TLV that has the key's ID and room."""
    found = parse.find(frame)
    dres = struct.pack("!H", dres_of(key, found))
    frame = frame[: found.hmac + 2] + dres + frame[found.hmac + 4 :]
    if key.profile == mac.LINUX:
        frame = with_flags(found, frame, found.flags | mac.FLAG_LINUX)
    return with_tag(key, frame)


def strip(key, frame):
    """Take the HMAC TLV out."""
    found = parse.find(frame)
    length = 2 + found.hmac_length
    out = resized(found, frame[: found.hmac] + frame[found.hmac + length :], -length)
    if key.profile == mac.LINUX:
        out = with_flags(found, out, found.flags & ~mac.FLAG_LINUX & 0xFF)
    return out
