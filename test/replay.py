# SPDX-License-Identifier: BSD-3-Clause
"""Run segseal --replay on frames and look at what came of them."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oracle import capture, commands


@dataclass
class Replayed:
    status: int
    frames: list
    counters: dict
    errors: str


def run(build, folder, infile="in.pcap", config="config", from_peer=False, timeout=120):
    """segseal --replay in a folder that has in.pcap, config and what config names."""
    command = [
        str(build / "app" / "segseal"),
        "--replay",
        infile,
        *(["--replay-from-peer"] if from_peer else []),
        "--write",
        "out.pcap",
        "--config",
        config,
        "--json",
    ]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False
    )
    out = Path(folder) / "out.pcap"
    good = done.returncode == 0
    return Replayed(
        done.returncode,
        capture.read(out) if good else [],
        json.loads(done.stdout) if good else {},
        done.stderr,
    )


def write_secret(path, text):
    """A key file as segseal wants it: nobody else can read it."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def replay(build, config, frames, from_peer=False):
    """Run frames through segseal with an oracle.gateway.Config."""
    with tempfile.TemporaryDirectory(prefix="segseal-") as folder:
        folder = Path(folder)
        capture.write(folder / "in.pcap", frames)
        (folder / "config").write_text(commands.config_file(config, int(from_peer)))
        write_secret(folder / "keys", commands.key_file(config))
        return run(build, folder, from_peer=from_peer)
