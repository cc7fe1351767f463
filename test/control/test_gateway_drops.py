# SPDX-License-Identifier: BSD-3-Clause
"""Dropped packets of a running gateway: log, ICMPv6 errors, trace, capture."""

import json
import re
import subprocess
import time

import pytest

from control.live import SINK, Gateway, balanced, settled, telemetry
from control.test_replay_icmp import BAD_TLV, answer, comments, packet, parameter, srh, udp
from oracle import capture
from segseal_client import SegsealError

SECRET = "an-exceedingly-secret-key"
OURS = "2001:db8::1"
BAD = packet(srh(), udp(16))
MALFORMED = packet(srh(left=9), udp(16))


def vdevs(folder, frames, loop=True):
    """Port 0 receives frames and writes what it sends, port 1 is a sink."""
    capture.write(folder / "in.pcap", frames)
    args = f"rx_pcap={folder}/in.pcap,tx_pcap={folder}/back.pcap"
    return [f"net_pcap0,{args}" + (",infinite_rx=1" if loop else ""), SINK]


@pytest.fixture
def flood(build, tmp_path):
    """100 % invalid packets, as fast as they come."""
    devices = vdevs(tmp_path, [BAD, MALFORMED])
    with Gateway(build, tmp_path, devices, config="port 0 verify require\n") as running:
        running.call("key.add", id=1001, algorithm="sha256", profile="linux", secret=SECRET)
        yield running


def drop_lines(gateway, reason):
    return [line for line in gateway.log().splitlines() if f"dropped, {reason}" in line]


def test_log_is_limited_and_says_how_many_were_held_back(flood):
    flood.said("held back")
    start, before = time.monotonic(), len(drop_lines(flood, "hmac_mismatch"))
    time.sleep(2)
    lines = drop_lines(flood, "hmac_mismatch")
    seconds = time.monotonic() - start
    assert 5 <= len(lines) - before <= 5 * (seconds + 2)
    expected = r"port 0: dropped, hmac_mismatch: from 2001:db8:a::1 to fc00:1::1, Key ID 1001"
    assert any(re.search(expected, line) for line in lines)
    assert all(re.search(expected, line) for line in lines)
    assert drop_lines(flood, "srh_malformed")
    # Off means off, and then the rest is told.
    flood.call("log.set", drops=False)
    time.sleep(0.2)
    quiet = len(flood.log())
    time.sleep(0.5)
    assert len(flood.log()) - quiet < 300  # the change itself, and nothing of drops
    assert SECRET not in flood.log()


def test_held_back_is_all_of_them(build, tmp_path):
    """Every drop is in a line or counted by one."""
    frames = [BAD] * 2000
    devices = vdevs(tmp_path, frames, loop=False)
    with Gateway(build, tmp_path, devices, config="key load keys\nport 0 verify require\n") as it:
        settled(it.stats, lambda stats: stats["rx"] == len(frames))
        told = settled(
            lambda: sum(
                (0 if re.search(r"dropped, \w+: \d+ more", line) else 1)
                + sum(map(int, re.findall(r"(\d+) more held back", line)))
                for line in drop_lines(it, "key_unknown")
            ),
            lambda told: told >= len(frames),
        )
        assert told == len(frames)


@pytest.fixture(autouse=True)
def keys(tmp_path):
    (tmp_path / "keys").write_text("")
    (tmp_path / "keys").chmod(0o600)


def test_icmp_errors_leave_by_the_port_that_received(flood, tmp_path):
    assert "icmp" not in flood.stats()
    flood.call("icmp.set", source=OURS, rate=20)
    stats = settled(flood.stats, lambda stats: stats["icmp"]["sent"] >= 40)
    assert stats["icmp"]["limited"] > 1000 and balanced(stats) and stats["tx"] == 0
    flood.call("icmp.set", source=None)
    sent = flood.stats()["icmp"]["sent"]
    time.sleep(0.3)
    last = flood.stats()["icmp"]
    assert last["sent"] <= sent + 64  # what was in the ring
    assert json.loads(telemetry(flood, "/segseal/stats"))["/segseal/stats"]["icmp"] == last
    flood.call("quit")
    flood.wait()
    frames = capture.read(tmp_path / "back.pcap")
    assert len(frames) >= last["sent"] >= 40
    assert set(frames) <= {answer(BAD, parameter(80)), answer(MALFORMED, parameter(43))}


