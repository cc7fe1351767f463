# SPDX-License-Identifier: BSD-3-Clause
"""HMAC TLVs put into packets."""

from oracle import build, edit, gateway, mac, parse
from pcap.case import (
    BOTH,
    KEYS,
    LINUX_SHA256,
    RFC_SHA1,
    RFC_SHA256,
    Case,
    if_present,
    insert,
    key,
    path,
    put,
    sealed,
)
from pcap.define.plain import NO_SRH, NOT_IPV6

TLVS = [
    build.padn(6),
    build.pad1(8),
    build.unknown(0x7C, b"vendor"),
    build.pad1(3) + build.padn(3),
    build.unknown(0x80, b"v" * 250) + build.pad1(4),
]
WITH_TLVS = [build.routed(path(count), tlvs=tlvs) for count in (1, 3) for tlvs in TLVS]
FULL_SIZE = [
    build.routed(path(count), payload=bytes(1500 - 40 - 8 - 16 * count)) for count in (1, 3, 10)
]


def to_fill(a_key, field=None, number=None, dres=0, value=None, before=b"", flags=0):
    """A packet with room for the HMAC that a_key makes."""
    value = b"\0" * (a_key.field if field is None else field) if value is None else value
    tlv = mac.tlv(a_key.id if number is None else number, value, dres)
    odd = -(len(before) + len(tlv)) % 8
    after = build.padn(odd - 2) if odd else b""
    return build.routed(path(3), flags=flags, tlvs=before + tlv + after)


def zeroed(a_key, frame):
    """A sealed packet whose HMAC was wiped: filling gives it back."""
    found = parse.find(frame)
    return put(frame, found.hmac + 8, b"\0" * a_key.field)


def filling(a_key):
    right = [
        to_fill(a_key),
        to_fill(a_key, before=build.padn(6)),
        to_fill(a_key, flags=mac.FLAG_LINUX),
        # What stands in D and the reserved bits is ours to say.
        to_fill(a_key, dres=0xFFFF),
        zeroed(a_key, sealed(a_key, path(3))),
        zeroed(a_key, edit.seal(a_key, build.reduced(path(3)))),
    ]
    misfits = [to_fill(a_key, field=field) for field in (0, 8, 16, 40)]
    misfits.append(to_fill(a_key, before=build.padn(2)))
    return right + misfits


def long_srh(count, tlvs=b"", payload=b"p" * 32):
    """SRHs as long as they can be; the segments count up to 127."""
    return build.routed(path(count), left=0, tlvs=tlvs, payload=payload)


BY_ROOM = [
    long_srh(124),
    long_srh(125),
    long_srh(126),  # 2024 octets: 24 are left
    long_srh(127),
    long_srh(125, tlvs=build.padn(6)),
    # 64 TLVs are as many as are ever walked.
    long_srh(1, tlvs=(build.unknown(0x7C, b"123456") * 63)),
    long_srh(1, tlvs=(build.unknown(0x7C, b"123456") * 64)),
]


def with_payload(total):
    """A packet whose IPv6 Payload Length is total."""
    return build.routed(path(2), payload=bytes(total - 40))


LENGTHS = [with_payload(total) for total in (9000 - 40, 65535 - 40, 65535 - 39, 65535)]
MTU = 1500
AROUND_MTU = [
    build.routed(path(2), vlans=vlans, payload=bytes(MTU - 40 - 40 - more))
    for more in (41, 40, 39, 33, 32, 31, 0)
    for vlans in ((), (5,), (5, 6))
]

