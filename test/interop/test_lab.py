# SPDX-License-Identifier: BSD-3-Clause
"""scripts/lab: what it builds works, what it prints is true, and nothing is left of it."""
import os
import pathlib
import subprocess
import time

import pytest

from interop import netlab
from interop.gateway import TOP, Rpc

NAME = f"{netlab.PREFIX}-lab-test-{os.getpid()}"
FOLDER = pathlib.Path("/run") / NAME


def lab_script(what, check=True):
    return subprocess.run([TOP / "scripts/lab", "--name", NAME, what], text=True, timeout=90,
                          capture_output=True, check=check, cwd=TOP)


@pytest.fixture(scope="module")
def printed():
    out = lab_script("up").stdout
    yield out
    lab_script("down", check=False)


def lines(printed, *needles):
    """Printed commands that hold all of the needles."""
    return [line.strip() for line in printed.splitlines()
            if line.startswith("  ") and all(needle in line for needle in needles)]


def shell(line):
    return subprocess.run(line, shell=True, text=True, capture_output=True, timeout=30,
                          check=False, cwd=TOP)


def ping_answers(printed):
    (line,) = lines(printed, " ping ")
    out = shell(line.replace(" ping ", " ping -n -c 3 -i 0.05 -W 0.3 ")).stdout
    return int(out.split(" received")[0].split()[-1])


def stats():
    time.sleep(0.1)  # whatever is on its way is counted
    rpc = Rpc(FOLDER / "segseal.sock")
    try:
        return rpc.call("stats.get")
    finally:
        rpc.close()


def test_ping_is_verified_there_and_sealed_back(printed):
    before = stats()
    assert ping_answers(printed) == 3
    after = stats()
    assert after["verified"] - before["verified"] == 3
    assert after["inserted"] - before["inserted"] == 3
    shown = shell(lines(printed, "show stats")[0])
    assert shown.returncode == 0 and "verified" in shown.stdout


def test_a_tampered_key_of_the_gateway_shows_in_its_drops(printed):
    before = stats()["drops"]["hmac_mismatch"]
    assert shell(lines(printed, "key set 1001", "/wrong")[0]).returncode == 0
    assert ping_answers(printed) == 0
    assert stats()["drops"]["hmac_mismatch"] == before + 3
    assert shell(lines(printed, "key set 1001", "/1001")[0]).returncode == 0
    assert ping_answers(printed) == 3


def test_a_tampered_insertion_key_is_dropped_by_the_host(printed):
    assert shell(lines(printed, "key set 2002", "/wrong")[0]).returncode == 0
    before = stats()["inserted"]
    assert ping_answers(printed) == 0
    assert stats()["inserted"] == before + 3
    back = lines(printed, "key set 2002", "/wrong")[0].replace("/wrong", "/2002")
    assert shell(back).returncode == 0
    assert ping_answers(printed) == 3


def test_a_host_that_stops_sealing_is_hmac_missing(printed):
    assert shell(lines(printed, "route replace")[0]).returncode == 0
    before = stats()["drops"]["hmac_missing"]
    assert ping_answers(printed) == 0
    assert stats()["drops"]["hmac_missing"] == before + 3


def test_up_twice_is_refused(printed):
    done = lab_script("up", check=False)
    assert done.returncode == 1 and "is up already" in done.stderr


def test_down_leaves_nothing(printed):
    assert lab_script("down").stdout == ""
    assert not FOLDER.exists()
    assert NAME not in netlab.run("ip", "netns", "list").stdout
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert NAME.encode() not in process.read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            pass
    done = lab_script("down", check=False)
    assert done.returncode == 1 and "no lab" in done.stderr
