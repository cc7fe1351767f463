# SPDX-License-Identifier: BSD-3-Clause
"""ICMPv6 errors of a replay, octet by octet against what scapy builds."""

import json
import subprocess

import pytest
from scapy.layers.inet import UDP
from scapy.layers.inet6 import (
    ICMPv6DestUnreach,
    ICMPv6EchoRequest,
    ICMPv6PacketTooBig,
    ICMPv6ParamProblem,
    IPv6,
    IPv6ExtHdrDestOpt,
)
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from oracle import capture
from replay import write_secret

OURS = "2001:db8::1"
SOURCE = "2001:db8:a::1"
SEGMENTS = ["fc00:2::1", "fc00:1::1"]
KEYS = "1001 sha256 linux text:secret-key-one\n1002 sha1 rfc8754 text:other\n"
# Hdr Ext Len 9: two segments and an HMAC TLV of 40 octets, wrong for every key.
BAD_TLV = bytes([5, 38, 0, 0]) + (1001).to_bytes(4, "big") + bytes(range(32))


def ether():
    return Ether(dst="02:00:00:00:00:bb", src="02:00:00:00:00:aa")


def srh(tlv=BAD_TLV, flags=0x08, **fields):
    """An SRH of two segments, by hand: scapy makes other octets of TLVs."""
    one = {"left": 1, "last": 1, "next": 17, "units": 4 + len(tlv) // 8, **fields}
    fixed = bytes([one["next"], one["units"], 4, one["left"], one["last"], flags, 0, 0])
    addresses = b"".join(bytes.fromhex(f"fc000{i}0000000000000000000000000{i}") for i in "21")
    return fixed + addresses + tlv


def packet(header, payload=b"", source=SOURCE, to=SEGMENTS[1], tags=(), before=b""):
    layers = ether()
    for tag in tags:
        layers /= Dot1Q(vlan=tag)
    first = IPv6ExtHdrDestOpt() if before else None
    ip = IPv6(src=source, dst=to, nh=60 if before else 43, hlim=60)
    body = (before + header) if first is not None else header
    return bytes(layers / ip / Raw(body + payload))


def udp(octets):
    return bytes(UDP(sport=1, dport=2, len=8 + octets, chksum=1) / Raw(bytes(octets)))


def answer(frame, error, tags=(), source=SOURCE):
    """What RFC 4443 says the error is: as much of the packet as fits into 1280 octets."""
    ip = frame[14 + 4 * len(tags) :]
    layers = Ether(dst="02:00:00:00:00:aa", src="02:00:00:00:00:bb")
    for tag in tags:
        layers /= Dot1Q(vlan=tag)
    # Raw: scapy would take the packet apart and complete it.
    return bytes(layers / IPv6(src=OURS, dst=source, hlim=64) / error / Raw(ip[:1232]))


def run(build, folder, frames, config, times=None):
    capture.write(folder / "in.pcap", frames)
    if times is not None:
        data = bytearray((folder / "in.pcap").read_bytes())
        at = 24
        for frame, (seconds, micro) in zip(frames, times):
            data[at : at + 8] = seconds.to_bytes(4, "little") + micro.to_bytes(4, "little")
            at += 16 + len(frame)
        (folder / "in.pcap").write_bytes(data)
    (folder / "config").write_text("key load keys\nport 0 verify require\n" + config)
    write_secret(folder / "keys", KEYS)
    words = [build / "app" / "segseal", "--replay", "in.pcap", "--config", "config", "--json"]
    words += ["--write-errors", "errors.pcap"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return capture.read(folder / "errors.pcap"), json.loads(done.stdout)


ON = f"icmp source {OURS}\n"


def parameter(pointer):
    return ICMPv6ParamProblem(code=0, ptr=pointer)


CASES = {
    "segments-left": (packet(srh(left=3), udp(8)), parameter(43)),
    "last-entry": (packet(srh(last=9), udp(8)), parameter(43)),
    "hmac": (packet(srh(), udp(8)), parameter(40 + 40)),
    "hmac-long": (packet(srh(), udp(1400)), parameter(40 + 40)),
    "hmac-unknown-key": (packet(srh(BAD_TLV[:6] + b"\x77\x77" + BAD_TLV[8:]), udp(8)), parameter(80)),
    "hmac-behind-options": (
        packet(srh(), udp(8), before=bytes([43, 0, 1, 4, 0, 0, 0, 0])),
        parameter(88),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_parameter_problem(build, tmp_path, name):
    frame, error = CASES[name]
    if name == "hmac-behind-options":
        frame = frame[:20] + b"\x3c" + frame[21:]
    errors, counters = run(build, tmp_path, [frame], ON)
    assert errors == [answer(frame, error)]
    assert counters["icmp"] == {"sent": 1, "limited": 0}
    assert sum(counters["drops"].values()) == 1


def test_tlv_overrun_points_to_hdr_ext_len(build, tmp_path):
    frame = packet(srh(bytes([200, 99] + [0] * 6)), udp(8))
    errors, counters = run(build, tmp_path, [frame], ON)
    assert counters["drops"]["tlv_malformed"] == 1
    assert errors == [answer(frame, parameter(41))]


@pytest.mark.parametrize("tags", [(7,), (7, 8)])
def test_tags_are_kept(build, tmp_path, tags):
    frame = packet(srh(), udp(40), tags=tags)
    errors, _ = run(build, tmp_path, [frame], ON)
    assert errors == [answer(frame, parameter(80), tags=tags)]


@pytest.mark.parametrize("key,grow", [(1001, 40), (1002, 32)])
def test_packet_too_big(build, tmp_path, key, grow):
    plain = srh(b"", 0)

    def frame(length, to=SEGMENTS[1]):
        return packet(plain, udp(length - 40 - len(plain) - 8), to=to)

    config = f"{ON}port 0 verify off\nport 0 insert key {key}\nport 1 mtu 1400\n"
    fits, over = frame(1400 - grow), frame(1400 - grow + 1)
    many = frame(1400, "ff0e::1")
    errors, counters = run(build, tmp_path, [fits, over, many], config)
    assert counters["inserted"] == 1 and counters["drops"]["too_big"] == 2
    error = ICMPv6PacketTooBig(mtu=1400 - grow)
    # The exception for multicast of RFC 4443 section 2.4 e.3.
    assert errors == [answer(over, error), answer(many, error)]


def icmp_behind(message, options=0):
    kind = 60 if options else 58
    chain = b"".join(
        bytes([60 if i + 1 < options else 58, 0, 1, 4, 0, 0, 0, 0]) for i in range(options)
    )
    return packet(srh(next=kind), chain + bytes(message))


NEVER = {
    "icmpv6-error": icmp_behind(ICMPv6DestUnreach(cksum=1)),
    "icmpv6-error-behind-options": icmp_behind(ICMPv6DestUnreach(cksum=1), 3),
    "from-multicast": packet(srh(), udp(8), source="ff02::1"),
    "from-nowhere": packet(srh(), udp(8), source="::"),
    "from-loopback": packet(srh(), udp(8), source="::1"),
    "from-ourselves": packet(srh(), udp(8), source=OURS),
    "to-multicast": packet(srh(), udp(8), to="ff02::1"),
    "to-ethernet-multicast": b"\x33\x33" + packet(srh(), udp(8))[2:],
    "to-ethernet-broadcast": b"\xff" * 6 + packet(srh(), udp(8))[6:],
}


def test_what_is_never_answered(build, tmp_path):
    asked = icmp_behind(ICMPv6EchoRequest(cksum=1), 2)
    errors, counters = run(build, tmp_path, [*NEVER.values(), asked], ON)
    assert counters["drops"]["hmac_mismatch"] == len(NEVER) + 1
    assert errors == [answer(asked, parameter(80))]
    assert counters["icmp"] == {"sent": 1, "limited": 0}


def test_off_by_default(build, tmp_path):
    errors, counters = run(build, tmp_path, [packet(srh(), udp(8))], "")
    assert errors == [] and "icmp" not in counters
    errors, counters = run(build, tmp_path, [packet(srh(), udp(8))], ON + "icmp source off\n")
    assert errors == [] and "icmp" not in counters


def test_rate(build, tmp_path):
    """A second's worth at once, then one by one, by the capture's clock."""
    frame = packet(srh(), udp(8))
    times = [(10, 0)] * 8 + [(10, 100000), (10, 199999), (10, 250000), (9, 0), (90, 0)]
    errors, counters = run(
        build, tmp_path, [frame] * len(times), f"{ON}icmp rate 5\n", times
    )
    # 5 at first; a fifth of a second makes one more, at 10.25; a clock that went back none.
    assert len(errors) == 5 + 1 + 1
    assert counters["icmp"] == {"sent": 7, "limited": len(times) - 7}


def comments(path):
    """[(octets, comment)] of a pcapng file's packets, and that its blocks are whole."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        kind, length = (int.from_bytes(data[at + i : at + i + 4], "little") for i in (0, 4))
        assert length % 4 == 0 and data[at + length - 4 : at + length] == data[at + 4 : at + 8]
        if kind == 6:
            size = int.from_bytes(data[at + 20 : at + 24], "little")
            frame = data[at + 28 : at + 28 + size]
            option = at + 28 + (size + 3) // 4 * 4
            assert int.from_bytes(data[option : option + 2], "little") == 1
            n = int.from_bytes(data[option + 2 : option + 4], "little")
            found.append((frame, data[option + 4 : option + 4 + n].decode()))
        at += length
    return found


def test_capture(build, tmp_path):
    good = packet(srh(left=9), udp(8)), packet(srh(), udp(9))
    run(build, tmp_path, [*good, *good], "capture start d.pcapng limit 3\n")
    assert comments(tmp_path / "d.pcapng") == [
        (good[0], "dropped, srh_malformed"),
        (good[1], "dropped, hmac_mismatch, Key ID 1001"),
        (good[0], "dropped, srh_malformed"),
    ]
    read = subprocess.run(
        ["tcpdump", "-nr", tmp_path / "d.pcapng"], capture_output=True, text=True, check=True
    )
    assert len(read.stdout.splitlines()) == 3
    (tmp_path / "d.pcapng").unlink()
    run(build, tmp_path, [*good], "capture start d.pcapng reason hmac_mismatch\n")
    assert [text for _, text in comments(tmp_path / "d.pcapng")] == [
        "dropped, hmac_mismatch, Key ID 1001"
    ]


def test_capture_is_a_new_file(build, tmp_path):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "config").write_text("capture start there\n")
    capture.write(tmp_path / "in.pcap", [])
    words = [build / "app" / "segseal", "--replay", "in.pcap", "--config", "config"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "there: File exists" in done.stderr
    assert (tmp_path / "there").read_text() == "mine"


def test_errors_file_that_cannot_be(build, tmp_path):
    (tmp_path / "config").write_text(ON)
    capture.write(tmp_path / "in.pcap", [])
    words = [build / "app" / "segseal", "--replay", "in.pcap", "--config", "config"]
    words += ["--write-errors", "none/errors.pcap"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "segseal: none/errors.pcap: No such file or directory\n"
