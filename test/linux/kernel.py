# SPDX-License-Identifier: BSD-3-Clause
"""What a live Linux 6.18 kernel sealed, and how it judged packets."""

import json
from dataclasses import dataclass
from pathlib import Path

from oracle import capture, gateway, mac

HERE = Path(__file__).resolve().parent
ETHERNET = bytes.fromhex("02000000000b02000000000a86dd")
MODES = {"-1": gateway.OFF, "0": gateway.IF_PRESENT, "1": gateway.REQUIRE}


@dataclass(frozen=True)
class Capture:
    name: str
    key: mac.Key
    frames: tuple


def captures():
    cases = json.loads((HERE / "captures.json").read_text())
    return [
        Capture(
            case["file"].removesuffix(".pcap"),
            mac.Key(case["key_id"], case["algorithm"], mac.LINUX, case["secret"].encode()),
            tuple(capture.read(HERE / "captures" / case["file"])),
        )
        for case in cases
    ]


def groups():
    """The captures in as few groups as can be without a Key ID twice in one, to run together."""
    out = []
    for one in captures():
        for group in out:
            if one.key.id not in [other.key.id for other in group]:
                group.append(one)
                break
        else:
            out.append([one])
    return out


@dataclass(frozen=True)
class Judged:
    name: str
    path: str
    frame: bytes
    accepted: dict  # gateway mode -> whether the kernel took it

    def __str__(self):
        return f"{self.path}: {self.name}"


def verdicts():
    """(keys, packets). "pass" is also what the kernel answered with an ICMP error after it had
    accepted the SRH: no such port, hop limit. Another answer than pass is a refusal."""
    data = json.loads((HERE / "verdicts.json").read_text())
    keys = tuple(
        mac.Key(key["id"], key["algorithm"], mac.LINUX, bytes.fromhex(key["secret_hex"]))
        for key in data["keys"]
    )
    return keys, [
        Judged(
            case["name"],
            case["path"],
            ETHERNET + bytes.fromhex(case["packet"]),
            {MODES[mode]: answer == "pass" for mode, answer in case["linux"].items()},
        )
        for case in data["cases"]
    ]
