# SPDX-License-Identifier: BSD-3-Clause
"""docs/performance.md: what stands between its `<!-- NAME -->` and `<!-- end -->` is made from
docs/performance/results.json."""

import re

from benches import TOP, Wrong, plots
from benches.results import USUAL, Results, number, ratio, table
from benches.targets import targets

PAGE = TOP / "docs" / "performance.md"
RESULTS = TOP / "docs" / "performance" / "results.json"
BLOCK = re.compile(r"(<!-- ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
PEERS = ("cryptodev aesni_mb", "cryptodev openssl", "openssl prepared", "openssl raw key")
OURS = ("segseal batch", "segseal prepared", "segseal raw key")
LINES = (10, 25, 100)  # Gbit/s
CRC, GAP = 4, 20  # octets of a frame that a capture has not; of preamble and gap on the wire


def machine(results):
    m = results.machine
    kind = "virtual machine, " if m["virtual"] else ""
    features = " ".join(m["cpu_features"])
    pages = "huge pages of 2 MiB" if m["huge_pages"] else "no huge pages"
    rows = {
        "when": f"{m['date']}, commit {m['commit']}, load of the machine before: {m['load']}",
        "CPU": f"{m['cpu']} ({features}); {kind}{m['cpus']} cores, TSC {m['tsc_hz'] / 1e9:.3f} GHz",
        "memory": f"{m['memory_gib']} GiB, {pages}",
        "system": f"{m['system']}, Linux {m['kernel']}",
        "libraries": f"{m['dpdk']}, IPsec-MB {m['ipsec_mb']}, {m['openssl']}",
        "engine": "managers " + ", ".join(m["ipsec_mb_managers"]),
        "segseal": f"{m['segseal']}, build type {m['build']}",
        "skipped": "; ".join(results.skipped) or "nothing",
    }
    lines = "\n".join(f"| {name} | {text} |" for name, text in rows.items())
    return f"| | |\n| --- | --- |\n{lines}"


def grid(results, bench, cases, member, **members):
    """A table: a line for each case, a column for each value of the member."""
    fixed = {**USUAL, **members}
    fixed.pop(member)
    columns = results.values(member, bench, case=cases[0], **fixed)
    lines = []
    for case in cases:
        cells = [results.row(bench, case, **fixed, **{member: value}) for value in columns]
        if any(cells):
            lines.append([case, *(number(row and row["cycles"]) for row in cells)])
    return table([member, *(f"{value:,}" for value in columns)], lines)


def managers(results, bench):
    return [case for case in results.values("case", bench) if case.startswith("ipsec-mb ")]


def hmac_by(member):
    def made(results):
        return grid(results, "hmac", [*OURS, *managers(results, "hmac"), *PEERS], member)

    return made


def hmac_by_algorithm(results):
    lines = []
    for algorithm in ("sha1", "sha256", "sha384", "sha512"):
        for profile in ("linux", "rfc8754"):
            kind = {"algorithm": algorithm, "profile": profile}
            lines.append([
                f"{algorithm}, {profile}",
                number(results.cycles("hmac", "segseal batch", burst=1, **kind)),
                number(results.cycles("hmac", "segseal batch", **kind)),
                number(results.bare(**kind)),
                number(results.cycles("hmac", "cryptodev aesni_mb", **kind)),
                number(results.cycles("hmac", "openssl prepared", **kind)),
            ])
    head = ["", "batch of 1", "batch of 64", "bare IPsec-MB", "cryptodev aesni_mb"]
    return table([*head, "openssl prepared"], lines)


WAYS = {
    "verify": ["memo off", "memo hit", "memo off, all invalid", "memo on, all invalid"],
    "insert": ["memo off", "memo hit", "strip, memo hit", "translate, memo off",
               "translate, memo hit"],
}


def function_by(bench, member):
    def made(results):
        return grid(results, bench, WAYS[bench], member)

    return made


def many(bench, what):
    """By flows or by keys."""
    def made(results):
        cases = [f"{what}, memo off", f"{what}, memo hit", f"{what}, memo too small"]
        lines = []
        for row in [r for case in cases for r in results.all(bench, case=case, **USUAL)]:
            lines.append([row["case"].split(", ")[1], f"{row['flows']:,}",
                          f"{row.get('keys', 1):,}", number(row["cycles"])])
        return table([bench, "flows", "keys", "ticks"], lines)

    return made


def gateway(results):
    lines = []
    for row in results.all("gateway"):
        peer = results.gateway("testpmd macswap", **{
            name: row[name]
            for name in ("segments", "flows", "keys", "workers", "traffic", "pages")})
        lines.append([
            row["case"], row["pages"], str(row["workers"]), f"{row['flows']:,}", f"{row['keys']:,}",
            str(row["segments"]), str(row["octets"]), number(row["cycles"]),
            f"{ratio(row['cycles'], peer):.2f}" if peer else "-",
            f"{row['packets_per_second'] / 1e6:.1f}",
        ])
    head = ["", "pages", "workers", "flows", "keys", "segments", "octets", "ticks"]
    return table([*head, "to macswap", "Mpackets/s"], lines)


def workers(results):
    lines = []
    for case in ("testpmd macswap", "verify off", "memo hit", "memo off"):
        one, two = (results.row("gateway", case, workers=n, flows=64, keys=1, segments=2,
                                pages=results.pages) for n in (1, 2))
        if one and two:
            wall = two["packets_per_second"] / one["packets_per_second"]
            own = 2 * two["packets_per_cpu_second"] / one["packets_per_cpu_second"]
            lines.append([case, f"{one['packets_per_second'] / 1e6:.1f}",
                          f"{two['packets_per_second'] / 1e6:.1f}", f"{wall:.2f}", f"{own:.2f}"])
    return table(["", "Mpackets/s, one", "two", "ratio", "ratio by time on CPU"], lines)


def lines_of_cores(results):
    lines = []
    hz = results.machine["tsc_hz"]
    for traffic, flows in (("smallest", 64), ("imix", 60)):
        for case in ("memo hit", "memo off"):
            row = results.row("gateway", case, flows=flows, keys=1, workers=1, segments=2,
                              traffic=traffic, pages=results.pages)
            if row is None:
                continue
            on_wire = row["octets"] + CRC + GAP
            cells = [f"{rate * 1e9 / 8 / on_wire * row['cycles'] / hz:.2f}" for rate in LINES]
            lines.append([f"{traffic} ({row['octets'] + CRC} octets), {case}",
                          number(row["cycles"]), *cells])
    return table(["", "ticks", *(f"{rate} Gbit/s" for rate in LINES)], lines)


def keys(results):
    operations, rates = [], []
    for row in results.all("keys"):
        if "per_second" in row:
            operations.append([row["case"], f"{row['per_second']:,}", number(row["cycles"])])
        else:
            rates.append([
                row["case"], f"{row['changes_per_second']:,}", number(row["cycles"]),
                f"{row['packets_per_second'] / 1e6:.1f}", f"{100 * row['of_undisturbed']:.1f} %",
            ])
    return "\n\n".join([
        table(["operation", "a second", "ticks"], operations),
        table(["changes", "made a second", "ticks per packet", "Mpackets/s", "of undisturbed"],
              rates),
    ])


def times(results):
    lines = [
        [row["case"], row["algorithm"], row["profile"], number(row["cycles"]),
         f"{row['samples']:,}", f"{row['t']:.2f}"]
        for row in results.all("time", algorithm="sha256", profile="linux")
    ]
    return table(["", "algorithm", "profile", "ticks", "samples", "\\|t\\|"], lines)


def kernel(results):
    lines = []
    for segments in results.values("segments", "linux"):
        batch = results.cycles("hmac", "segseal batch", segments=segments)
        own = results.kernel(segments=segments)
        lines.append([str(segments)] + [
            number(results.kernel(way, segments)) for way in ("seg6", "seg6 hmac", "hmac")
        ] + [number(batch), f"{ratio(batch, own) or 0:.2f}"])
    return table(["segments", "seg6", "seg6 hmac", "difference", "segseal batch", "ratio"], lines)


TABLES = {
    "machine": machine,
    "targets": targets,
    "hmac-segments": hmac_by("segments"),
    "hmac-burst": hmac_by("burst"),
    "hmac-algorithm": hmac_by_algorithm,
    "verify-segments": function_by("verify", "segments"),
    "verify-burst": function_by("verify", "burst"),
    "verify-flows": many("verify", "flows"),
    "verify-keys": many("verify", "keys"),
    "insert-segments": function_by("insert", "segments"),
    "insert-burst": function_by("insert", "burst"),
    "gateway": gateway,
    "workers": workers,
    "cores": lines_of_cores,
    "keys": keys,
    "linux": kernel,
    "time": times,
}


def tables(results):
    """All of them, to read in a terminal."""
    results = Results(results)
    return "\n\n".join(f"== {name}\n\n{make(results)}" for name, make in TABLES.items())


def filled(page, results):
    """The page with its tables made anew."""
    def block(match):
        if match[2] not in TABLES:
            raise Wrong(f"{PAGE.name}: no table is named {match[2]}")
        return f"{match[1]}{TABLES[match[2]](results)}\n{match[3]}"

    return BLOCK.sub(block, page)


def write():
    results = Results.read(RESULTS)
    PAGE.write_text(filled(PAGE.read_text(), results))
    plots.draw(results, RESULTS.parent)
