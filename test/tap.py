#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a cmocka program and give meson a TAP stream that it understands.

cmocka 1.1 says "not ok 3 # SKIP name" of a skipped test, which TAP readers count as a failure,
writes one plan for each group of tests, and mixes what the program prints into the stream. Here a
skipped test becomes "ok 3 - name # SKIP reason", the reason being what was printed just before;
groups become one sequence; everything else is a comment.

Without CMOCKA_MESSAGE_OUTPUT=TAP in the environment the program runs as it is.
"""

import os
import re
import signal
import subprocess
import sys

TEST = re.compile(r"^(ok|not ok) \d+(?: - (.*))?(?: # SKIP ?(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)$")


def main():
    argv = sys.argv[1:]
    if os.environ.get("CMOCKA_MESSAGE_OUTPUT") != "TAP":
        os.execvp(argv[0], argv)

    child = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, errors="backslashreplace")
    # meson ends a test that takes too long by a signal to this process.
    signal.signal(signal.SIGTERM, lambda *_: child.kill())
    planned = 0
    number = 0
    said = []
    for line in child.stdout:
        line = line.rstrip("\n")
        plan = PLAN.match(line)
        test = TEST.match(line)
        if plan:
            planned += int(plan[1])
        elif test:
            number += 1
            if line.startswith("not ok") and test[3] is not None:
                reason = " ".join(said) or "no reason given"
                print(f"ok {number} - {test[3]} # SKIP {reason}")
            else:
                print(f"{test[1]} {number} - {test[2] or ''}")
            said = []
        else:
            print("# " + line)
            if line and not line.startswith("# "):
                said = (said + [line])[-3:]
        sys.stdout.flush()
    status = child.wait()
    print(f"1..{max(planned, number)}")
    if status < 0:
        print(f"# ended by signal {-status}")
        return 128 - status
    return status


sys.exit(main())
