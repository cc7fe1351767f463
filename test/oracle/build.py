# SPDX-License-Identifier: BSD-3-Clause
"""Packets to try the gateway with. scapy makes all but the SRH's TLVs, which are plain octets."""

import struct
from ipaddress import IPv6Address

from scapy.layers.inet import UDP
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrSegmentRouting,
    PadN,
)
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Raw

UDP_NEXT = 17
ROUTING = 43
FRAGMENT = 44
DESTINATION = 60
HOP_BY_HOP = 0

SOURCE = "2001:db8:a::1"
TARGET = "2001:db8:b::1"


def sid(number):
    return f"fc00:b:{number:x}::1"


def ethernet(vlans=(), src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b", proto=0x86DD):
    """Ethernet header with VLAN tags, outermost first; of several, all but the last are 802.1ad."""
    header = Ether(src=src, dst=dst, type=proto)
    for position, vlan in enumerate(reversed(vlans)):
        kind = Dot1Q if position == 0 else Dot1AD
        header_type = 0x8100 if position == 0 else 0x88A8
        tag = kind(vlan=vlan, type=proto)
        proto = header_type
        rest = header.payload
        header = Ether(src=src, dst=dst, type=header_type) / (tag / rest if rest else tag)
    return bytes(header)


def pad1(count=1):
    return b"\0" * count


def padn(length):
    return bytes([4, length]) + b"\0" * length


def unknown(kind, value):
    return bytes([kind, len(value)]) + value


def udp(payload=b"segseal", source=SOURCE, target=TARGET):
    """A UDP datagram with the checksum that the last destination will compute."""
    return bytes(IPv6(src=source, dst=target) / UDP(sport=4242, dport=5151) / Raw(payload))[40:]


def srh(segments, left=None, last=None, flags=0, tag=0, tlvs=b"", next_header=UDP_NEXT, units=None):
    """An SRH for segments in the order of travel. last and units override the right values."""
    path = list(reversed(segments))
    last_entry = max(len(path) - 1, 0) if last is None else last
    header = IPv6ExtHdrSegmentRouting(
        nh=next_header,
        len=(16 * len(path) + len(tlvs)) // 8 if units is None else units,
        type=4,
        segleft=last_entry if left is None else left,
        lastentry=last_entry,
        tag=tag,
        addresses=path,
    )
    octets = bytearray(bytes(header / Raw(tlvs)))
    octets[5] = flags
    return bytes(octets)


def options(length):
    """PadN options that take length octets, at most 200 each."""
    sizes = [200] * (length // 200) + ([length % 200] if length % 200 else [])
    return [PadN(optdata=b"\0" * (size - 2)) for size in sizes]


def hop_by_hop(next_header, length=6):
    return bytes(IPv6ExtHdrHopByHop(nh=next_header, options=options(length)))


def destination(next_header, length=6):
    """length octets of options: 6, 14, ..."""
    return bytes(IPv6ExtHdrDestOpt(nh=next_header, options=options(length)))


def fragment(next_header, offset=0, more=0, ident=0x5E65EA1):
    """offset counts 8-octet units, as on the wire."""
    return bytes(IPv6ExtHdrFragment(nh=next_header, offset=offset, m=more, id=ident))


def routing0(next_header, left, addresses=1):
    """A routing header of another type than 4."""
    return struct.pack("!BBBBI", next_header, 2 * addresses, 0, left, 0) + b"\xfd" * 16 * addresses


def ipv6(chain, next_header, source=SOURCE, target=TARGET, length=None, hop_limit=64):
    """IPv6 header and what follows it; length overrides Payload Length."""
    header = IPv6(
        src=source,
        dst=target,
        nh=next_header,
        plen=len(chain) if length is None else length,
        hlim=hop_limit,
    )
    return bytes(header)[:40] + chain


def frame(chain, next_header=ROUTING, vlans=(), **more):
    return ethernet(vlans) + ipv6(chain, next_header, **more)


def routed(segments, left=None, payload=None, vlans=(), source=SOURCE, target=None, **more):
    """The usual packet: Ethernet, IPv6, SRH, UDP. DA is the active segment unless target says."""
    last = len(segments) - 1
    left = last if left is None else left
    if target is None:
        target = segments[last - left] if left <= last else sid(0xFFFF)
    data = udp(source=source, target=segments[-1]) if payload is None else payload
    return frame(
        srh(segments, left=left, **more) + data, vlans=vlans, source=source, target=target
    )


def reduced(segments, **more):
    """A reduced SRH at its source: the first segment is in DA only, and SL = LE + 1."""
    return routed(segments[1:], left=len(segments) - 1, target=segments[0], **more)


def address(text):
    return IPv6Address(text).packed
