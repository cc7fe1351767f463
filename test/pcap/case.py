# SPDX-License-Identifier: BSD-3-Clause
"""A regression case: frames, the gateway's settings, and what the oracle says must come of them."""

import json
from dataclasses import dataclass

from oracle import build, capture, commands, edit, gateway, mac

SECRETS = {
    "sha1": b"a secret",
    "sha256": bytes(range(32)),
    "sha384": b"S" * 48,
    "sha512": b"the longest secret that a key can have is of 64 octets, as this.",
}
ID_BASE = {mac.LINUX: 1000, mac.RFC8754: 8754000}


def key(profile, algorithm, number=1):
    return mac.Key(ID_BASE[profile] + number, algorithm, profile, SECRETS[algorithm])


LINUX_SHA256 = key(mac.LINUX, "sha256")
RFC_SHA256 = key(mac.RFC8754, "sha256")
LINUX_SHA1 = key(mac.LINUX, "sha1", 2)
RFC_SHA1 = key(mac.RFC8754, "sha1", 2)
KEYS = (LINUX_SHA256, LINUX_SHA1, RFC_SHA256, RFC_SHA1)
BOTH = (LINUX_SHA256, RFC_SHA256)


@dataclass(frozen=True)
class Case:
    name: str
    about: str
    config: gateway.Config
    frames: list
    from_peer: bool = False

    def files(self):
        """{name: octets} of the case's folder."""
        out, counters = gateway.gateway(self.config, self.frames)
        about = "".join(f"# {line}\n" for line in self.about.splitlines())
        config = commands.config_file(self.config, int(self.from_peer))
        files = {
            "config": (about + config).encode(),
            "in.pcap": capture.dump(self.frames),
            "expected.pcap": capture.dump(out),
            "expected.json": (json.dumps(counters.json(), indent=1) + "\n").encode(),
        }
        if self.config.keys:
            files["keys"] = commands.key_file(self.config).encode()
        if self.from_peer:
            files["from-peer"] = b""
        return files


def path(count):
    """Segments 1..count in the order of travel."""
    return [build.sid(number) for number in range(1, count + 1)]


def sealed(a_key, *arguments, **more):
    return edit.seal(a_key, build.routed(*arguments, **more))


def require(*keys, **more):
    return gateway.Config(keys=keys, verify=gateway.REQUIRE, **more)


def if_present(*keys, **more):
    return gateway.Config(keys=keys, verify=gateway.IF_PRESENT, **more)


def insert(a_key, *others, **more):
    return gateway.Config(keys=(a_key, *others), insert=a_key.id, **more)


def put(frame, at, octets):
    """frame with octets written at an offset."""
    return frame[:at] + octets + frame[at + len(octets) :]