CASES = [
    Case(
        f"insert-{profile}-{algorithm}",
        f"Packets of 1 to 10 segments sealed with {algorithm}.",
        insert(key(profile, algorithm)),
        [build.routed(path(count), left=count // 2) for count in range(1, 11)],
    )
    for profile in mac.PROFILES
    for algorithm in mac.ALGORITHMS
]
CASES += [
    Case(
        f"insert-tlvs-{a_key.profile}",
        "linux puts the HMAC TLV last, rfc8754 right behind the segment list.",
        insert(a_key),
        WITH_TLVS,
    )
    for a_key in BOTH
]
CASES += [
    Case(
        f"insert-fill-{a_key.profile}",
        "An HMAC TLV of this Key ID with an all-zero HMAC is filled in place, if it has the form\n"
        "that the key's profile needs.",
        insert(a_key),
        filling(a_key),
    )
    for a_key in BOTH
]
CASES += [
    Case(
        "insert-fill-sha1",
        "rfc8754 with SHA-1 has an HMAC of 24 octets.",
        insert(RFC_SHA1),
        filling(RFC_SHA1),
    ),
    Case(
        "insert-reduced",
        "A reduced SRH at its source has SL > LE: rfc8754 sets D, linux knows no D.",
        insert(RFC_SHA256),
        [build.reduced(path(count)) for count in range(2, 6)],
    ),
    Case(
        "insert-reduced-linux",
        "The same by the linux profile.",
        insert(LINUX_SHA256),
        [build.reduced(path(count)) for count in range(2, 6)],
    ),
    Case(
        "insert-flags",
        "rfc8754 clears Flags 0x08, which goes with Linux's HMAC alone, and leaves the others.",
        insert(RFC_SHA256),
        [build.routed(path(2), flags=flags) for flags in (0x00, 0x08, 0x20, 0xFF)],
    ),
    Case(
        "insert-flags-linux",
        "linux sets Flags 0x08 and leaves the others.",
        insert(LINUX_SHA256),
        [build.routed(path(2), flags=flags) for flags in (0x00, 0x08, 0x20, 0xFF)],
    ),
    Case(
        "already-sealed",
        "What has an HMAC, right or wrong, ours or not, passes unchanged.",
        insert(RFC_SHA256, *KEYS[:2]),
        [
            *[sealed(a_key, path(2)) for a_key in KEYS],
            to_fill(RFC_SHA256, value=b"\0" * 31 + b"\1"),
            to_fill(RFC_SHA256, number=4711),
            to_fill(LINUX_SHA256),
            put(sealed(RFC_SHA256, path(2)), 14 + 8, b"\xee"),
        ],
    ),
    Case(
        "already-sealed-verified",
        "Verified packets are sealed already; unsealed ones are sealed with the port's key.",
        if_present(*KEYS, insert=RFC_SHA256.id),
        [sealed(a_key, path(2)) for a_key in KEYS]
        + [build.routed(path(2)), put(sealed(KEYS[0], path(3)), 14 + 40 + 5, b"\0")],
    ),
    Case(
        "insert-others",
        "What is not IPv6 or has no SRH passes a port that only seals.",
        insert(RFC_SHA256),
        NOT_IPV6 + NO_SRH,
    ),
    Case(
        "insert-malformed",
        "A malformed SRH cannot be sealed, and what is unsealed does not leave.",
        insert(RFC_SHA256),
        [
            build.routed(path(2), left=9),
            build.routed(path(2), last=9),
            build.routed(path(2), tlvs=b"\x7c\x07vendor"),
            build.routed(path(2))[:-40],
            build.routed(path(2), tlvs=mac.tlv(1, b"5" * 32) * 2),
            build.routed(path(2), tlvs=mac.tlv(1, b"5" * 32, length=5)),
        ],
    ),
    Case(
        "insert-full-size",
        "Packets of 1500 octets, which grow past that, with no MTU set.",
        insert(LINUX_SHA256),
        FULL_SIZE,
    ),
    Case(
        "insert-mtu",
        "With one set, what would pass it is dropped as too_big; tags do not count.",
        insert(RFC_SHA256, mtu=MTU),
        AROUND_MTU,
    ),
    Case(
        "insert-mtu-sha1",
        "The TLV of SHA-1 is 8 octets shorter.",
        insert(RFC_SHA1, mtu=MTU),
        AROUND_MTU,
    ),
    Case(
        "insert-long",
        "125 segments leave room for 40 octets, 126 do not: srh_full.",
        insert(LINUX_SHA256),
        BY_ROOM,
    ),
    Case(
        "insert-long-rfc8754",
        "The same of rfc8754.",
        insert(RFC_SHA256),
        BY_ROOM,
    ),
    Case(
        "insert-long-sha1",
        "And with a TLV of 32 octets.",
        insert(RFC_SHA1),
        BY_ROOM,
    ),
    Case(
        "insert-jumbo",
        "Payload Length can count to 65535: too_big beyond.",
        insert(LINUX_SHA256),
        LENGTHS,
    ),
    Case(
        "insert-key-unknown",
        "The port's key does not exist: nothing with an SRH leaves unsealed. What has another\n"
        "key's HMAC, right or wrong, is sealed already.",
        gateway.Config(keys=BOTH, insert=31337),
        [
            build.routed(path(2)),
            *NO_SRH,
            *NOT_IPV6,
            *[sealed(a_key, path(2)) for a_key in BOTH],
            to_fill(RFC_SHA256, number=31337),
            to_fill(RFC_SHA256),
        ],
    ),
    Case(
        "insert-from-peer",
        "Port 1 seals what it receives.",
        insert(LINUX_SHA256),
        [build.routed(path(2)), sealed(LINUX_SHA256, path(2))],
        from_peer=True,
    ),
]
