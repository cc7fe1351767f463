# SPDX-License-Identifier: BSD-3-Clause
"""The list of commands as help prints it, and lines that are wrong in each way there is.

Read from the program, so that a command that is new is tried without anybody thinking of it.
"""

import itertools
import subprocess

NUMBERS = ("-1", "1.5", "0x", "99999999999999999999", "frob")
# For each type of value: a good one, and some that are not.
VALUES = {
    "ID": ("7", ("0", "4294967296", *NUMBERS)),
    "OLD": ("7", ("0", "4294967296", *NUMBERS)),
    "NEW": ("8", ("0", "4294967296", *NUMBERS)),
    "WINDOW": ("..+1h", ("+1h", "..1h", "2026-13-01T00:00:00Z..", "..99999-01-01T00:00:00Z", "frob")),
    "ALGORITHM": ("sha256", ("md5", "SHA256", "frob")),
    "PROFILE": ("linux", ("Linux", "frob")),
    "N": ("0", ("65536", *NUMBERS)),
    "M": ("1", ("65536", *NUMBERS)),
    "PREFIX": ("fc00::/16", ("fc00::", "fc00::/129", "fc00::1/16", "10.0.0.0/8", "frob")),
    "BYTES": ("1500", ("1279", "65536", *NUMBERS)),
    "ADDR": ("fc00::1", ("ff02::1", "::", "10.0.0.1", "frob")),
    "RATE": ("100", ("0", "1000001", *NUMBERS)),
    "COUNT": ("5", ("0", "101", *NUMBERS)),
    "LIMIT": ("5", ("0", "1000000001", *NUMBERS)),
    "MILLISECONDS": ("500", ("99", "3600001", *NUMBERS)),
    "REASON": ("hmac_mismatch", ("hmac", "frob")),
    "PATH": ("/nonexistent/file", ()),
    "COMMAND": ("key", ()),
}
LONG = 600
JUNK = bytes(c for c in range(0x80, 0x100))


def patterns(program):
    """The usage of each command."""
    done = subprocess.run([str(program), "help"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if not line.startswith(" ")]


def choices(pattern):
    """The pattern's words for each choice that its brackets leave."""
    parts = [[]]  # of each part, the ways to go on
    rest = pattern
    while rest:
        before, bracket, rest = rest.partition("[")
        parts = [words + before.split() for words in parts]
        if bracket:
            inside, _, rest = rest.partition("]")
            ways = [[]] + [way.split() for way in inside.split(" | ")]
            parts = [words + way for words, way in itertools.product(parts, ways)]
    return parts


def takes(place, word):
    """Whether the word may stand there, as far as we know."""
    place = place.removesuffix("...")
    if place.isupper():
        assert place in VALUES, f"new type of value {place}: give it an example in {__file__}"
        return word not in VALUES[place][1]
    parts = place.split("|")
    return word in parts or any(part.isupper() and takes(part, word) for part in parts)


def example(place):
    first = place.removesuffix("...").split("|")[0]
    assert not first.isupper() or first in VALUES, f"new type of value {first}"
    return VALUES[first][0] if first.isupper() else first


def fits(places, words):
    if places and places[-1].endswith("..."):
        places = places + [places[-1]] * (len(words) - len(places))
    return len(places) == len(words) and all(map(takes, places, words))


class Grammar:
    def __init__(self, program):
        self.patterns = patterns(program)
        self.forms = {pattern: choices(pattern) for pattern in self.patterns}

    def is_command(self, words):
        return any(fits(form, words) for forms in self.forms.values() for form in forms)

    def is_beginning(self, words):
        return any(
            len(form) > len(words) and fits(form[: len(words)], words)
            for forms in self.forms.values()
            for form in forms
        )

    def wrong(self, pattern):
        """Lists of words: each would be this command, but for one thing."""
        seen = set()
        for places in self.forms[pattern]:
            good = [example(place) for place in places]
            assert self.is_command(good), good
            tries = [good[:n] for n in range(1, len(good))]
            tries += [good + ["frob"]]
            for at, place in enumerate(places):
                bad = VALUES.get(place.split("|")[0], ("", ("frob",)))[1]
                tries += [good[:at] + [word] + good[at + 1 :] for word in (*bad, "frob", '""')]
            for words in tries:
                if tuple(words) not in seen and not self.is_command(words):
                    seen.add(tuple(words))
                    yield words

    def longest(self, pattern):
        return [example(place) for place in max(self.forms[pattern], key=len)]
