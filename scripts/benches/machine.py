# SPDX-License-Identifier: BSD-3-Clause
"""What results were measured on."""

import json
import os
import platform
import ssl
import subprocess
import time
from pathlib import Path

from benches import TOP, frames
from benches.forwarders import Segseal

FEATURES = ("sha_ni", "avx2", "avx512f", "avx512vl", "avx512ifma", "vaes")


def field(path, name):
    """The first line `name : value` of a file in /proc; "" if there is none."""
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def commit():
    """Of the source tree; "" outside of one, with a + when files differ from it."""
    def git(*words):
        return subprocess.run(
            ["git", "-C", TOP, *words], capture_output=True, text=True, check=False
        ).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "-s", "-uno") else "")
    except FileNotFoundError:
        return ""


def build_type(build):
    options = json.loads((Path(build) / "meson-info" / "intro-buildoptions.json").read_text())
    return next(one["value"] for one in options if one["name"] == "buildtype")


def describe(options, folder):
    path = frames.write(folder / "machine.pcap", frames.sealed(1))
    with Segseal("machine", options.build, folder, path, "", "unchecked") as gateway:
        hz = gateway.hz()
        version = gateway.call("version")
        managers = gateway.call("engine.get")["managers"]
    names = ("model name", "cpu family", "model", "flags")
    cpu, family, model, flags = (field("/proc/cpuinfo", name) for name in names)
    flags = flags.split()
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit(),
        "segseal": version["version"],
        "build": build_type(options.build),
        "cpu": f"{cpu}, family {family} model {model}",
        "cpu_features": [name for name in FEATURES if name in flags],
        "virtual": "hypervisor" in flags,
        "cpus": len(os.sched_getaffinity(0)),
        "tsc_hz": round(hz),
        "memory_gib": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / 2**20),
        "huge_pages": options.huge,
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "kernel": os.uname().release,
        "dpdk": version["dpdk"],
        "ipsec_mb": version["ipsec_mb"],
        "ipsec_mb_managers": managers,
        "openssl": ssl.OPENSSL_VERSION,
        "load": round(os.getloadavg()[0], 2),
    }
