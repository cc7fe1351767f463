# SPDX-License-Identifier: BSD-3-Clause
"""Plots of what scripts/bench all has measured, as SVG, by matplotlib where it is installed."""

import sys

from benches.results import USUAL, Results

# (label, bench, case): SHA-256, linux
PIECES = [
    ("verify, memo off", "verify", "memo off"),
    ("verify, memo hit", "verify", "memo hit"),
    ("insert, memo hit", "insert", "memo hit"),
    ("HMAC alone: segseal", "hmac", "segseal batch"),
    ("HMAC alone: IPsec-MB sse", "hmac", "ipsec-mb sse"),
    ("HMAC alone: IPsec-MB avx512", "hmac", "ipsec-mb avx512"),
    ("HMAC alone: cryptodev aesni_mb", "hmac", "cryptodev aesni_mb"),
    ("HMAC alone: OpenSSL, prepared key", "hmac", "openssl prepared"),
]
TICKS = "TSC ticks per packet"


def points(results, bench, case, member, **members):
    """(value of the member, cycles), in ascending order."""
    return sorted(
        (row[member], row["cycles"]) for row in results.all(bench, case=case, **members)
        if member in row
    )


def curves_by(results, member):
    fixed = {name: value for name, value in USUAL.items() if name != member}
    found = [
        (label, points(results, bench, case, member, **fixed)) for label, bench, case in PIECES
    ]
    if member == "segments":
        found.append(("Linux's own HMAC", points(results, "linux", "hmac", member)))
    return found


def curves_by_flows(results):
    found = [
        (f"{bench}, {case}", points(results, bench, f"flows, {case}", "flows", **USUAL))
        for bench in ("verify", "insert") for case in ("memo off", "memo hit")
    ]
    one = {"keys": 1, "workers": 1, "segments": 2, "traffic": "smallest",
           "pages": results.pages}
    for label, case in (("gateway, memo off", "memo off"), ("gateway, memo hit", "memo hit"),
                        ("testpmd macswap", "testpmd macswap")):
        found.append((label, points(results, "gateway", case, "flows", **one)))
    return found


PLOTS = {
    "by-segments": ("By segments, 64 packets at a time", "segments",
                    lambda results: curves_by(results, "segments")),
    "by-burst": ("By packets at a time, 2 segments", "packets at a time",
                 lambda results: curves_by(results, "burst")),
    "by-flows": ("By flows, 2 segments", "flows", curves_by_flows),
}


def plot(pyplot, path, title, what, curves):
    figure, axes = pyplot.subplots(figsize=(8.5, 5))
    # The same for each number of curves: colours that differ for colour-blind eyes, and marks.
    for number, (label, found) in enumerate(curves):
        if found:
            axes.plot(*zip(*found), label=label, color=f"C{number}", marker="osD^vX*Pp"[number % 9])
    places = sorted({x for _, found in curves for x, _ in found})
    if len(places) > 1 and places[-1] / places[0] > 50:
        axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(places, [f"{x:,}" for x in places])
    axes.minorticks_off()
    heights = (20, 50, 100, 200, 500, 1000, 2000, 5000)
    axes.set_yticks(heights, [f"{y:,}" for y in heights])
    seen = [y for _, found in curves for _, y in found]
    axes.set_ylim(min(seen) * 0.8, max(seen) * 1.25)
    axes.grid(alpha=0.3)
    axes.set(title=title, xlabel=what, ylabel=TICKS)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small")
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # The paths that matplotlib writes have a blank at each line's end.
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def draw(results, folder):
    """Write them into folder, unless there is nothing to draw with."""
    try:
        import matplotlib
    except ImportError:
        print("bench: SKIPPED plots: python3-matplotlib is not installed", file=sys.stderr)
        return []
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "segseal"})
    from matplotlib import pyplot

    results = results if isinstance(results, Results) else Results(results)
    written = []
    for name, (title, what, curves) in PLOTS.items():
        found = curves(results)
        if any(points_of for _, points_of in found):
            plot(pyplot, folder / f"{name}.svg", title, what, found)
            written.append(name)
    return written
