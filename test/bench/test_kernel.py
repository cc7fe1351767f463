# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench linux: the kernel seals what is measured, and a packet that is not so ends it."""

import pytest

from bench.runner import bench
from benches import Unusable, Wrong, frames, kernel
from interop import netlab, seg6

WAYS = ["plain", "seg6", "seg6 hmac", "hmac"]


@pytest.fixture
def namespace():
    try:
        kernel.why_not("sha256")
        made = kernel.Namespace("sha256")
    except (Unusable, RuntimeError, OSError) as error:
        pytest.skip(f"no live kernel: {error}")
    with made:
        yield made


def test_each_way(build, namespace):
    words = ["--rounds", "2", "--calls", "2", "--segments", "1,14"]
    rows, errors = bench(build, "linux", "--json", *words)
    assert [(row["case"], row["segments"]) for row in rows] == [
        (way, segments) for segments in (1, 14) for way in WAYS
    ]
    assert "SKIPPED" not in errors


def test_says_what_it_skips(build):
    rows, errors = bench(build, "linux", "--json", "--algorithm", "sha512")
    assert rows == []
    assert errors == "bench: SKIPPED linux: the kernel has no sha512\n"


def look(namespace):
    with namespace.socket("seg6") as bare, namespace.socket("seg6 hmac") as sealed:
        kernel.look(namespace, {"seg6": bare, "seg6 hmac": sealed}, 2, "sha256")


def test_looks_at_packets(namespace):
    namespace.routes(2)
    look(namespace)
    with pytest.raises(Wrong, match="not an SRH of 3 segments"):
        with namespace.socket("seg6") as bare:
            kernel.look(namespace, {"seg6": bare}, 3, "sha256")
    with seg6.Genl(namespace.name) as genl:
        genl.set(kernel.KEY_ID, "sha256", frames.SECRET.encode() + b"!")
    with pytest.raises(Wrong, match="a wrong HMAC"):
        look(namespace)


def test_names_a_route_without_hmac(namespace):
    namespace.routes(2)
    prefix = kernel.WAYS["seg6 hmac"]
    netlab.ip(
        namespace.name,
        f"route replace {prefix} encap seg6 mode encap segs {','.join(kernel.sids(2))} dev out",
    )
    with pytest.raises(Wrong, match="an HMAC too many or too few"):
        look(namespace)
