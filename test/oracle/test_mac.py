# SPDX-License-Identifier: BSD-3-Clause
"""The oracle itself against vectors that others made."""

import json
from ipaddress import IPv6Address
from pathlib import Path

import pytest

from oracle import mac


def packed(text):
    return IPv6Address(text).packed


VECTORS = Path(__file__).resolve().parent.parent / "vectors" / "srh_hmac_vectors.json"


def test_vectors():
    vectors = json.loads(VECTORS.read_text())
    assert len(vectors) >= 48
    for vector in vectors:
        secret = bytes.fromhex(vector["key"])
        key = mac.Key(vector["keyid"], vector["alg"], vector["profile"], secret)
        segments = b"".join(packed(one) for one in vector["segment_list"])
        fields = (packed(vector["src"]), vector["last_entry"], vector["flags"])
        text = mac.text(key.profile, *fields, vector["d_reserved"], key.id, segments)
        assert text.hex() == vector["text"]
        tag = mac.tag(key, *fields, vector["d_reserved"], segments)
        assert mac.tlv(key.id, tag, vector["d_reserved"]).hex() == vector["tlv"]


@pytest.mark.parametrize(
    "algorithm, profile, length",
    [
        ("sha1", "linux", 38),
        ("sha1", "rfc8754", 30),
        ("sha256", "linux", 38),
        ("sha256", "rfc8754", 38),
        ("sha384", "rfc8754", 38),
        ("sha512", "rfc8754", 38),
    ],
)
def test_length(algorithm, profile, length):
    assert mac.Key(1, algorithm, profile, b"k").tlv_length == length
