# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench all writes one file of everything, and docs/performance.md says what one says."""

import importlib.util
import json
import os
import shutil
from types import SimpleNamespace

import pytest

from bench.runner import MEMBERS, bench
from benches import Unusable, Wrong, document, everything, forwarders, gateway, plots, targets
from benches.results import Results

MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def row(bench, case, cycles, **more):
    usual = {"algorithm": "sha256", "profile": "linux", "segments": 2, "burst": 64}
    return {"bench": bench, "case": case, **usual, "cycles": cycles, "min_cycles": cycles, **more}


def results(*rows):
    return Results({"machine": {"huge_pages": False}, "skipped": [], "rows": list(rows)})


def test_quick(build, tmp_path):
    _, errors = bench(build, "all", "--quick", "-o", tmp_path, rows=False)
    found = Results.read(tmp_path / "results.json")
    skipped = {line.split(":")[0] for line in found.skipped}
    has_peer = shutil.which("dpdk-testpmd") is not None
    assert ("gateway, testpmd macswap" in skipped) != has_peer
    skipped.discard("gateway, testpmd macswap")
    wanted = {*everything.PIECES, *everything.WHOLE}
    assert {one["bench"] for one in found.rows} == wanted - skipped
    assert skipped <= {"linux"}  # which takes root and such a kernel
    for name in wanted:
        assert f"bench: {name}: " in errors or f"bench: SKIPPED {name}: " in errors
    for one in found.rows:
        assert MEMBERS <= set(one)
    identities = [everything.identity(one) for one in found.rows]
    assert len(identities) == len(set(identities))
    assert found.machine["tsc_hz"] > 1e8
    assert found.machine["cpus"] == len(os.sched_getaffinity(0))
    drawn = {path.stem for path in tmp_path.glob("*.svg")}
    assert drawn == (set(plots.PLOTS) if MATPLOTLIB else set())
    assert MATPLOTLIB or "SKIPPED plots" in errors


def test_page_says_what_the_file_says():
    found = Results.read(document.RESULTS)
    page = document.PAGE.read_text()
    assert document.filled(page, found) == page
    for name in document.TABLES:
        assert f"<!-- {name} -->\n|" in page
    for name in plots.PLOTS:
        assert f"(performance/{name}.svg)" in page
        assert (document.RESULTS.parent / f"{name}.svg").exists()


def test_page_with_an_unknown_table():
    with pytest.raises(Wrong, match="no table is named no-such"):
        document.filled("<!-- no-such -->\n<!-- end -->", results())


def test_tables_follow_the_results():
    found = results(row("hmac", "segseal batch", 65.4), row("hmac", "ipsec-mb sse", 1234.4))
    page = document.filled("<!-- hmac-burst -->\nold\n<!-- end -->\n", found)
    assert page == (
        "<!-- hmac-burst -->\n| burst | 64 |\n| --- | ---: |\n| segseal batch | 65.4 |\n"
        "| ipsec-mb sse | 1,234 |\n<!-- end -->\n"
    )


def test_targets_are_judged():
    found = results(
        row("verify", "memo off", 150, burst=64),
        row("verify", "ipsec-mb sse", 130),
        row("verify", "ipsec-mb avx512", 100),
        row("verify", "memo hit", 60, flows=64),
        row("hmac", "segseal batch", 65),
        row("linux", "hmac", 650, burst=1),
    )
    said = {what: (measured, targets.judged(how, bound, measured))
            for what, how, bound, measured, _ in targets.verdicts(found)}
    assert said["verify, memo off, burst 64, to the bare IPsec-MB call"] == (
        1.5, "**missed by 11%**")
    assert said["verify, memo hit, 64 flows"] == (60, "reached")
    assert said["batch, to Linux's own HMAC"] == (0.1, "reached")
    assert said["insert, header seen before"] == (None, "not measured")
    assert targets.judged(targets.LEAST, 85, 84.9).startswith("**missed")
    assert targets.judged(targets.LEAST, 85, 85) == "reached"


def test_without_testpmd(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(forwarders.Testpmd, "program", "no-such-testpmd")
    with pytest.raises(Unusable, match="no-such-testpmd is not installed"):
        forwarders.Testpmd("peer", tmp_path, tmp_path / "in.pcap")
    options = SimpleNamespace(algorithm="sha256", profile="linux", huge=False, skipped=[])
    arena = gateway.Arena(options, tmp_path, None)
    arena.testpmd(1)
    arena.testpmd(2)
    assert arena.entered == []
    assert options.skipped == [
        "gateway, testpmd macswap: no-such-testpmd is not installed (Debian package dpdk-dev)"
    ]
    assert capsys.readouterr().err == f"bench: SKIPPED {options.skipped[0]}\n"


def test_one_that_fails_leaves_the_others(tmp_path, monkeypatch):
    def failing(*_):
        yield row("gateway", "memo hit", 70)
        raise Wrong("a packet was lost")

    def absent(*_):
        raise Unusable("no such kernel")

    monkeypatch.setattr(everything, "PIECES", ())
    whole = {"gateway": failing, "linux": absent, "keys": lambda *_: [row("keys", "0/s", 113)]}
    monkeypatch.setattr(everything, "WHOLE", whole)
    monkeypatch.setattr(everything.machine, "describe", lambda *_: {"huge_pages": False})
    options = SimpleNamespace(skipped=[], failed=[], output=tmp_path / "out")
    found = everything.run(options, tmp_path)
    assert [one["bench"] for one in found["rows"]] == ["gateway", "keys"]
    assert found["skipped"] == [
        "linux: no such kernel", "gateway: failed: a packet was lost"]
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == found
    assert options.failed


def test_file_has_a_row_in_each_line():
    data = {"machine": {"cpu": "x"}, "skipped": [], "rows": [row("hmac", "a", 1.0)] * 2}
    text = everything.dump(data)
    assert json.loads(text) == data
    assert sum(line.startswith('{"bench"') for line in text.splitlines()) == 2
