# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of fuzz_srh.c: one octet of options, then a frame."""

from packets import (
    AUTH,
    DEST,
    ESP,
    FRAGMENT,
    HOP,
    MOBILITY,
    NONE,
    ROUTING,
    auth,
    ether,
    fragment,
    hmac_tlv,
    ipv6,
    options,
    routing,
    srh,
)

UNKNOWN = b"\x7c\x06unkown"
FIX_LENGTH = b"\x01"
AS_IS = b"\x00"


def frames():
    one = (ROUTING, srh(1))
    sealed = (ROUTING, srh(2, hmac_tlv(), left=1, flags=8))
    yield "plain", ipv6([one])
    yield "hmac-linux", ipv6([sealed], 41, ipv6([]))
    yield "hmac-rfc", ipv6([(ROUTING, srh(2, hmac_tlv(d_bit=True), left=2))])
    yield "hmac-short", ipv6([(ROUTING, srh(1, hmac_tlv(30) + UNKNOWN))])
    yield "hmac-tiny", ipv6([(ROUTING, srh(1, b"\x05\x05" + bytes(6)))])
    yield "hmac-twice", ipv6([(ROUTING, srh(1, hmac_tlv() + hmac_tlv(14)))])
    yield "hmac-hidden", ipv6([(ROUTING, srh(1, b"\x7c\x2e" + bytes(6) + hmac_tlv(), flags=8))])
    yield "pads", ipv6([(ROUTING, srh(2, bytes(3) + b"\x04\x03\1\2\3" + UNKNOWN + hmac_tlv()))])
    yield "overrun", ipv6([(ROUTING, srh(2, b"\x7c\x07" + bytes(6)))])
    yield "lone-octet", ipv6([(ROUTING, srh(2, b"\x7c\x05" + bytes(5) + b"\x01"))])
    yield "many-tlvs", ipv6([(ROUTING, srh(1, b"\x7c\x00" * 64 + hmac_tlv()))])
    yield "full", ipv6([(ROUTING, srh(125, hmac_tlv(), left=124, flags=8))])
    yield "no-room", ipv6([(ROUTING, srh(127, left=127))])
    yield "left", ipv6([(ROUTING, srh(2, left=3))])
    yield "last", ipv6([(ROUTING, srh(2, last=2))])
    yield "short-header", ipv6([(ROUTING, srh(0, last=0))])
    yield "cut", ipv6([(ROUTING, srh(2, hdr_ext_len=20))])
    yield "no-srh", ipv6([(HOP, options())], NONE, b"")
    yield "esp", ipv6([], ESP, bytes([43]) + srh(1))
    yield "before", ipv6([(HOP, options(16)), (DEST, options()), (AUTH, auth(24)), sealed])
    yield "behind", ipv6([sealed, (DEST, options(24)), (AUTH, auth(12)), (MOBILITY, routing(1))])
    yield "chain-of-9", ipv6([(DEST, options())] * 8 + [one])
    yield "chain-of-2", ipv6([(DEST, options(248)), sealed, (DEST, options(256))])
    yield "second-srh", ipv6([one, (DEST, options()), one])
    yield "type-2-before", ipv6([(ROUTING, routing(2, 24)), one])
    yield "type-0-alone", ipv6([(ROUTING, routing(0, 24))])
    yield "first-fragment", ipv6([(FRAGMENT, fragment(0, 1)), sealed])
    yield "atomic-fragment", ipv6([(FRAGMENT, fragment(0, 0)), sealed])
    yield "later-fragment", ipv6([(DEST, options()), (FRAGMENT, fragment(1280, 1))], 43)
    yield "srh-and-fragment", ipv6([one, (FRAGMENT, fragment(1280, 0))], 43)


def seeds():
    for name, packet in frames():
        yield name, FIX_LENGTH + ether() + packet
    sealed = ipv6([(ROUTING, srh(3, hmac_tlv(), left=2, flags=8))])
    yield "vlan", FIX_LENGTH + ether(0x8100) + sealed
    yield "qinq", FIX_LENGTH + ether(0x88A8, 0x8100) + sealed
    yield "three-tags", FIX_LENGTH + ether(0x8100, 0x8100, 0x9100) + sealed
    yield "ipv4", AS_IS + ether(kind=0x0800) + bytes(46)
    yield "version-4", AS_IS + ether() + b"\x45" + sealed[1:]
    yield "padding", b"\x07" + ether() + sealed + bytes(6)
    yield "payload-0", AS_IS + ether() + ipv6([(ROUTING, srh(1))], length=0)
    yield "payload-max", b"\x11" + ether() + ipv6([(ROUTING, srh(1))])
    # As long as a chain may be, and one header more.
    long = [(DEST, bytes([254]) + bytes(2038)), (ROUTING, srh(122, hmac_tlv(), flags=8))]
    yield "long-chain", FIX_LENGTH + ether() + ipv6(long)
    yield "too-long-chain", FIX_LENGTH + ether() + ipv6(long[:1] + [(HOP, options(64))] + long[1:])
    yield "empty", b""
