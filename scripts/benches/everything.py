# SPDX-License-Identifier: BSD-3-Clause
"""all: every bench, one after the other, into one file."""

import json
import subprocess
import sys
import time

from benches import Unusable, Wrong, gateway, kernel, keys, machine

# Where many kinds of key are measured, those in one shape.
OTHER_KINDS = ["--segments", "2", "--bursts", "1,64"]
PIECES = ("hmac", "verify", "insert", "time")  # of segseal-bench
WHOLE = {"gateway": gateway.run, "keys": keys.run, "linux": kernel.run}


def words_of_pieces(options):
    """Runs of segseal-bench: one kind of key in all shapes, and all kinds in the usual one."""
    kind = ["--algorithms", options.algorithm, "--profiles", options.profile]
    if options.full:
        return [[]]
    if options.quick:
        return [[*kind, "--segments", "2", "--bursts", "1,32,64", "--rounds", "3", "--flows", "64"]]
    return [kind, OTHER_KINDS]


def piece(options, name, words):
    """Rows of one run of segseal-bench."""
    command = [str(options.build / "app" / "segseal-bench"), name, "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode == 2 and "no such bench" in done.stderr:
        raise Unusable(f"this segseal-bench has no {name}")
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise Wrong(f"{' '.join(command)}: status {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if words is OTHER_KINDS:
        return [row for row in rows if name in ("hmac", "time") or
                (row["case"] in ("memo off", "memo hit") and row["burst"] == 64)]
    return rows


def identity(row):
    """What tells a row from others of a run."""
    return tuple((name, value) for name, value in row.items() if name in
                 ("bench", "case", "algorithm", "profile", "segments", "burst", "flows", "keys",
                  "workers", "traffic", "pages"))


def collect(options, folder, say):
    """The rows of all benches, of those that fail up to there; what was skipped and what has failed
    is added to options."""
    rows = {}

    def add(found):
        for row in found:
            rows.setdefault(identity(row), row)

    def attempt(name, action):
        began = time.monotonic()
        try:
            add(action())
            say(f"{name}: {time.monotonic() - began:.0f} s")
        except Unusable as error:
            skipped = f"{name}: {error}"
            if skipped not in options.skipped:
                options.skipped.append(skipped)
                say(f"SKIPPED {skipped}")
        except (Wrong, OSError, RuntimeError) as error:
            options.failed.append(f"{name}: failed: {error}")
            say(options.failed[-1])

    for name in PIECES:
        for words in words_of_pieces(options):
            attempt(name, lambda name=name, words=words: piece(options, name, words))
    for name, run in WHOLE.items():
        attempt(name, lambda run=run: run(options, folder))
    return list(rows.values())


def run(options, folder):
    """Write OUTPUT/results.json; what it holds."""
    def say(text):
        print(f"bench: {text}", file=sys.stderr, flush=True)

    described = machine.describe(options, folder)
    rows = collect(options, folder, say)
    skipped = options.skipped + options.failed
    results = {"machine": described, "skipped": skipped, "rows": rows}
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "results.json"
    path.write_text(dump(results))
    say(f"{len(rows)} results in {path}")
    return results


def dump(results):
    """JSON with a row in each line."""
    head = json.dumps({name: value for name, value in results.items() if name != "rows"}, indent=1)
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in results["rows"])
    return f'{head[:-2]},\n "rows": [\n{rows}\n]}}\n'
