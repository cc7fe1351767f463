# SPDX-License-Identifier: BSD-3-Clause
"""Each case's frames through segseal: what comes out and what is counted, to the octet."""

import json
import re
import shutil
from pathlib import Path

import pytest

import replay
from oracle import capture, gateway
from pcap.define import CASES

HERE = Path(__file__).resolve().parent
FOLDERS = sorted(folder for folder in (HERE / "cases").iterdir())
VERDICTS_H = HERE.parent.parent / "lib" / "gate" / "verdicts.h"
LIVE = {"tx_full", "no_buffer"}  # cannot happen in a replay: test/control/test_gateway_full.py has them


def expected(folder):
    return json.loads((folder / "expected.json").read_text())


def verdict_list(macro):
    """Counter names of one of the lists in verdicts.h."""
    text = re.search(rf"#define {macro}\(X\)(.*?[^\\])\n\n", VERDICTS_H.read_text(), re.S)[1]
    return tuple(re.findall(r"X\(\w+,\s*\\?\s*\"(\w+)\"", text))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case(build, tmp_path, folder):
    for file in folder.iterdir():
        if file.name == "keys":
            replay.write_secret(tmp_path / "keys", file.read_text())
        elif file.name in ("config", "in.pcap"):
            shutil.copy(file, tmp_path)
    done = replay.run(build, tmp_path, from_peer=(folder / "from-peer").exists())
    assert done.status == 0, done.errors
    want = capture.read(folder / "expected.pcap")
    assert done.counters == expected(folder)
    assert len(done.frames) == len(want)
    for number, (frame, right) in enumerate(zip(done.frames, want)):
        assert frame.hex() == right.hex(), f"frame {number} of those that came out"


def test_generated():
    """The folders are what the generator makes of the definitions, no more and no less."""
    assert sorted(case.name for case in CASES) == [folder.name for folder in FOLDERS]
    for case in CASES:
        files = {file.name: file.read_bytes() for file in (HERE / "cases" / case.name).iterdir()}
        assert case.files() == files, f"{case.name}: run test/pcap/generate {case.name}"


def test_oracle_has_the_verdicts_of_the_gateway():
    assert set(verdict_list("GATE_EVENTS")) == set(gateway.EVENTS)
    assert set(verdict_list("GATE_PASSES")) == set(gateway.PASSES)
    assert set(verdict_list("GATE_DROPS")) == set(gateway.DROPS)


@pytest.mark.parametrize("name", (*verdict_list("GATE_EVENTS"), *verdict_list("GATE_PASSES")))
def test_each_pass_is_reached(name):
    assert any(expected(folder)[name] for folder in FOLDERS)


@pytest.mark.parametrize("name", sorted(set(verdict_list("GATE_DROPS")) - LIVE))
def test_each_drop_is_reached(name):
    assert any(expected(folder)["drops"][name] for folder in FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_packet_is_counted_once(folder):
    counters = expected(folder)
    assert counters["rx"] == counters["tx"] + sum(counters["drops"].values()) > 0
    assert counters["tx"] == sum(counters[name] for name in gateway.PASSES)
