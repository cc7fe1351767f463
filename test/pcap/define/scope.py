# SPDX-License-Identifier: BSD-3-Clause
"""Protected prefixes: only packets into them are judged."""

from oracle import build, gateway
from pcap.case import (
    BOTH,
    LINUX_SHA256,
    RFC_SHA256,
    Case,
    if_present,
    path,
    put,
    require,
    sealed,
)

# Inside, outside, and right at the edges of prefixes of lengths that are no multiple of 8.
SIDS = ("fc00:b::/32", "2001:db8:5000::/36", "2001:db8:7::7/128", "2001:db8:8:8000::/49")
INSIDE = ("fc00:b::", "fc00:b:ffff::1", "2001:db8:5fff:ffff::", "2001:db8:7::7", "2001:db8:8:ffff::")
OUTSIDE = (
    "fc00:a:ffff:ffff::",
    "fc00:c::",
    "2001:db8:6000::",
    "2001:db8:7::6",
    "2001:db8:8:7fff::",
    "::",
    "ff02::1",
)
UNSEALED = [build.routed(path(2), target=target) for target in INSIDE + OUTSIDE]
NO_SRH = [
    build.frame(build.udp(), build.UDP_NEXT, target=target) for target in INSIDE + OUTSIDE
]
BROKEN = [
    frame
    for target in (INSIDE[0], OUTSIDE[0])
    for frame in (
        build.routed(path(2), left=9, target=target),
        build.routed(path(2), tlvs=b"\x7c\xff" + b"v" * 6, target=target),
        build.routed(path(2), target=target)[:80],
        build.routed(path(2), target=target)[:50],
    )
]
WRONG = [put(sealed(a_key, path(2)), 14 + 8, b"\xee") for a_key in BOTH]
ALL = UNSEALED + NO_SRH + BROKEN + WRONG + [sealed(a_key, path(2)) for a_key in BOTH]

CASES = [
    Case(
        "scope-require",
        "To a protected prefix a right HMAC is asked for, and an SRH at all (drop no_srh). The\n"
        "rest passes as it is, however wrong: out_of_scope.",
        require(*BOTH, sids=SIDS),
        ALL,
    ),
    Case("scope-if-present", "The same in if-present.", if_present(*BOTH, sids=SIDS), ALL),
    Case(
        "scope-verify-off",
        "Protected prefixes are a matter of verification: without it nothing is looked at.",
        gateway.Config(keys=BOTH, sids=SIDS),
        ALL,
    ),
    Case(
        "scope-insert",
        "Insertion goes by the SRH, not by the destination. What cannot be sealed does not leave\n"
        "a port that seals.",
        require(*BOTH, sids=SIDS, insert=RFC_SHA256.id),
        ALL,
    ),
    Case(
        "scope-all",
        "::/0 protects everything.",
        require(*BOTH, sids=("::/0",), strip=True),
        ALL,
    ),
    Case(
        "scope-nested",
        "A prefix inside another, and a host inside that.",
        require(
            LINUX_SHA256, sids=("fc00::/8", "fc00:b::/32", "fc00:b:1::1/128", "fd00::/8")
        ),
        ALL,
    ),
]
