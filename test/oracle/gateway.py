# SPDX-License-Identifier: BSD-3-Clause
"""What the gateway does to the frames that come in by one port, and how it counts them."""

from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network

from oracle import edit, mac, parse

OFF, IF_PRESENT, REQUIRE = "off", "if-present", "require"
HMAC_LENGTHS = (14, 22, 30, 38)

EVENTS = ("rx", "tx", "inserted", "stripped", "already_sealed")
PASSES = ("verified", "not_ipv6", "no_srh", "out_of_scope", "unchecked", "no_hmac")
DROPS = (
    "srh_truncated",
    "srh_malformed",
    "tlv_malformed",
    "hmac_missing",
    "hmac_malformed",
    "hmac_duplicate",
    "key_unknown",
    "da_mismatch",
    "hmac_mismatch",
    "no_srh",
    "second_routing_header",
    "srh_full",
    "too_big",
    "tx_full",
    "no_buffer",
    "insert_key_unknown",
    "fragmented",
)


@dataclass
class Config:
    """Keys, protected prefixes, and the settings of the port that frames come in by."""

    keys: tuple = ()
    verify: str = OFF
    strip: bool = False
    insert: int = 0
    sids: tuple = ()
    mtu: int = 0  # of the peer port; 0 = no limit

    def key(self, number):
        return next((key for key in self.keys if key.id == number), None)

    def protects(self, target):
        address = IPv6Address(target)
        return any(address in IPv6Network(prefix) for prefix in self.sids)


class Dropped(Exception):
    """A frame goes no further; the argument is the reason."""


@dataclass
class Counters:
    events: dict = field(default_factory=lambda: dict.fromkeys(EVENTS + PASSES, 0))
    drops: dict = field(default_factory=lambda: dict.fromkeys(DROPS, 0))

    def json(self):
        """The object that segseal --replay --json prints."""
        return {**self.events, "drops": self.drops}


def gateway(config, frames):
    """The frames that leave by the peer port, in order, and the counters."""
    counters = Counters()
    out = []
    for frame in frames:
        counters.events["rx"] += 1
        try:
            frame, passed, happened = one_frame(config, frame)
        except Dropped as reason:
            counters.drops[str(reason)] += 1
            continue
        out.append(frame)
        for name in ("tx", passed, *happened):
            counters.events[name] += 1
    return out, counters


def one_frame(config, frame):
    if config.verify == OFF and not config.insert:
        return frame, "unchecked", []
    happened = []
    passed, key = verdict(config, parse.find(frame))
    if passed == "verified" and config.strip:
        if parse.find(frame).in_pieces:
            raise Dropped("fragmented")
        frame = edit.strip(key, frame)
        happened.append("stripped")
    if config.insert:
        frame, what = inserted(config, frame)
        happened += what
    return frame, passed, happened


def verdict(config, found):
    """(pass verdict, key that verified it or None), or Dropped."""
    if found.status == "not_ipv6":
        return "not_ipv6", None
    if found.status not in ("found", "absent", "later_fragment"):
        if config.verify != OFF and out_of_scope(config, found) and not config.insert:
            return "out_of_scope", None
        raise Dropped(found.status)
    if config.verify == OFF:
        return ("unchecked" if found.status == "found" else "no_srh"), None
    if out_of_scope(config, found):
        return "out_of_scope", None
    if found.status != "found":
        if config.verify == REQUIRE and config.sids and not harmless_fragment(found):
            raise Dropped("no_srh")
        return "no_srh", None

    key = None
    if found.hmac:
        key = config.key(found.hmac_key)
        if key is None:
            possible = found.hmac_length in HMAC_LENGTHS and found.hmac_aligned
            raise Dropped("key_unknown" if possible else "hmac_malformed")
    if key is None or (key.profile == mac.LINUX and not found.linux_hmac):
        if config.verify == REQUIRE:
            raise Dropped("hmac_missing")
        return "no_hmac", None
    check_hmac(key, found)
    return "verified", key


def out_of_scope(config, found):
    return bool(config.sids and found.ip and not config.protects(found.target))


def harmless_fragment(found):
    """Whether a later fragment's first fragment has been judged by its SRH."""
    if found.status != "later_fragment":
        return False
    return found.fragment_next in parse.EXTENSION_HEADERS and found.fragment_offset >= 24


def check_hmac(key, found):
    if key.profile == mac.RFC8754:
        if not found.hmac_aligned or found.hmac_length != key.tlv_length:
            raise Dropped("hmac_malformed")
        if found.left > found.last:
            good = bool(found.hmac_dres & mac.D_BIT)
        else:
            good = found.target == found.segment(found.left)
        if not good:
            raise Dropped("da_mismatch")
    if found.hmac_value != edit.expected_tag(key, found):
        raise Dropped("hmac_mismatch")


def without_foreign_flag(key, frame):
    """Linux's flag does not stay with an HMAC that is not of Linux's construction."""
    if key.profile == mac.LINUX:
        return frame
    found = parse.find(frame)
    return edit.with_flags(found, frame, found.flags & ~mac.FLAG_LINUX & 0xFF)


def inserted(config, frame):
    """(frame, events) after the insertion stage."""
    found = parse.find(frame)
    if found.status != "found":
        return frame, []
    key = config.key(config.insert)
    if found.hmac:
        if found.hmac_key != config.insert or any(found.hmac_value):
            return frame, ["already_sealed"]
        if key is None:
            raise Dropped("insert_key_unknown")
        if key.profile == mac.LINUX:
            fits = found.hmac_length == key.tlv_length and found.hmac + 40 == found.srh_end
        else:
            fits = found.hmac_length == key.tlv_length and found.hmac_aligned
        if not fits:
            raise Dropped("hmac_malformed")
        return edit.fill(key, without_foreign_flag(key, frame)), ["inserted"]
    if key is None:
        raise Dropped("insert_key_unknown")
    size = 8 + key.field
    if found.in_pieces:
        raise Dropped("fragmented")
    if (
        found.srh_end - found.srh + size > 2048
        or found.chain_end + size > parse.CHAIN_MAX
        or len(found.tlvs) == parse.TLVS_MAX
    ):
        raise Dropped("srh_full")
    if found.payload_length + size > 0xFFFF:
        raise Dropped("too_big")
    # The link-layer header does not count towards the MTU.
    if config.mtu and len(frame) + size - found.ip > config.mtu:
        raise Dropped("too_big")
    return edit.seal(key, without_foreign_flag(key, frame)), ["inserted"]
