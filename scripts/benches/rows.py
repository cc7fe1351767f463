# SPDX-License-Identifier: BSD-3-Clause
"""Results: one record for each thing measured, the same members that segseal-bench prints."""

import json
import statistics


def row(bench, case, cycles, *, algorithm, profile, segments, burst, **more):
    """cycles are those of repeated runs."""
    return {
        "bench": bench,
        "case": case,
        "algorithm": algorithm,
        "profile": profile,
        "segments": segments,
        "burst": burst,
        **more,
        "cycles": round(statistics.median(cycles), 1),
        "min_cycles": round(min(cycles), 1),
    }


def line(one, as_json):
    """As it is printed."""
    if as_json:
        return json.dumps(one, separators=(",", ":"))
    known = ("bench", "case", "algorithm", "profile", "segments", "burst", "cycles", "min_cycles")
    more = "".join(
        f"  {name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:,}'}"
        for name, value in one.items()
        if name not in known
    )
    return (
        f"{one['bench']:8} {one['case']:26} {one['algorithm']:7} {one['profile']:8} "
        f"{one['segments']:3} segments  burst {one['burst']:3}  {one['cycles']:9.1f}  "
        f"(min {one['min_cycles']:.1f}){more}"
    )
