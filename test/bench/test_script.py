# SPDX-License-Identifier: BSD-3-Clause
"""segseal-bench gateway, keys and linux are scripts/bench, on the programs of the same build."""

import json
import shutil
import subprocess


def test_measures_its_own_build(build, tmp_path):
    (tmp_path / "app").mkdir()
    shutil.copy(build / "app" / "segseal-bench", tmp_path / "app")
    segseal = tmp_path / "app" / "segseal"
    segseal.write_text("#!/bin/sh\necho this one >&2\nexit 3\n")
    segseal.chmod(0o755)
    done = subprocess.run(
        [tmp_path / "app" / "segseal-bench", "gateway", "--workers", "1", "--no-huge"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "segseal ended with 3: this one" in done.stderr


def test_takes_the_options(build):
    words = ["keys", "--json", "--rounds", "1", "--seconds", "0.05", "--changes", "8", "--no-huge"]
    done = subprocess.run(
        [build / "app" / "segseal-bench", *words],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["bench"] for line in done.stdout.splitlines()} == {"keys"}
