# SPDX-License-Identifier: BSD-3-Clause
"""Find the SRH of a frame: one step after the other, each octet looked at in plain sight."""

import struct
from dataclasses import dataclass

from oracle import mac

VLAN_TYPES = (0x8100, 0x88A8, 0x9100)
VLAN_TAGS_MAX = 8
IPV6_TYPE = 0x86DD
EXTENSION_HEADERS = (0, 43, 44, 51, 60, 135, 139, 140)
ROUTING, FRAGMENT, AUTHENTICATION = 43, 44, 51
EXT_HEADERS_MAX = 8
CHAIN_MAX = 4096
TLVS_MAX = 64


@dataclass
class Found:
    """What a frame is. status is one of

    not_ipv6, absent, later_fragment, found, or the drop reason of a malformed one."""

    status: str
    ip: int = 0  # offset of the IPv6 header
    srh: int = 0  # offset of the SRH
    srh_end: int = 0
    chain_end: int = 0  # end of the last extension header
    tlvs: tuple = ()  # (offset, type, length) of each; a run of Pad1 is one
    hmac: int = 0  # offset of the HMAC TLV, 0 if none
    linux_hmac: bool = False  # Linux would see the same one
    in_pieces: bool = False  # the SRH is inside the fragmentable part of a first fragment
    fragment_next: int = 0
    fragment_offset: int = 0
    frame: bytes = b""

    def octet(self, offset):
        return self.frame[self.srh + offset]

    payload_length = property(lambda self: be16(self.frame, self.ip + 4))
    source = property(lambda self: self.frame[self.ip + 8 : self.ip + 24])
    target = property(lambda self: self.frame[self.ip + 24 : self.ip + 40])
    left = property(lambda self: self.octet(3))
    last = property(lambda self: self.octet(4))
    flags = property(lambda self: self.octet(5))
    list_end = property(lambda self: self.srh + 8 + 16 * (self.last + 1))
    segments = property(lambda self: self.frame[self.srh + 8 : self.list_end])
    hmac_length = property(lambda self: self.frame[self.hmac + 1])
    hmac_dres = property(lambda self: be16(self.frame, self.hmac + 2))
    hmac_key = property(lambda self: struct.unpack_from("!I", self.frame, self.hmac + 4)[0])
    hmac_value = property(
        lambda self: self.frame[self.hmac + 8 : self.hmac + 2 + self.hmac_length]
    )
    hmac_aligned = property(lambda self: (self.hmac - self.srh) % 8 == 0)

    def segment(self, index):
        return self.segments[16 * index : 16 * index + 16]


def be16(octets, at):
    return octets[at] << 8 | octets[at + 1]


def find(frame):
    at = 12
    for _ in range(VLAN_TAGS_MAX + 1):
        if len(frame) < at + 2:
            return Found("not_ipv6")
        kind = be16(frame, at)
        if kind not in VLAN_TYPES:
            break
        at += 4
    else:
        return Found("srh_malformed", frame=frame)
    if kind != IPV6_TYPE:
        return Found("not_ipv6")
    ip = at + 2
    if len(frame) < ip + 40:
        return Found("srh_truncated", frame=frame)
    found = Found("absent", ip=ip, chain_end=ip + 40, frame=frame)
    found.status = ipv6_problem(frame, found) or walk_chain(frame, found)
    if found.status == "found":
        found.status = walk_tlvs(frame, found)
    return found


def ipv6_problem(frame, found):
    return "srh_malformed" if frame[found.ip] >> 4 != 6 else None


def walk_chain(frame, found):
    at = found.ip + 40
    end = min(len(frame), at + be16(frame, found.ip + 4))
    kind = frame[found.ip + 6]
    headers = 0
    routing_headers = []
    behind_fragment = False
    while kind in EXTENSION_HEADERS:
        headers += 1
        if headers > EXT_HEADERS_MAX:
            return "srh_malformed"
        if at + 8 > end:
            return "srh_truncated"
        if kind == FRAGMENT:
            length = 8
        elif kind == AUTHENTICATION:
            length = 4 * (frame[at + 1] + 2)
        else:
            length = 8 * (frame[at + 1] + 1)
        if at + length > end:
            return "srh_truncated"
        if at + length > CHAIN_MAX:
            return "srh_malformed"
        found.chain_end = at + length

        if kind == ROUTING:
            routing_headers.append(frame[at + 2])
            if 4 in routing_headers and len(routing_headers) > 1:
                return "second_routing_header"
            if frame[at + 2] == 4:
                units, left, last = frame[at + 1], frame[at + 3], frame[at + 4]
                if 2 * (last + 1) > units or left > last + 1:
                    return "srh_malformed"
                found.srh, found.srh_end = at, at + length
                found.in_pieces = behind_fragment
        elif kind == FRAGMENT:
            offset = be16(frame, at + 2) // 8 * 8
            if offset > 0:
                if found.srh:
                    break
                found.fragment_next = frame[at]
                found.fragment_offset = offset
                return "later_fragment"
            if frame[at + 3] & 1:
                behind_fragment = True
        kind = frame[at]
        at += length
    return "found" if found.srh else "absent"


def walk_tlvs(frame, found):
    at, end = found.list_end, found.srh_end
    tlvs = []
    while at < end:
        if len(tlvs) == TLVS_MAX:
            return "tlv_malformed"
        if frame[at] == 0:
            start = at
            while at < end and frame[at] == 0:
                at += 1
            tlvs.append((start, 0, at - start))
            continue
        if at + 1 == end or at + 2 + frame[at + 1] > end:
            return "tlv_malformed"
        kind, length = frame[at], frame[at + 1]
        if kind == mac.TYPE:
            if length < 6:
                return "hmac_malformed"
            if found.hmac:
                return "hmac_duplicate"
            found.hmac = at
        tlvs.append((at, kind, length))
        at += 2 + length
    found.tlvs = tuple(tlvs)

    # What Linux does: no walk, just a look at the last 40 octets when Flags says so.
    place = end - 40
    if found.flags & mac.FLAG_LINUX and place >= found.list_end:
        if frame[place : place + 2] == bytes([mac.TYPE, 38]):
            if place not in [at for at, kind, _ in tlvs if kind == mac.TYPE]:
                return "hmac_malformed"
            found.linux_hmac = True
    return "found"
