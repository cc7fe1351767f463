# SPDX-License-Identifier: BSD-3-Clause
"""What stands before the SRH, and routing headers besides it."""

from oracle import build, edit
from pcap.case import BOTH, KEYS, LINUX_SHA256, RFC_SHA256, Case, if_present, insert, path, require

SRH2 = build.srh(path(2)) + build.udp()


def behind(chain, kind):
    """An SRH behind other extension headers, unsealed."""
    return build.frame(chain + SRH2, next_header=kind, target=path(2)[0])


AUTHENTICATION = bytes([build.ROUTING, 4]) + b"\0" * 22  # 24 octets
EXTENDED = [
    behind(build.hop_by_hop(build.ROUTING), build.HOP_BY_HOP),
    behind(build.destination(build.ROUTING), build.DESTINATION),
    behind(build.destination(build.ROUTING, 254), build.DESTINATION),
    behind(
        build.hop_by_hop(build.DESTINATION) + build.destination(build.ROUTING), build.HOP_BY_HOP
    ),
    behind(build.destination(build.DESTINATION) * 2 + build.destination(build.ROUTING), 60),
    behind(build.fragment(build.ROUTING), build.FRAGMENT),  # an atomic fragment
    behind(AUTHENTICATION, 51),
    # Eight extension headers with the SRH: the most that is walked.
    behind(build.destination(60) * 6 + build.destination(build.ROUTING), build.DESTINATION),
]
TOO_MANY = [
    behind(build.destination(60) * 7 + build.destination(build.ROUTING), build.DESTINATION),
    behind(build.destination(60, 2046) * 2 + build.destination(build.ROUTING), build.DESTINATION),
]


def two(first_left, second_type=4):
    """Two routing headers, one SRH at least."""
    second = (
        build.srh(path(1)) if second_type == 4 else build.routing0(build.UDP_NEXT, 1)
    ) + build.udp()
    return build.routed(path(2), left=first_left, next_header=build.ROUTING, payload=second)


SECOND = [
    two(1),
    two(0),
    two(1, second_type=0),
    behind(build.routing0(build.ROUTING, 0), build.ROUTING),
    behind(build.routing0(build.ROUTING, 1), build.ROUTING),
    build.routed(
        path(2),
        next_header=build.DESTINATION,
        payload=build.destination(build.ROUTING) + build.srh(path(1)) + build.udp(),
    ),
]
SEALED_SECOND = [edit.seal(a_key, build.routed(path(2))) for a_key in BOTH]
SEALED_SECOND = [
    # The first SRH is right; the second follows it.
    build.ethernet()
    + build.ipv6(
        bytes([build.ROUTING]) + frame[55:-15] + build.srh(path(1)) + build.udp(),
        build.ROUTING,
        target=path(2)[0],
    )
    for frame in SEALED_SECOND
]
OTHER_ROUTING = [
    build.frame(build.routing0(build.UDP_NEXT, left) + build.udp(), next_header=build.ROUTING)
    for left in (0, 1)
]
VLANS = [(5,), (5, 6), (4094,), (1, 2)]
TAGGED = [build.routed(path(2), vlans=vlans) for vlans in VLANS]
# Hosts take off any number of tags with VLAN ID 0 and act on what is behind them.
PRIORITY_TAGGED = [build.routed(path(2), vlans=(0,) * tags) for tags in (1, 3, 8)]
TOO_MANY_TAGS = [
    build.routed(path(2), vlans=(0,) * 9),
    build.routed(path(2), vlans=range(1, 10)),
    build.ethernet((0,) * 9, proto=0x0800) + b"not looked at",
]
OLD_QINQ = TAGGED[1].replace(b"\x88\xa8", b"\x91\x00", 1)

CASES = [
    Case(
        "extension-headers",
        "The SRH behind Hop-by-Hop, Destination Options, an atomic fragment's header, AH.",
        require(*BOTH),
        [edit.seal(a_key, frame) for a_key in BOTH for frame in EXTENDED],
    ),
    Case(
        "extension-headers-insert",
        "And HMAC TLVs inserted there.",
        insert(LINUX_SHA256),
        EXTENDED,
    ),
    Case(
        "too-many-headers",
        "More extension headers than anybody sends, or longer ones.",
        if_present(*BOTH),
        TOO_MANY,
    ),
    Case(
        "second-routing-header",
        "Two routing headers, one of them an SRH: whichever was checked, the other would be\n"
        "acted on, too.",
        if_present(*KEYS),
        SECOND + SEALED_SECOND,
    ),
    Case(
        "second-routing-header-insert",
        "Nor is it sealed.",
        insert(RFC_SHA256),
        SECOND,
    ),
    Case(
        "other-routing-headers",
        "Routing headers of other types are no SRHs.",
        require(*KEYS),
        OTHER_ROUTING,
    ),
    Case(
        "vlan",
        "802.1Q, 802.1ad and 0x9100 tags, up to eight of them, stay as they are.",
        require(*BOTH),
        [
            edit.seal(a_key, frame)
            for a_key in BOTH
            for frame in [*TAGGED, OLD_QINQ, *PRIORITY_TAGGED]
        ]
        + [*TAGGED, *PRIORITY_TAGGED],
    ),
    Case(
        "vlan-insert",
        "And when an HMAC TLV is inserted.",
        insert(RFC_SHA256),
        [*TAGGED, *PRIORITY_TAGGED],
    ),
    Case(
        "vlan-too-many",
        "Who has more tags before what it is might hide an SRH from the gateway, but not from a\n"
        "host behind it, which takes off any number of priority tags.",
        if_present(*BOTH),
        [edit.seal(BOTH[0], PRIORITY_TAGGED[0]), *TOO_MANY_TAGS],
    ),
    Case("vlan-too-many-insert", "Nor is it sealed.", insert(RFC_SHA256), TOO_MANY_TAGS),
]
