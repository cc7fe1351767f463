# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench keys: what it changes, and that it knows each packet's verdict."""

import pytest

from bench.runner import bench
from benches import Wrong, frames, keys
from oracle import gateway

KIND = {"algorithm": "sha256", "profile": "linux"}


def test_changes_and_verdicts(build):
    words = ["--rounds", "1", "--seconds", "0.1", "--warm-up", "0", "--changes", "100"]
    rows, _ = bench(build, "keys", "--json", *words)
    operations = [f"{what}, {way}" for way in ("call", "batch") for what in ("add", "set", "del")]
    rates = ["0/s", "1000/s others", "10000/s others", "1000/s in use", "10000/s in use"]
    assert [row["case"] for row in rows] == operations + rates
    for row in rows[: len(operations)]:
        assert row["per_second"] > 0
    for row in rows[len(operations) :]:
        assert row["packets_per_second"] > 0
        assert (row["changes"] > 0) == (row["case"] != "0/s")


def judged(build, folder, known, found):
    capture = frames.write(folder / "in.pcap", found)
    path = folder / "keys"
    path.touch(0o600)
    path.write_text(frames.key_file(known))
    config = f"key load {path}\nport 0 verify require\n"
    return keys.Judged("judged", build, folder, capture, config, "verified")


def test_each_verdict_is_known(build, tmp_path):
    with judged(build, tmp_path, *keys.traffic(KIND)) as running:
        running.hold()
        running.sample(0, 0.05)
        running.let_go()
        running.call("key.del", id=frames.FIRST_KEY + 7)
        with pytest.raises(Wrong, match="a packet was lost or judged wrong"):
            running.sample(0, 0.05)


def test_expected_is_what_the_oracle_says():
    known, found = keys.traffic(KIND)
    config = gateway.Config(keys=tuple(known), verify=gateway.REQUIRE)
    for count in (1, 20, 21, 40, 41, 64, 85, 128):
        _, counters = gateway.gateway(config, (found * 2)[:count])
        json = counters.json()
        drops = json["drops"]
        assert keys.expected(count) == (
            json["verified"],
            drops["hmac_mismatch"],
            drops["key_unknown"],
        )
        assert json["verified"] == json["tx"]


def test_changes_that_fail_end_it(build, tmp_path):
    with judged(build, tmp_path, *keys.traffic(KIND)) as running:
        twice = keys.encoded([keys.request("key.add", 77, {**KIND}) for _ in range(2)])
        with pytest.raises(Wrong, match="a key change failed"):
            keys.Changes(running.gateway.connect(), twice, 1000)(30)


def test_lines_of_requests():
    lines = keys.encoded(keys.others(KIND, 40))
    assert [count for _, count in lines] == [64, 16]
    assert lines[0][0].count(b"key.add") == lines[0][0].count(b"key.del") == 32
