# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench gateway: who takes part, and that packets that go wrong end it."""

import shutil
import struct

import pytest

from bench.runner import bench
from benches import Wrong, frames
from benches.forwarders import Segseal
from oracle import mac, parse

SHORT = ["--json", "--rounds", "2", "--seconds", "0.05", "--warm-up", "0", "--segments", "2"]
SEGSEAL = ["verify off", "memo hit", "memo off"]


def test_each_takes_part(build):
    words = ["--flows", "64", "--keys", "1,8", "--workers", "1", "--traffic", "smallest"]
    rows, errors = bench(build, "gateway", *SHORT, *words)
    cases = [(row["case"], row["keys"]) for row in rows]
    peer = ["testpmd macswap"] if shutil.which("dpdk-testpmd") else []
    assert cases == [(case, 1) for case in peer + SEGSEAL] + [
        (case, 8) for case in peer + SEGSEAL[1:]
    ]
    assert ("SKIPPED gateway, testpmd macswap" in errors) == (not peer)
    for row in rows:
        assert row["bench"] == "gateway"
        assert (row["flows"], row["workers"], row["segments"]) == (64, 1, 2)
        assert row["octets"] == 142  # Ethernet, IPv6, SRH of two segments, HMAC TLV, UDP
        assert row["packets_per_second"] > 0
        assert row["pages"] == "4 KiB"
        assert 0 < row["burst"] <= 128


def test_two_workers(build):
    words = ["--flows", "64", "--keys", "1", "--workers", "2", "--traffic", "imix"]
    kind = ["--algorithm", "sha512", "--profile", "rfc8754"]
    rows, _ = bench(build, "gateway", *SHORT, *words, *kind)
    assert {(row["workers"], row["traffic"]) for row in rows} == {(2, "smallest"), (1, "imix")}
    assert {(row["algorithm"], row["profile"]) for row in rows} == {("sha512", "rfc8754")}


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--flows", "0"], ["--flows", "x"]])
def test_wrong_options(build, words):
    _, errors = bench(build, "gateway", "--json", *words, status=2)
    assert errors.splitlines()[-1].startswith("bench: error: ")


def test_nothing_built():
    _, errors = bench("/nowhere", "gateway", status=2)
    assert errors.splitlines()[-1].startswith("bench: error: /nowhere/app/segseal is not there")


def test_a_wrong_verdict_ends_it(build, tmp_path):
    key = frames.key()
    sealed = frames.sealed(8)
    sealed[3] = frames.tampered(sealed[3])
    capture = frames.write(tmp_path / "in.pcap", sealed)
    (tmp_path / "keys").touch(0o600)
    (tmp_path / "keys").write_text(frames.key_file([key]))
    config = f"key load {tmp_path}/keys\nport 0 verify require\n"
    with Segseal("tampered", build, tmp_path, capture, config, "verified") as forwarder:
        with pytest.raises(Wrong, match="not all packets are verified"):
            forwarder.sample(0.05, 0.05)


def test_flows_differ_and_are_right():
    sources = set()
    for number in (0, 1, 65535):
        found = parse.find(frames.of_flow(frames.plain(3), number))
        sources.add(found.source)
        udp = found.frame[found.srh_end :]
        last_segment = found.segment(0)  # the destination that the checksum is for
        pseudo = found.source + last_segment + struct.pack("!II", len(udp), 17)
        octets = (pseudo + udp).ljust(len(pseudo + udp) + 1 & ~1, b"\0")
        total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
        assert (total & 0xFFFF) + (total >> 16) == 0xFFFF
    assert len(sources) == 3


def test_sealed_by_turns():
    found = [parse.find(frame) for frame in frames.sealed(4, keys=2)]
    assert [one.hmac_key for one in found] == [1001, 1002, 1001, 1002]
    assert found[0].hmac_value == mac.tag(
        frames.key(), found[0].source, 1, mac.FLAG_LINUX, 0, found[0].segments
    )
