# SPDX-License-Identifier: BSD-3-Clause
"""Right HMACs, and wrong ones."""

from oracle import build, edit, mac, parse
from pcap.case import (
    BOTH,
    KEYS,
    LINUX_SHA1,
    LINUX_SHA256,
    RFC_SHA1,
    RFC_SHA256,
    Case,
    if_present,
    key,
    path,
    put,
    require,
    sealed,
)


def everywhere(a_key):
    """Sealed packets of 1 to 10 segments, as they are seen along the path."""
    return [sealed(a_key, path(n), left=n // 2) for n in range(1, 11)]


def changed(a_key):
    """One octet of each thing that the HMAC covers, each in its own packet."""
    frame = sealed(a_key, path(3), tag=0x1234)
    found = parse.find(frame)
    places = [found.ip + 8, found.ip + 23, found.srh + 5]
    places += [found.srh + 8 + 16 * n + 15 for n in range(3)]
    places += range(found.hmac + 8, found.hmac + 8 + a_key.field)
    if a_key.profile == mac.RFC8754:
        places.append(found.hmac + 3)
    # The active segment is in DA, too; RFC 8754 has that checked first.
    return [put(frame, at, bytes([frame[at] ^ 0x40])) for at in places]


def uncovered(a_key):
    """What the HMAC does not cover may change on the way."""
    frame = sealed(a_key, path(3), tag=0x1234)
    found = parse.find(frame)
    return [
        put(frame, found.ip + 7, b"\x05"),  # hop limit
        put(frame, found.ip + 1, b"\x05\x43\x21"),  # traffic class and flow label
        put(frame, found.srh + 6, b"\x43\x21"),  # tag
        put(frame, len(frame) - 3, b"xyz"),  # payload
        # One segment further: DA and Segments Left.
        put(put(frame, found.srh + 3, b"\x01"), found.ip + 24, found.segment(1)),
        put(put(frame, found.srh + 3, b"\x00"), found.ip + 24, found.segment(0)),
    ]


def wrong_place(frame):
    """DA is not the active segment."""
    return put(frame, parse.find(frame).ip + 24, build.address("2001:db8:dead::1"))


def with_dres(a_key, frame, dres):
    """Sealed over these D and reserved bits."""
    found = parse.find(frame)
    return edit.with_tag(a_key, put(frame, found.hmac + 2, dres.to_bytes(2, "big")))


REDUCED_RFC = edit.seal(RFC_SHA256, build.reduced(path(3)))
EACH_KEY = tuple(
    key(profile, algorithm, number)
    for number, algorithm in enumerate(mac.ALGORITHMS, 11)
    for profile in mac.PROFILES
)
ZERO_TAIL = [
    put(frame, at, b"\x01")
    for a_key in (LINUX_SHA1, RFC_SHA1)
    for frame in [sealed(a_key, path(2))]
    for hmac in [parse.find(frame).hmac]
    for at in range(hmac + 28, hmac + 8 + a_key.field)
]
OTHER_TLVS = [
    build.padn(6),
    build.pad1(8),
    build.unknown(0x7C, b"vendor"),
    build.unknown(0x7C, b"") + build.padn(4),
    build.pad1(3) + build.padn(3),
    build.padn(6) + build.unknown(0x80, b"0123456789abcd"),
]


def among_tlvs(a_key, before, after):
    """The HMAC TLV between others."""
    tlv = mac.tlv(a_key.id, b"\0" * a_key.field)
    flags = mac.FLAG_LINUX if a_key.profile == mac.LINUX else 0
    return edit.with_tag(a_key, build.routed(path(3), flags=flags, tlvs=before + tlv + after))


CASES = [
    Case(
        f"verify-{profile}-{algorithm}",
        f"Packets of 1 to 10 segments that hmac made {algorithm} HMACs for pass unchanged.",
        require(key(profile, algorithm)),
        everywhere(key(profile, algorithm)),
    )
    for profile in mac.PROFILES
    for algorithm in mac.ALGORITHMS
]
CASES += [
    Case(
        f"changed-{a_key.profile}",
        "Any change to what the HMAC covers, and to the HMAC, is seen.",
        require(a_key),
        changed(a_key),
    )
    for a_key in BOTH
]
CASES += [
    Case(
        "uncovered-fields",
        "What the HMAC does not cover may change: hop limit, flow label, tag, payload, and the\n"
        "progress along the path.",
        require(*BOTH),
        [frame for a_key in BOTH for frame in uncovered(a_key)],
    ),
    Case(
        "sha1-zero-tail",
        "The zeroes behind a SHA-1 HMAC are compared, too: each octet of them changed in turn.",
        require(*KEYS),
        ZERO_TAIL,
    ),
    Case(
        "many-keys",
        "Each packet is checked by the key that its Key ID names.",
        if_present(*EACH_KEY),
        [sealed(a_key, path(n)) for n in (1, 2, 3) for a_key in EACH_KEY],
    ),
    Case(
        "key-unknown",
        "A Key ID that no key has, 0 among them; of a TLV of any length that RFC 8754 allows.",
        if_present(*KEYS),
        [
            build.routed(path(2), flags=flags, tlvs=mac.tlv(number, b"\x5a" * field))
            for number in (0, 1, 0xFFFFFFFF)
            for flags in (0, mac.FLAG_LINUX)
            for field in (8, 16, 24, 32)
        ],
    ),
    Case(
        "da-mismatch",
        "rfc8754: the destination must be the active segment, or D set on a reduced SRH at its\n"
        "source. The first three packets are right.",
        require(*KEYS),
        [
            REDUCED_RFC,
            sealed(RFC_SHA256, path(3), left=0),
            with_dres(RFC_SHA256, sealed(RFC_SHA256, path(3)), mac.D_BIT),
            wrong_place(sealed(RFC_SHA256, path(3))),
            wrong_place(with_dres(RFC_SHA256, sealed(RFC_SHA256, path(3)), mac.D_BIT)),
            with_dres(RFC_SHA256, REDUCED_RFC, 0),
            with_dres(RFC_SHA256, REDUCED_RFC, 0x7FFF),
            # Segments Left moved on, destination not.
            put(sealed(RFC_SHA256, path(3)), 14 + 40 + 3, b"\x01"),
        ],
    ),
    Case(
        "linux-ignores-da",
        "linux: no look at the destination, nor at D and the reserved bits.",
        require(*KEYS),
        [
            wrong_place(sealed(LINUX_SHA256, path(3))),
            edit.seal(LINUX_SHA256, build.reduced(path(3))),
            put(sealed(LINUX_SHA256, path(3)), 14 + 40 + 8 + 48 + 2, b"\xff\xff"),
        ],
    ),
    Case(
        "reserved-bits",
        "rfc8754: the reserved bits are covered as they are.",
        require(*KEYS),
        [with_dres(RFC_SHA256, sealed(RFC_SHA256, path(2)), dres) for dres in (1, 0x1234, 0x7FFF)],
    ),
    Case(
        "linux-flag-clear",
        "linux: without Flags 0x08 there is no HMAC, whatever the TLVs say.",
        if_present(*KEYS),
        [
            put(sealed(a_key, path(3)), 14 + 40 + 5, b"\0")
            for a_key in (LINUX_SHA256, LINUX_SHA1)
        ],
    ),
    Case(
        "linux-flag-clear-require",
        "So require drops it.",
        require(*KEYS),
        [put(sealed(LINUX_SHA256, path(3)), 14 + 40 + 5, b"\0")],
    ),
    Case(
        "linux-not-last",
        "linux: an HMAC TLV that is not the last 40 octets is none.",
        require(*KEYS),
        [among_tlvs(LINUX_SHA256, b"", build.padn(6))],
    ),
    Case(
        "linux-other-flags",
        "linux: other flags are covered as they are.",
        require(*KEYS),
        [sealed(LINUX_SHA256, path(2), flags=flags) for flags in (0x20, 0xF7, 0x01)],
    ),
    Case(
        "other-profile",
        "A key verifies its own construction only: HMACs of the same secret made the other way.",
        require(*BOTH),
        [
            sealed(mac.Key(RFC_SHA256.id, "sha256", mac.LINUX, RFC_SHA256.secret), path(2)),
            sealed(
                mac.Key(LINUX_SHA256.id, "sha256", mac.RFC8754, LINUX_SHA256.secret),
                path(2),
                flags=mac.FLAG_LINUX,
            ),
            sealed(mac.Key(LINUX_SHA256.id, "sha256", mac.RFC8754, LINUX_SHA256.secret), path(2)),
        ],
    ),
    Case(
        "other-tlvs",
        "HMAC TLVs among Pad1, PadN and unknown ones: last for linux, aligned for rfc8754.",
        require(*BOTH),
        [among_tlvs(a_key, others, b"") for a_key in BOTH for others in OTHER_TLVS]
        + [among_tlvs(RFC_SHA256, b"", others) for others in OTHER_TLVS],
    ),
    Case(
        "good-among-bad",
        "In one burst, each packet gets its own verdict and the good ones keep their order.",
        require(*KEYS),
        [
            frame
            for n in range(1, 40)
            for frame in [sealed(KEYS[n % 4], path(n % 10 + 1), payload=bytes([n]))]
            for frame in ([frame] if n % 3 else [put(frame, 14 + 8 + n % 16, b"\xee"), frame])
        ],
    ),
    Case(
        "from-peer",
        "The same from the other side: port 1 verifies, port 0 sends.",
        require(*KEYS),
        [sealed(a_key, path(2)) for a_key in KEYS] + [build.routed(path(2))],
        from_peer=True,
    ),
]
