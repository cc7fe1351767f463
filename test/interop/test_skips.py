# SPDX-License-Identifier: BSD-3-Clause
"""Where the kernel cannot be the peer these tests say so and pass nothing."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

TEST = pathlib.Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.no_kernel,
              pytest.mark.skipif(os.geteuid() != 0, reason="only root can take rights away"),
              pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is not installed")]


def run_suite(*around):
    done = subprocess.run([*around, sys.executable, "-m", "pytest", "-q", "-c",
                           str(TEST / "pytest.ini"), str(TEST / "interop/test_alone.py")],
                          text=True, capture_output=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" not in done.stdout and " skipped" in done.stdout
    assert "live-kernel cases: 0 (" in done.stdout
    return done.stdout


def test_without_rights_nothing_is_passed():
    assert "live-kernel cases skipped: not root" in run_suite("setpriv", "--reuid", "65534",
                                                              "--clear-groups")


def test_without_the_right_to_make_namespaces_nothing_is_passed():
    out = run_suite("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin")
    assert "live-kernel cases skipped: no network namespaces" in out


def test_without_hmac_in_the_kernel_nothing_is_passed():
    """A kernel without SRv6 HMAC lacks the sysctl: hidden here from the tests' processes."""
    hide = "mount -t tmpfs none /proc/sys/net && exec \"$@\""
    out = run_suite("unshare", "-m", "sh", "-c", hide, "sh")
    assert "live-kernel cases skipped: the kernel lacks SRv6 HMAC" in out
