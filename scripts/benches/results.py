# SPDX-License-Identifier: BSD-3-Clause
"""Look things up in what scripts/bench all has written."""

import json

USUAL = {"algorithm": "sha256", "profile": "linux", "segments": 2, "burst": 64}
MANAGERS = "ipsec-mb "


class Results:
    def __init__(self, data):
        self.machine = data["machine"]
        self.skipped = data["skipped"]
        self.rows = data["rows"]
        self.pages = "2 MiB" if self.machine["huge_pages"] else "4 KiB"

    @classmethod
    def read(cls, path):
        return cls(json.loads(path.read_text()))

    def all(self, bench, **members):
        """Rows that have these members; "" for a member means that it is not there."""
        return [
            row
            for row in self.rows
            if row["bench"] == bench
            and all(row.get(name, "") == value for name, value in members.items())
        ]

    def row(self, bench, case, **members):
        """The one row, or None."""
        found = self.all(bench, case=case, **members)
        return found[0] if found else None

    def cycles(self, bench, case, **members):
        """Of a piece: SHA-256, linux, 2 segments and a burst of 64 unless members say otherwise."""
        row = self.row(bench, case, **{**USUAL, **members})
        return row and row["cycles"]

    def bare(self, bench="hmac", **members):
        """The best bare IPsec-MB call: cycles, or None."""
        found = self.all(bench, **{**USUAL, **members})
        return min((r["cycles"] for r in found if r["case"].startswith(MANAGERS)), default=None)

    def gateway(self, case, member="cycles", **members):
        """With the pages that were used most unless members say which."""
        usual = {"segments": 2, "flows": 64, "keys": 1, "workers": 1, "traffic": "smallest",
                 "pages": self.pages}
        row = self.row("gateway", case, **{**usual, **members})
        return row and row[member]

    def kernel(self, case="hmac", segments=2):
        row = self.row("linux", case, segments=segments, algorithm="sha256")
        return row and row["cycles"]

    def values(self, member, bench, **members):
        """What the member is in such rows, in ascending order."""
        return sorted({row[member] for row in self.all(bench, **members) if member in row})


def number(value):
    """A measured number as it is shown: three digits are enough of it."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def ratio(value, other):
    return None if value is None or not other else value / other


def table(head, rows):
    """Markdown; cells are text."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
