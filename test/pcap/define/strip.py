# SPDX-License-Identifier: BSD-3-Clause
"""HMAC TLVs of verified packets taken out."""

from oracle import build, edit, gateway, mac
from pcap.case import (
    BOTH,
    KEYS,
    LINUX_SHA256,
    RFC_SHA256,
    Case,
    if_present,
    key,
    path,
    put,
    require,
    sealed,
)
from pcap.define.insert import WITH_TLVS
from pcap.define.verify import OTHER_TLVS, among_tlvs

CASES = [
    Case(
        f"strip-{profile}-{algorithm}",
        "Verified and stripped, packets are what they were before they were sealed.",
        require(key(profile, algorithm), strip=True),
        [
            sealed(key(profile, algorithm), path(count), left=count // 2)
            for count in range(1, 11)
        ],
    )
    for profile in mac.PROFILES
    for algorithm in mac.ALGORITHMS
]
CASES += [
    Case(
        "strip-tlvs",
        "Other TLVs stay, before and behind.",
        require(*BOTH, strip=True),
        [edit.seal(a_key, frame) for a_key in BOTH for frame in WITH_TLVS]
        + [among_tlvs(RFC_SHA256, before, after) for before in OTHER_TLVS for after in OTHER_TLVS],
    ),
    Case(
        "strip-flags",
        "linux clears Flags 0x08 and leaves the others; rfc8754 leaves all.",
        require(*BOTH, strip=True),
        [
            sealed(a_key, path(2), flags=flags)
            for a_key in BOTH
            for flags in (0x00, 0x08, 0x20, 0xFF)
        ],
    ),
    Case(
        "strip-vlan",
        "The layer-2 header moves with the packet.",
        require(*BOTH, strip=True),
        [sealed(a_key, path(2), vlans=vlans) for a_key in BOTH for vlans in ((5,), (5, 6))],
    ),
    Case(
        "strip-padding",
        "What stands behind the IPv6 packet in the frame stays there.",
        require(*BOTH, strip=True),
        [sealed(a_key, path(1)) + bytes(range(9)) for a_key in BOTH],
    ),
    Case(
        "strip-unverified",
        "Only what was verified is stripped.",
        if_present(*KEYS, strip=True),
        [
            build.routed(path(2)),
            put(sealed(LINUX_SHA256, path(2)), 14 + 40 + 5, b"\0"),
            sealed(RFC_SHA256, path(2)),
            put(sealed(RFC_SHA256, path(2)), 14 + 8, b"\xee"),
        ],
    ),
    Case(
        "strip-verify-off",
        "Without verification nothing is.",
        gateway.Config(keys=KEYS, strip=True),
        [sealed(a_key, path(2)) for a_key in KEYS],
    ),
]
