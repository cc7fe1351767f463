# SPDX-License-Identifier: BSD-3-Clause
"""segseal-bench verify and insert judge what they measure, and tell it in one shape."""

import json
import os
import subprocess

import pytest

CASES = {
    "verify": {
        "memo off", "memo off, all invalid", "memo hit", "memo on, all invalid", "verify off",
        "flows, memo off", "flows, memo hit", "flows, memo too small",
        "keys, memo off", "keys, memo hit", "mixed, memo off", "mixed, memo hit",
    },
    "insert": {
        "memo off", "memo hit", "strip, memo hit", "translate, memo off", "translate, memo hit",
        "verify off", "flows, memo off", "flows, memo hit",
    },
}


def bench(build, *words, **environment):
    return subprocess.run([build / "app/segseal-bench", *words], capture_output=True, text=True,
                          timeout=250, check=False, env={**os.environ, **environment})


@pytest.mark.parametrize("name", CASES)
def test_every_case_has_a_row(build, name):
    done = bench(build, name, "--json", "--rounds", "1", "--algorithms", "sha1,sha384",
                 "--segments", "2", "--bursts", "3", "--flows", "1,70")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    ours = [row for row in rows if row["case"] in CASES[name]]
    assert {row["case"] for row in ours} == CASES[name]
    assert all(row["bench"] == name and row["burst"] == 3 and row["keys"] >= 1 and row["flows"] >= 1
               and row["cycles"] >= row["min_cycles"] > 0 for row in ours)
    plain = [row for row in ours if row["case"] == "memo off"]
    assert sorted((row["algorithm"], row["profile"]) for row in plain) == [
        ("sha1", "linux"), ("sha1", "rfc8754"), ("sha384", "linux"), ("sha384", "rfc8754")]
    # The peers do the HMACs of the same frames, once for each kind.
    peers = [row["case"] for row in rows if row["case"] not in CASES[name]]
    assert peers and all(peers.count(peer) == 4 for peer in peers)


def test_time(build):
    done = bench(build, "time", "--json", "--rounds", "1", "--algorithms", "sha1,sha512")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 4 * len({row["case"] for row in rows})
    assert {"octet by octet", "comparison", "verify, memo off", "verify, memo on"} <= {
        row["case"] for row in rows}
    assert all(row["samples"] == 4000 and row["t"] >= 0 for row in rows)


def test_leaves_nothing_behind(build, tmp_path):
    done = bench(build, "time", "--rounds", "1", "--algorithms", "sha1", "--profiles", "linux",
                 RUNTIME_DIRECTORY=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["dpdk"]
    assert not list((tmp_path / "dpdk").iterdir())


def test_what_is_not_there(build):
    done = bench(build, "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "segseal-bench: nothing: no such bench\n"
