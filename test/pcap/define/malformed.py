# SPDX-License-Identifier: BSD-3-Clause
"""Headers and TLVs that are not what they claim to be."""

from oracle import build, edit, mac, parse
from pcap.case import (
    BOTH,
    KEYS,
    LINUX_SHA256,
    RFC_SHA1,
    RFC_SHA256,
    Case,
    if_present,
    path,
    put,
    require,
    sealed,
)

SRH = 14 + 40
LENGTH, LEFT, LAST, FLAGS = SRH + 1, SRH + 3, SRH + 4, SRH + 5


def with_tlvs(tlvs, flags=0, count=2):
    return build.routed(path(count), flags=flags, tlvs=tlvs)


def hmac(length=None, number=RFC_SHA256.id, value=b"\x5a" * 32):
    return mac.tlv(number, value, length=length)


def payload_length(frame, length):
    return put(frame, 14 + 4, length.to_bytes(2, "big"))


BOUNDS = [
    build.routed(path(2), left=3),
    build.routed(path(2), left=255),
    build.routed(path(2), last=2),
    build.routed(path(2), last=255, left=0),
    build.routed(path(1), units=0, left=0),
    build.routed(path(1), units=1, left=0),
    put(sealed(LINUX_SHA256, path(3)), LEFT, b"\x04"),
    # Last Entry just inside the TLV is caught by its TLVs, beyond it by its bound.
    put(sealed(RFC_SHA256, path(3)), LAST, b"\x05"),
    put(sealed(RFC_SHA256, path(3)), 14, b"\x40"),  # IP version
]
TLV_OVERRUNS = [
    with_tlvs(build.unknown(0x7C, b"vendo") + b"\x05"),  # the last octet is a TLV of its own
    with_tlvs(bytes([0x7C, 7]) + b"vendor"),
    with_tlvs(bytes([0x7C, 255]) + b"vendor"),
    with_tlvs(build.padn(5) + b"\x04"),
    with_tlvs(build.padn(6) + bytes([0xFF] * 8)),
    with_tlvs(hmac(length=39)),
    with_tlvs(build.pad1(7) + b"\x7c"),
    # 65 TLVs, none of them empty of sense, where 64 is the most that is walked.
    with_tlvs(build.unknown(0x7C, b"ab") * 66),
    with_tlvs((build.pad1() + build.unknown(0x7C, b"")) * 40),
]
HMAC_FORMS = [
    *[with_tlvs(hmac(length=n) + build.padn(6)) for n in (0, 1, 4, 5)],
    # Too short, too long or odd for the key's algorithm and profile.
    *[with_tlvs(hmac(value=b"\x5a" * n)) for n in (8, 16, 24, 40)],
    *[with_tlvs(hmac(value=b"\x5a" * n, number=RFC_SHA1.id)) for n in (8, 16, 32, 40)],
    with_tlvs(hmac(length=36, value=b"\x5a" * 30 + build.pad1(2))),
    # Not aligned to 8 octets.
    with_tlvs(build.padn(2) + hmac() + build.padn(2)),
    with_tlvs(build.pad1(1) + hmac() + build.padn(5)),
    # The same of a key that does not exist: not even its form is right.
    with_tlvs(build.padn(2) + hmac(number=99) + build.padn(2)),
    with_tlvs(hmac(value=b"\x5a" * 40, number=99)),
]
# An HMAC that Linux sees in the last 40 octets, and who walks the TLVs does not.
TWO_READERS = [
    edit.with_flags(parse.find(frame), frame, mac.FLAG_LINUX)
    for frame in (
        with_tlvs(build.unknown(0x7C, b"123456" + hmac(number=LINUX_SHA256.id))),
        with_tlvs(build.padn(4) + bytes([0x7C, 40]) + hmac(number=LINUX_SHA256.id)),
        with_tlvs(
            hmac() + bytes([0x7C, 46]) + b"123456" + hmac(number=LINUX_SHA256.id, value=b"5" * 32)
        ),
    )
]
DUPLICATES = [
    with_tlvs(hmac() + hmac()),
    with_tlvs(hmac() + build.padn(6) + hmac(number=LINUX_SHA256.id), flags=mac.FLAG_LINUX),
    with_tlvs(hmac(number=98) + hmac(number=99)),
    *[
        edit.with_tag(a_key, frame)
        for a_key in BOTH
        for frame in [with_tlvs(mac.tlv(a_key.id, b"\0" * 32) + hmac(number=LINUX_SHA256.id))]
    ],
]


def in_both(name, about, frames):
    """Whatever is malformed is dropped in if-present and in require."""
    return [
        Case(f"{name}", about, require(*KEYS), frames),
        Case(f"{name}-if-present", about, if_present(*KEYS), frames),
    ]


WHOLE = sealed(RFC_SHA256, path(2))
WHOLE_LINUX = build.ethernet((7,)) + sealed(LINUX_SHA256, path(1))[14:]

CASES = [
    *in_both("srh-malformed", "Segments Left, Last Entry, Hdr Ext Len out of bounds.", BOUNDS),
    *in_both("tlv-malformed", "TLVs run past the end of the SRH, or are too many.", TLV_OVERRUNS),
    *in_both("hmac-malformed", "HMAC TLVs of a wrong length or place.", HMAC_FORMS),
    *in_both("two-readers", "One reader would see an HMAC where another does not.", TWO_READERS),
    *in_both("hmac-duplicate", "Two HMAC TLVs, one of them right.", DUPLICATES),
    Case(
        "truncated",
        "A sealed packet cut off behind each of its octets, untagged and tagged: not IPv6 any\n"
        "more, or srh_truncated, until the whole SRH is there.",
        require(*KEYS),
        [frame[:length] for frame in (WHOLE, WHOLE_LINUX) for length in range(1, len(frame) + 1)],
    ),
    Case(
        "payload-length",
        "The packet ends where Payload Length says, whatever the frame holds behind it; a\n"
        "Payload Length beyond the frame adds nothing. A jumbogram (length 0) holds no header.",
        require(*KEYS),
        [payload_length(WHOLE, length) for length in range(0, len(WHOLE) - 54)]
        + [payload_length(WHOLE, 0xFFFF), WHOLE + b"\0" * 46],
    ),
    Case(
        "short-length-field",
        "Hdr Ext Len says less or more than what is there.",
        require(*KEYS),
        [
            put(frame, LENGTH, bytes([units]))
            for frame in (WHOLE, sealed(LINUX_SHA256, path(2)))
            for units in range(0, 14)
        ],
    ),
]
