# SPDX-License-Identifier: BSD-3-Clause
"""
Packets with a segment list that a host would act on, hidden as well as one can: behind VLAN tags
and extension headers, in fragments, under lengths that do not agree. Each asks for an echo from
netlab.SERVICE but is sent to a SID, so that only who acts on the SRH gives the answer.
"""
import random
import socket
import struct

from interop import netlab

HOP_BY_HOP, ROUTING, FRAGMENT, AH, NO_NEXT, OPTIONS, MOBILITY = 0, 43, 44, 51, 59, 60, 135
ECHO_REQUEST, ECHO_REPLY, ICMPV6 = 128, 129, 58
IDENT = 0x5e41
SOURCE, SID, SERVICE = (socket.inet_pton(socket.AF_INET6, address)
                        for address in (netlab.ADDR_A, netlab.sid(1), netlab.SERVICE))


def checksum(data):
    pseudo = SOURCE + SERVICE + struct.pack("!II", len(data), ICMPV6)
    total = sum(struct.unpack(f"!{(len(data) + 40) // 2}H", pseudo + data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def echo(number):
    message = struct.pack("!BBHHHI", ECHO_REQUEST, 0, 0, IDENT, number & 0xffff, number) + bytes(16)
    return message[:2] + struct.pack("!H", checksum(message)) + message[4:]


def answered(frame):
    """The number of the request that a frame of B's answers, or None."""
    if frame[12:14] == b"\x86\xdd" and frame[20] == ICMPV6 and frame[22:38] == SERVICE \
            and frame[54] == ECHO_REPLY and frame[58:60] == struct.pack("!H", IDENT):
        return struct.unpack_from("!I", frame, 62)[0]
    return None


class Hider:
    """Frames from a seed, the same for the same seed."""

    def __init__(self, seed, ethernet):
        self.dice = random.Random(seed)
        self.ethernet = ethernet

    def chance(self, of_one):
        return self.dice.random() < of_one

    def options(self):
        """The body of a Hop-by-Hop or Destination Options header: what a host skips, mostly."""
        some = (b"\0", b"\1\0", b"\1\4abcd", b"\5\2\0\0", b"\x1e\3abc", b"\x3e\0",
                b"\xc2\4\0\1\0\0")
        body = b"".join(self.dice.choices(some, k=self.dice.randrange(3)))
        left = -(len(body) + 2) % 8
        body += bytes(left) if left < 2 else bytes([1, left - 2]) + bytes(left - 2)
        return bytes([(len(body) + 2) // 8 - 1]) + body

    def tlvs(self):
        kind = self.dice.choice(("none", "none", "pad1", "padn", "hmac", "other", "junk"))
        if kind == "none":
            return b""
        if kind == "pad1":
            return bytes(8 * self.dice.randrange(1, 4))
        if kind == "junk":
            return self.dice.randbytes(8 * self.dice.randrange(1, 8))
        number = {"padn": 4, "hmac": 5, "other": 124}[kind]
        data = self.dice.randbytes(self.dice.choice((38, 38, 30, 22, 14, 6, 5, 3)))
        data = bytes([number, len(data)]) + (bytes(len(data)) if kind == "padn" else data)
        return data + bytes(-len(data) % 8)

    def srh(self):
        segments = [SERVICE, SID] + [self.dice.randbytes(16) for _ in range(self.dice.randrange(3))]
        last = len(segments) - 1
        if self.chance(0.15):  # reduced
            segments, last = [SERVICE], 0
        body = b"".join(segments) + self.tlvs()
        length = len(body) // 8
        if self.chance(0.05):
            length += self.dice.choice((-1, 1))
        if self.chance(0.05):
            last = self.dice.choice((0, 255, last + 1))
        flags = self.dice.choice((0, 0, 8, 8, 0x20, 255))
        return bytes([length, 4, 1, last, flags]) + self.dice.randbytes(2) + body

    def fragment_header(self, field):
        return struct.pack("!BHI", 0, field, self.dice.getrandbits(32))

    def other_routing(self):
        units = self.dice.choice((0, 0, 2))
        kind, left = self.dice.choice((0, 2, 3, 5)), self.dice.choice((0, 0, 0, 1))
        return bytes([units, kind, left]) + bytes(4 + 8 * units)

    def ahead(self):
        """A header before the SRH, without its Next Header."""
        kind = self.dice.choice((HOP_BY_HOP, OPTIONS, OPTIONS, ROUTING, FRAGMENT, AH, MOBILITY))
        if kind in (HOP_BY_HOP, OPTIONS):
            return kind, self.options()
        if kind == ROUTING:
            return kind, self.other_routing()
        if kind == FRAGMENT:
            return kind, self.fragment_header(self.dice.choice((0, 0, 2, 4)))
        return kind, b"\0" + self.dice.randbytes(6)

    def behind(self):
        kind = self.dice.choice((ROUTING, OPTIONS, FRAGMENT))
        body = {ROUTING: self.srh, OPTIONS: self.options,
                FRAGMENT: lambda: self.fragment_header(0)}[kind]()
        return kind, body

    def chain(self, number):
        """First Next Header, and all that follows the IPv6 header."""
        headers = [self.ahead() for _ in range(self.dice.choice((0, 0, 0, 1, 1, 2, 3, 9)))]
        headers.append((ROUTING, self.srh()))
        headers += [self.behind() for _ in range(self.dice.choice((0, 0, 0, 0, 1)))]
        kinds = [kind for kind, _ in headers] + [ICMPV6]
        octets = b"".join(bytes([kinds[i + 1]]) + body for i, (_, body) in enumerate(headers))
        return kinds[0], octets + echo(number)

    def ipv6(self, next_header, payload, length=None):
        version = 6 if self.chance(0.98) else self.dice.choice((0, 4, 7))
        length = len(payload) if length is None else max(0, length)
        return struct.pack("!IHBB", version << 28, length, next_header, 64) + SOURCE + SID + payload

    def in_fragments(self, number, kind, octets):
        """Two pieces, the second of which may come first, overlap, or claim another kind."""
        cut = 8 * self.dice.randrange(1, min((len(octets) - 1) // 8, 20) + 1)
        again = cut if self.chance(0.8) else cut - 8
        other = kind if self.chance(0.9) else self.dice.choice((ICMPV6, OPTIONS, ROUTING, NO_NEXT))

        def piece(next_header, field, data):
            head = struct.pack("!BBHI", next_header, 0, field, number)
            return self.ipv6(FRAGMENT, head + data)

        pieces = [piece(kind, 1, octets[:cut]), piece(other, again, octets[again:])]
        return pieces[::-1] if self.chance(0.3) else pieces

    def packets(self, number):
        kind, octets = self.chain(number)
        if self.chance(0.15):
            return self.in_fragments(number, kind, octets)
        length = self.dice.choice([None] * 12 + [0, len(octets) + 8, len(octets) - 16])
        return [self.ipv6(kind, octets, length)]

    def tags(self):
        if self.chance(0.75):
            return b""
        return b"".join(struct.pack("!HH", self.dice.choice((0x8100, 0x88a8)),
                                    self.dice.choice((0, 0, 0x2000, 0x1000)))
                        for _ in range(self.dice.randrange(1, 12)))

    def frames(self, number):
        """What is to be sent, in order, to get the answer of this number."""
        tags = self.tags()
        trailer = b"" if self.chance(0.8) else self.dice.randbytes(self.dice.randrange(1, 50))
        return [self.ethernet + tags + b"\x86\xdd" + packet + trailer
                for packet in self.packets(number)]
