# SPDX-License-Identifier: BSD-3-Clause
"""Packets in pieces: the SRH before the Fragment header, or behind it."""

from oracle import build, edit, parse
from pcap.case import (
    BOTH,
    LINUX_SHA256,
    RFC_SHA256,
    Case,
    if_present,
    insert,
    path,
    put,
    require,
)

PROTECTED = ("fc00:b::/32",)
DATA = b"d" * 64
UDP, ROUTING, DESTINATION = build.UDP_NEXT, build.ROUTING, build.DESTINATION


def srh_first(offset, more):
    """How a sealed flow is fragmented: the SRH is in each piece."""
    piece = build.fragment(UDP, offset=offset, more=more) + DATA
    return build.routed(path(2), next_header=build.FRAGMENT, payload=piece)


def srh_inside(offset, more, chain, kind=ROUTING):
    return build.frame(
        build.fragment(kind, offset=offset, more=more) + chain, 44, target=path(2)[0]
    )


def sealed_inside(a_key, more):
    """A first fragment that holds a whole, sealed SRH."""
    return edit.seal(a_key, srh_inside(0, more, build.srh(path(2)) + DATA))


SRH_FIRST = [srh_first(0, 1), srh_first(8, 1), srh_first(16, 0)]
SEALED_FIRST = [edit.seal(a_key, frame) for a_key in BOTH for frame in SRH_FIRST]
SEALED_INSIDE = [sealed_inside(a_key, more) for a_key in BOTH for more in (1, 0)]
CUT_CHAIN = [
    srh_inside(0, 1, build.srh(path(2))[:length]) for length in (0, 7, 8, 16, 32)
] + [srh_inside(0, 1, build.destination(ROUTING) + build.srh(path(2))[:8], DESTINATION)]
# Next Header of the Fragment header, and where the piece begins, in units of 8 octets.
LATER = [
    srh_inside(offset, more, DATA, kind)
    for kind in (ROUTING, DESTINATION, build.HOP_BY_HOP, UDP, 6, 58, 41, 50)
    for offset, more in ((1, 1), (2, 1), (3, 1), (3, 0), (64, 1), (8191, 0))
]
ELSEWHERE = [
    build.frame(build.fragment(UDP, offset=3) + DATA, 44, target="2001:db8:e::1"),
    build.frame(build.fragment(ROUTING, offset=1) + DATA, 44, target="2001:db8:e::1"),
]

CASES = [
    Case(
        "fragments",
        "Pieces with the SRH in front are verified like any packet; the SRH inside a first\n"
        "fragment, too.",
        require(*BOTH),
        SEALED_FIRST + SEALED_INSIDE,
    ),
    Case(
        "fragments-strip",
        "An SRH inside a fragment of several keeps its size: not stripped, dropped. One in\n"
        "front of the Fragment header can change.",
        require(*BOTH, strip=True),
        SEALED_FIRST + SEALED_INSIDE,
    ),
    Case(
        "fragments-insert",
        "The same of an insertion.",
        insert(RFC_SHA256),
        SRH_FIRST + [srh_inside(0, more, build.srh(path(2)) + DATA) for more in (0, 1)],
    ),
    Case(
        "fragments-fill",
        "An HMAC TLV that is there already is filled in a fragment, too: its size stays.",
        insert(LINUX_SHA256),
        [
            put(frame, parse.find(frame).hmac + 8, b"\0" * 32)
            for frame in [sealed_inside(LINUX_SHA256, more) for more in (0, 1)]
        ],
    ),
    Case(
        "fragments-cut-chain",
        "A first fragment whose header chain goes on in the next piece cannot be judged.",
        if_present(*BOTH),
        CUT_CHAIN,
    ),
    Case(
        "fragments-later",
        "Later fragments pass: their first one was judged.",
        require(*BOTH),
        LATER + ELSEWHERE,
    ),
    Case(
        "fragments-later-protected",
        "To a protected prefix they do not, when the first cannot have shown an SRH: behind the\n"
        "Fragment header comes an upper-layer protocol, or fewer than 24 octets came before.",
        require(*BOTH, sids=PROTECTED),
        LATER + ELSEWHERE,
    ),
    Case(
        "fragments-later-if-present",
        "if-present does not ask for an SRH.",
        if_present(*BOTH, sids=PROTECTED),
        LATER + ELSEWHERE,
    ),
]
