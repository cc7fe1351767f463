# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench with so few rounds that its times mean nothing: what it counts has to be right."""

import json
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "scripts"))

BENCH = TOP / "scripts" / "bench"
MEMBERS = {"bench", "case", "algorithm", "profile", "segments", "burst", "cycles", "min_cycles"}


def bench(build, *words, status=0, rows=True):
    """(rows, standard error); rows that it prints as JSON, if it is to."""
    done = subprocess.run(
        [BENCH, *words, "--build", build, "--no-huge"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if rows]
    for row in found:
        assert MEMBERS <= set(row)
        assert row["min_cycles"] <= row["cycles"]
        assert row["min_cycles"] > 0 or row["case"] == "hmac"  # which is a difference
    return found, done.stderr
