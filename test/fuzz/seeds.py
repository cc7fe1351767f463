#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the seeds of the fuzz targets' corpora: small inputs that take each way there is.

usage: seeds.py [--check] FOLDER

FOLDER/TARGET/seed-NAME is written for each; what else lies there (found by fuzzing, named by its
hash) is left alone. --check: write nothing, fail if a seed is missing or differs.
"""

import argparse
import pathlib
import sys

import seeds_gate
import seeds_grammar
import seeds_jsonrpc
import seeds_keyfile
import seeds_srh

TARGETS = {
    "grammar": seeds_grammar.seeds,
    "insert_verify": seeds_gate.insert_verify,
    "jsonrpc": seeds_jsonrpc.seeds,
    "keyfile": seeds_keyfile.seeds,
    "srh": seeds_srh.seeds,
    "strip_insert": seeds_gate.strip_insert,
    "verify": seeds_gate.verify,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()

    wrong = []
    for target, seeds in TARGETS.items():
        folder = args.folder / target
        made = {"seed-" + name: octets for name, octets in seeds()}
        if not args.check:
            folder.mkdir(parents=True, exist_ok=True)
        stale = {path.name for path in folder.glob("seed-*")} - set(made)
        for name in sorted(stale):
            wrong.append(f"{target}/{name}: no seed is named so any more")
            if not args.check:
                (folder / name).unlink()
        for name, octets in made.items():
            path = folder / name
            if path.exists() and path.read_bytes() == octets:
                continue
            wrong.append(f"{target}/{name}: differs from what {sys.argv[0]} makes")
            if not args.check:
                path.write_bytes(octets)
    if args.check and wrong:
        sys.exit("\n".join(wrong))


main()
