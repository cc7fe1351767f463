# SPDX-License-Identifier: BSD-3-Clause
"""What is not judged: other protocols, no SRH, verification off."""

from oracle import build, gateway
from pcap.case import BOTH, KEYS, Case, if_present, path, require, sealed

ARP = build.ethernet(proto=0x0806) + bytes.fromhex("0001080006040001") + b"\0" * 20
IPV4 = build.ethernet(proto=0x0800) + bytes.fromhex("45000014000000004001") + b"\0" * 10
SHORT = [build.ethernet()[:length] for length in (1, 12, 13)]
LLDP = build.ethernet(proto=0x88CC) + b"\x02\x07\x04\x02\x00\x00\x00\x00\x0a"
PLAIN = build.frame(build.udp(), next_header=build.UDP_NEXT)
ICMP = build.frame(bytes.fromhex("8000000000010001"), next_header=58)
ENCAPSULATED = build.frame(
    build.ipv6(build.srh(path(2)) + build.udp(), build.ROUTING, target=path(2)[0]), next_header=41
)
NOT_IPV6 = [ARP, IPV4, LLDP, *SHORT]
NO_SRH = [PLAIN, ICMP, ENCAPSULATED, build.frame(b"", next_header=59)]

CASES = [
    Case("not-ipv6", "ARP, IPv4, LLDP and scraps of Ethernet pass.", require(*KEYS), NOT_IPV6),
    Case(
        "no-srh",
        "IPv6 without SRH passes in require, too, while no prefix is protected;\n"
        "so does an SRH that is inside a tunnel.",
        require(*KEYS),
        NO_SRH,
    ),
    Case("no-srh-if-present", "And in if-present.", if_present(*KEYS), NO_SRH + NOT_IPV6),
    Case(
        "unchecked",
        "With verification off nothing is read: whatever it is, it passes.",
        gateway.Config(keys=KEYS),
        [
            *NOT_IPV6,
            *NO_SRH,
            build.routed(path(3)),
            *[sealed(key, path(3)) for key in BOTH],
            sealed(BOTH[0], path(3))[:-20],
            build.routed(path(3), last=200),
        ],
    ),
    Case(
        "no-hmac",
        "if-present lets an SRH without HMAC pass.",
        if_present(*KEYS),
        [build.routed(path(n)) for n in range(1, 11)]
        + [build.reduced(path(3)), build.routed(path(2), tlvs=build.padn(6))],
    ),
    Case(
        "hmac-missing",
        "require does not.",
        require(*KEYS),
        [build.routed(path(n)) for n in range(1, 11)]
        + [build.reduced(path(3)), build.routed(path(2), tlvs=build.padn(6))],
    ),
]
