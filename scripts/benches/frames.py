# SPDX-License-Identifier: BSD-3-Clause
"""Sealed packets of many flows, and captures of them for net_pcap to play."""

import struct

from benches import Wrong
from oracle import build, capture, edit, mac

SECRET = "0123456789abcdef0123456789abcdef"
FIRST_KEY = 1001
HMAC_TLV = 40
CRC = 4
# Octets of frames without CRC; 0 is the smallest there is. The mix is 7 small, 4 of 594 with CRC, 1
# of 1518, in such an order that no burst has only one kind.
TRAFFIC = {"smallest": (0,), "imix": (0, 590, 0, 0, 590, 0, 590, 0, 0, 590, 0, 1514)}


def key(number=0, algorithm="sha256", profile=mac.LINUX):
    return mac.Key(FIRST_KEY + number, algorithm, profile, SECRET.encode())


def of_flow(frame, number):
    """frame with a source address of its own. Two words of the address, 0 and 1 before, change so
    that their ones' complement sum does not: the UDP checksum stays right."""
    if number > 0xFFFF:
        raise Wrong("more than 65536 flows")
    return frame[:34] + struct.pack("!HH", number, (1 - number) % 0xFFFF) + frame[38:]


def plain(segments, length=0):
    """A UDP packet with an SRH of so many segments, as small as can be with an HMAC TLV, or so long
    that it has length octets then."""
    path = [build.sid(number) for number in range(1, segments + 1)]

    def frame(octets):
        return build.routed(path, payload=build.udp(bytes(octets), target=path[-1]))

    return frame(max(0, length - len(frame(0)) - HMAC_TLV))


def sealed(flows, segments=2, keys=1, traffic="smallest", **kind):
    """One packet of each flow; flow i is sealed with key i % keys."""
    sizes = [plain(segments, length) for length in TRAFFIC[traffic]]
    ring = [key(number, **kind) for number in range(keys)]
    return [
        edit.seal(ring[i % keys], of_flow(sizes[i % len(sizes)], i)) for i in range(flows)
    ]


def tampered(frame):
    """frame with one bit of its source address changed."""
    return frame[:23] + bytes([frame[23] ^ 1]) + frame[24:]


def key_file(keys):
    return "".join(
        f"{one.id} {one.algorithm} {one.profile} text:{one.secret.decode()}\n" for one in keys
    )


def write(path, frames):
    capture.write(path, frames)
    return path
