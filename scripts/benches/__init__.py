# SPDX-License-Identifier: BSD-3-Clause
"""The benches of whole programs, and what scripts/bench does with the results of all benches."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
# The launcher of gateways, the packet builder and the second opinion on HMACs are the tests'.
sys.path[:0] = [str(TOP / "test"), str(TOP / "scripts")]


class Unusable(Exception):
    """What is to be measured is not to be had on this machine."""


class Wrong(Exception):
    """The thing measured did not do what it is measured for."""
