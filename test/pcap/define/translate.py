# SPDX-License-Identifier: BSD-3-Clause
"""verify, strip and insert on one port: from one key or profile to another."""

from oracle import build, edit, mac
from pcap.case import BOTH, KEYS, Case, if_present, key, path, put, require, sealed

TO = {
    profile: key(profile, algorithm, 99)
    for profile, algorithm in ((mac.LINUX, "sha256"), (mac.RFC8754, "sha512"))
}
TLVS = (build.padn(6), build.unknown(0x7C, b"vendor"))


def translation(source, target):
    return Case(
        f"translate-{source.profile}-{target.profile}",
        f"From {source.profile} to {target.profile}: hosts that cannot talk to each other do.",
        require(*KEYS, target, strip=True, insert=target.id),
        [sealed(source, path(count), left=count // 2) for count in range(1, 11)]
        + [edit.seal(source, build.reduced(path(3)))]
        + [sealed(source, path(2), vlans=(9,), tlvs=tlvs) for tlvs in TLVS]
        + [put(sealed(source, path(2)), 14 + 8, b"\xee"), build.routed(path(2))],
    )


CASES = [translation(source, target) for source in BOTH for target in TO.values()]
CASES += [
    Case(
        "translate-back",
        "What the other case made from linux packets, back to linux, from the peer's side.",
        require(*KEYS, TO[mac.RFC8754], strip=True, insert=KEYS[0].id),
        [sealed(TO[mac.RFC8754], path(count), left=count // 2) for count in range(1, 11)],
        from_peer=True,
    ),
    Case(
        "translate-all",
        "if-present seals what has no HMAC, too, and each kind of packet ends with the same key.",
        if_present(*KEYS, TO[mac.RFC8754], strip=True, insert=TO[mac.RFC8754].id),
        [sealed(a_key, path(2)) for a_key in KEYS] + [build.routed(path(2))],
    ),
    Case(
        "translate-key-unknown",
        "Verified and stripped, but the key to seal with is gone: not let out unsealed.",
        require(*BOTH, strip=True, insert=31337),
        [sealed(a_key, path(2)) for a_key in BOTH],
    ),
]
