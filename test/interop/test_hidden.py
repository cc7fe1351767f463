# SPDX-License-Identifier: BSD-3-Clause
"""
No way to hide a segment list: whatever a live host acts on, a port that requires an HMAC has seen.
The kernel says which of thousands of packets without a right HMAC it acts on; each of these must
have lost a frame at least, in segseal and in the model that the other tests trust.
"""
import os
import socket
import time

import pytest

from interop import hidden, netlab, netns
from oracle import gateway, mac

COUNT = int(os.environ.get("SEGSEAL_HIDDEN_PACKETS", "1500"))
AT_ONCE = 50
SEEDS = [int(seed) for seed in os.environ.get("SEGSEAL_HIDDEN_SEEDS", "1 2").split()]
KEY = mac.Key(7, "sha256", "linux", b"none of the packets has it")


def mac_of(namespace, dev):
    text = netlab.run("cat", f"/sys/class/net/{dev}/address", namespace=namespace).stdout
    return bytes.fromhex(text.strip().replace(":", ""))


def plain(hider, number):
    """A packet that every host answers."""
    segments = hidden.SERVICE + hidden.SID
    srh = bytes([hidden.ICMPV6, len(segments) // 8, 4, 1, 1, 0, 0, 0]) + segments
    packet = b"\x60\0\0\0" + (len(srh) + 28).to_bytes(2, "big") + bytes([hidden.ROUTING, 64])
    return hider.ethernet + b"\x86\xdd" + packet + hidden.SOURCE + hidden.SID + srh \
        + hidden.echo(number)


def take_answers(sock, acted, last, timeout=10):
    """Note answers until the one with number last. Some of the others may be lost."""
    end = time.monotonic() + timeout
    while last not in acted and time.monotonic() < end:
        try:
            number = hidden.answered(sock.recv(2048))
        except TimeoutError:
            continue
        if number is not None:
            acted.add(number)


@pytest.fixture(scope="module", params=SEEDS)
def asked(request):
    """The packets, each one or more frames, and the numbers of those that the kernel acted on."""
    with netlab.Lab() as lab:
        lab.bridge()
        lab.require_hmac(0)
        hider = hidden.Hider(request.param, mac_of(lab.b, "b0") + mac_of(lab.a, "a0"))
        packets = [hider.frames(number) for number in range(COUNT)]
        acted = set()
        with netns.open_socket(lab.a, socket.AF_PACKET, socket.SOCK_RAW,
                               socket.htons(0x86dd)) as sock:
            sock.bind(("a0", 0))
            sock.settimeout(0.2)
            for first in range(0, COUNT, AT_ONCE):
                for frames in packets[first:first + AT_ONCE]:
                    for frame in frames:
                        sock.send(frame)
                sock.send(plain(hider, COUNT + first))
                take_answers(sock, acted, COUNT + first)
        yield packets, {number for number in acted if number < COUNT}


def tags_of(frame):
    tags = 0
    while frame[12 + 4 * tags:14 + 4 * tags] in (b"\x81\x00", b"\x88\xa8"):
        tags += 1
    return tags


def test_the_kernel_acts_on_enough_of_them(asked):
    packets, acted = asked
    of_kind = {
        "plain": sum(1 for i in acted if len(packets[i]) == 1),
        "in fragments": sum(1 for i in acted if len(packets[i]) > 1),
        "behind three tags": sum(1 for i in acted if tags_of(packets[i][0]) >= 3),
    }
    assert len(acted) > COUNT // 6
    assert all(of_kind.values()), of_kind


@pytest.mark.parametrize("sids", ((), (netlab.SID_PREFIX,)), ids=("all", "protected"))
def test_none_gets_past_require(asked, judge, sids):
    packets, acted = asked
    config = gateway.Config(keys=(KEY,), verify=gateway.REQUIRE, sids=sids)
    frames = [frame for packet in packets for frame in packet]
    out, counters = judge(config, frames)
    assert counters["verified"] == 0
    passed = set(out)
    past = [i for i in acted if all(frame in passed for frame in packets[i])]
    for i in past[:5]:
        print(i, *(frame.hex() for frame in packets[i]))
    assert not past
