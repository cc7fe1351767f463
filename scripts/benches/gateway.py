# SPDX-License-Identifier: BSD-3-Clause
"""gateway: segseal's own loop from net_pcap to net_null, and testpmd's on the same devices.

Cases: `testpmd macswap`; segseal with `verify off`, `memo hit` and `memo off` (each packet's HMAC
is computed). By workers at 64 flows and one key; by flows, by keys, by sizes of packets and by
segments with one worker. With huge pages if enough are free, and the first cases without them, too.
"""

import contextlib
import statistics
import sys

from benches import Unusable, frames
from benches.forwarders import Segseal, Testpmd
from benches.rows import row

FLOWS = 64
SEGMENTS = (2, 6, 14)
CASES = {
    # name: (configuration, counter that each packet has, entries of the memo or None)
    "verify off": ("port 0 verify off\n", "unchecked", None),
    "memo hit": ("port 0 verify require\n", "verified", 1 << 17),
    "memo off": ("port 0 verify require\n", "verified", 0),
}
MACSWAP = "testpmd macswap"


class Arena:
    """Forwarders that take turns on one capture."""

    def __init__(self, options, folder, stack, *, flows=FLOWS, segments=2, keys=1,
                 traffic="smallest", huge=None):
        self.options = options
        self.folder = folder
        self.stack = stack
        self.flows = flows
        self.segments = segments
        self.keys = keys
        kind = {"algorithm": options.algorithm, "profile": options.profile}
        self.traffic = traffic
        self.huge = options.huge if huge is None else huge
        name = f"{flows}-{segments}-{keys}-{traffic}"
        sealed = frames.sealed(flows, segments, keys, traffic, **kind)
        self.octets = round(sum(map(len, sealed)) / len(sealed))
        self.capture = frames.write(folder / f"{name}.pcap", sealed)
        self.key_path = folder / f"{name}.keys"
        self.key_path.touch(0o600)
        self.key_path.write_text(frames.key_file(frames.key(i, **kind) for i in range(keys)))
        self.entered = []

    def enter(self, forwarder):
        self.entered.append(self.stack.enter_context(forwarder))
        forwarder.hold()
        return forwarder

    def segseal(self, case, workers=1):
        config, expected, memo = CASES[case]
        config = f"key load {self.key_path}\n{config}"
        self.enter(
            Segseal(
                case,
                self.options.build,
                self.folder,
                self.capture,
                config,
                expected,
                workers=workers,
                memo=memo,
                huge=self.huge,
            )
        )

    def testpmd(self, workers=1):
        try:
            self.enter(Testpmd(MACSWAP, self.folder, self.capture, workers, self.huge))
        except Unusable as error:
            skipped = f"gateway, {MACSWAP}: {error}"
            if skipped not in self.options.skipped:
                self.options.skipped.append(skipped)
                print(f"bench: SKIPPED {skipped}", file=sys.stderr)

    def run(self, hz):
        """Rows, one for each forwarder."""
        samples = [[] for _ in self.entered]
        for _ in range(self.options.rounds):
            for forwarder, found in zip(self.entered, samples):
                found.append(forwarder.sample(self.options.warm_up, self.options.seconds))
        return [
            self.row(forwarder, found, hz) for forwarder, found in zip(self.entered, samples)
        ]

    def row(self, forwarder, samples, hz):
        burst = 32
        if isinstance(forwarder, Segseal):
            forwarder.let_go()
            forwarder.packets()
            burst = round(forwarder.burst())
            forwarder.hold()
        return row(
            "gateway",
            forwarder.name,
            [one.cycles(hz) for one in samples],
            algorithm=self.options.algorithm,
            profile=self.options.profile,
            segments=self.segments,
            burst=burst,
            flows=self.flows,
            keys=self.keys,
            workers=forwarder.workers,
            traffic=self.traffic,
            pages="2 MiB" if self.huge else "4 KiB",
            octets=self.octets,
            packets_per_second=round(statistics.median(one.rate for one in samples)),
            packets_per_cpu_second=round(
                statistics.median(one.packets / one.cpu_seconds for one in samples)
            ),
        )


def measure_hz(arena):
    forwarder = next(one for one in arena.entered if isinstance(one, Segseal))
    forwarder.let_go()
    hz = forwarder.hz()
    forwarder.hold()
    return hz


def one_arena(options, folder, cases, workers=(1,), **traffic):
    with contextlib.ExitStack() as stack:
        arena = Arena(options, folder, stack, **traffic)
        for count in workers:
            arena.testpmd(count)
            for case in cases:
                arena.segseal(case, count)
        yield from arena.run(measure_hz(arena))


def run(options, folder):
    """Rows as they are measured."""
    yield from one_arena(options, folder, CASES, workers=options.workers)
    if options.huge:  # and as most machines are that nobody has prepared
        yield from one_arena(options, folder, CASES, huge=False)
    for flows in options.flows:
        if flows != FLOWS:
            yield from one_arena(options, folder, ("memo hit", "memo off"), flows=flows)
    for keys in options.keys:
        if keys > 1:
            # As many flows as were measured with one key.
            flows = min([n for n in options.flows if n >= keys], default=keys)
            yield from one_arena(options, folder, ("memo hit", "memo off"), flows=flows, keys=keys)
    if "imix" in options.traffic:
        # As many flows as the pattern of sizes takes to come out even.
        yield from one_arena(options, folder, ("memo hit", "memo off"), flows=60, traffic="imix")
    for segments in options.segments or SEGMENTS:
        if segments != 2:
            yield from one_arena(options, folder, ("memo hit", "memo off"), segments=segments)