def test_icmp_rate_holds(flood):
    flood.call("icmp.set", source=OURS, rate=50)
    settled(flood.stats, lambda stats: stats["icmp"]["sent"] >= 50)
    start, before = time.monotonic(), flood.stats()["icmp"]["sent"]
    time.sleep(2)
    sent = flood.stats()["icmp"]["sent"] - before
    assert 20 <= sent <= 50 * (time.monotonic() - start) + 51
    flood.call("stats.clear")
    assert flood.stats()["icmp"]["sent"] < before


def test_trace(build, flood):
    flood.call("trace.add", count=3, reason="hmac_mismatch", port=0, key=1001)
    got = settled(lambda: flood.call("trace.get"), lambda trace: trace["waiting"] == 0)
    assert [one["number"] for one in got["packets"]] == [1, 2, 3]
    for one in got["packets"]:
        assert one["reason"] == "hmac_mismatch" and one["key"] == 1001 and one["port"] == 0
        text = "\n".join(one["steps"])
        assert "IPv6 at octet 14: from 2001:db8:a::1 to fc00:1::1" in text
        assert "SRH at octet 54: 80 octets, Segments Left 1, Last Entry 1, Flags 0x08" in text
        assert "HMAC TLV at octet 94: Length 38, D 0, Key ID 1001" in text
        assert "key: sha256, profile linux: expects Length 38" in text
        assert text.splitlines()[-1].startswith("verdict: dropped, hmac_mismatch")
        assert BAD_TLV[8:16].hex() not in text
    flood.call("trace.add", count=1, reason="srh_malformed")
    got = settled(lambda: flood.call("trace.get"), lambda trace: trace["waiting"] == 0)
    assert "octet 43 of the IPv6 packet" in "\n".join(got["packets"][-1]["steps"])
    shown = subprocess.run(
        [build / "app" / "segsealctl", "-s", flood.socket, "show", "trace"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "    verdict: dropped, srh_malformed" in shown.stdout, shown.stderr
    flood.call("trace.clear")
    assert flood.call("trace.get") == {"waiting": 0, "packets": []}


def test_trace_waits_for_what_fits(flood):
    flood.call("trace.add", count=1, key=7)
    flood.call("trace.add", count=1, reason="too_big")
    time.sleep(0.2)
    assert flood.call("trace.get") == {"waiting": 1, "packets": []}


def test_capture(flood, tmp_path):
    path = tmp_path / "drops.pcapng"
    flood.call("capture.start", path=str(path), reason="hmac_mismatch", limit=200)
    with pytest.raises(SegsealError, match="is running|File exists"):
        flood.call("capture.start", path=str(path))
    state = settled(lambda: flood.call("capture.get"), lambda state: not state["running"])
    assert state["packets"] == 200
    found = comments(path)
    assert found == [(BAD, "dropped, hmac_mismatch, Key ID 1001")] * 200
    assert (path.stat().st_mode & 0o777) == 0o640
    with pytest.raises(SegsealError, match="no capture is running"):
        flood.call("capture.stop")
    flood.call("capture.start", path=str(tmp_path / "all.pcapng"))
    time.sleep(0.5)
    state = flood.call("capture.stop")
    found = comments(tmp_path / "all.pcapng")
    assert len(found) == state["packets"] > 0
    assert {text for _, text in found} == {
        "dropped, hmac_mismatch, Key ID 1001",
        "dropped, srh_malformed",
    }


def test_wrong_params(flood):
    for method, params in [
        ("icmp.set", {}),
        ("icmp.set", {"source": "::"}),
        ("icmp.set", {"source": "fc00::/64"}),
        ("icmp.set", {"source": 1}),
        ("icmp.set", {"rate": 0}),
        ("icmp.set", {"rate": 1000001}),
        ("log.set", {"drops": "on"}),
        ("trace.add", {"count": 0}),
        ("trace.add", {"count": 101}),
        ("trace.add", {"count": 1, "reason": "rx"}),
        ("trace.add", {"count": 1, "port": 9}),
        ("trace.add", {"count": 1, "key": 0}),
        ("capture.start", {"path": "relative"}),
        ("capture.start", {"path": "/dev/null"}),
        ("capture.start", {"path": "/no/such/folder/file"}),
        ("capture.start", {"path": str(flood.folder)}),
    ]:
        with pytest.raises(SegsealError) as error:
            flood.call(method, **params)
        assert "\n" not in str(error.value)
    assert flood.call("trace.get")["waiting"] == 0
    assert not flood.call("capture.get")["running"]
