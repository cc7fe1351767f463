# SPDX-License-Identifier: BSD-3-Clause
"""scripts/demo shows what it is to show, on one screen."""

import subprocess
from pathlib import Path

DEMO = Path(__file__).resolve().parent.parent.parent / "scripts" / "demo.py"


def test_demo(build):
    done = subprocess.run(
        [DEMO, build / "app"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) < 60
    assert max(len(line) for line in lines) <= 130
    for shown in ("hmac_mismatch 2", "agrees with 10 of 10", "key_unknown", "Try next"):
        assert shown in done.stdout
