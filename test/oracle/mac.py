# SPDX-License-Identifier: BSD-3-Clause
"""The HMAC TLV as RFC 8754 section 2.1.2 defines it, and as Linux does."""

import hashlib
import hmac
import struct
from dataclasses import dataclass

LINUX = "linux"
RFC8754 = "rfc8754"
PROFILES = (LINUX, RFC8754)
ALGORITHMS = ("sha1", "sha256", "sha384", "sha512")

TYPE = 5
FIELD_MAX = 32
FLAG_LINUX = 0x08
D_BIT = 0x8000


@dataclass(frozen=True)
class Key:
    id: int
    algorithm: str
    profile: str
    secret: bytes

    @property
    def field(self):
        """Octets of HMAC in a TLV: a multiple of 8, and always 32 in Linux's construction."""
        if self.profile == LINUX:
            return FIELD_MAX
        digest = hashlib.new(self.algorithm).digest_size
        return min(FIELD_MAX, (digest + 7) // 8 * 8)

    @property
    def tlv_length(self):
        """What the TLV's Length says: D and reserved bits, Key ID, HMAC."""
        return 6 + self.field


def text(profile, source, last_entry, flags, dres, key_id, segments):
    """The octets that are hashed. segments is the whole list as it lies in the SRH."""
    middle = struct.pack("!H", dres) if profile == RFC8754 else b""
    return source + bytes([last_entry, flags]) + middle + struct.pack("!I", key_id) + segments


def tag(key, source, last_entry, flags, dres, segments):
    """The HMAC field: the digest cut or filled with zeroes to its width."""
    what = text(key.profile, source, last_entry, flags, dres, key.id, segments)
    digest = hmac.new(key.secret, what, getattr(hashlib, key.algorithm)).digest()
    return digest[:FIELD_MAX].ljust(key.field, b"\0")


def tlv(key_id, value, dres=0, length=None):
    """A whole HMAC TLV from its parts; length overrides what Length says, for wrong ones."""
    if length is None:
        length = 6 + len(value)
    return struct.pack("!BBHI", TYPE, length, dres, key_id) + value
