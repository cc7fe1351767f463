# SPDX-License-Identifier: BSD-3-Clause
"""keys: changes of keys over the socket, and what packets suffer by them.

One worker forwards 62 flows that are sealed with a key each, one whose HMAC is wrong and one whose
key is not there. Each look at the counters knows how many packets were received, and so which
verdict each of them must have got: the exact numbers, or the run ends.

`add`, `set` and `del` are requests a second: `call` waits for each answer, `batch` sends 64 in a
line. `N/s others` adds and deletes keys that no packet has, so many changes a second; `N/s in use`
replaces keys of the flows.
"""

import itertools
import json
import os
import statistics
import time

from benches import Wrong, frames
from benches.forwarders import Segseal
from benches.rows import row

FLOWS = 64
TAMPERED, UNKNOWN = 20, 40  # places in the capture
BATCH = 64  # requests in a line, at most
OTHERS = 100_000  # the first key that no packet has
RATES = (1000, 10000)


def traffic(kind):
    """(keys that the gateway knows, frames)"""
    found = frames.sealed(FLOWS, keys=FLOWS, **kind)
    found[TAMPERED] = frames.tampered(found[TAMPERED])
    return [frames.key(i, **kind) for i in range(FLOWS) if i != UNKNOWN], found


def expected(received):
    """(verified, wrong, unknown) of the first so many packets of the capture played for ever."""
    rounds, rest = divmod(received, FLOWS)
    wrong, unknown = rounds + (rest > TAMPERED), rounds + (rest > UNKNOWN)
    return received - wrong - unknown, wrong, unknown


class Judged(Segseal):
    """A gateway of which each verdict is known beforehand."""

    def check(self, stats):
        drops = {reason: n for reason, n in stats["drops"].items() if n}
        verified, wrong, unknown = expected(stats["rx"])
        right = {name: n for name, n in
                 (("hmac_mismatch", wrong), ("key_unknown", unknown)) if n}
        if stats["verified"] != verified or stats["tx"] != verified or drops != right:
            raise Wrong(
                f"a packet was lost or judged wrong: of {stats['rx']} {verified} were to be "
                f"verified, {right} dropped: {stats}"
            )


def request(method, key_id, kind=None):
    params = {"id": key_id}
    if kind:
        params.update(kind, secret=frames.SECRET)
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def encoded(requests):
    """Lines of up to BATCH requests each, and how many are in each."""
    return [
        (json.dumps(requests[i : i + BATCH]).encode() + b"\n", len(requests[i : i + BATCH]))
        for i in range(0, len(requests), BATCH)
    ]


class Changes:
    """Key changes at a steady rate: lines of requests, over and over."""

    def __init__(self, client, lines, rate):
        self.client = client
        self.lines = itertools.cycle(lines)
        self.rate = rate
        self.made = 0
        self.seconds = 0.0

    def __call__(self, seconds):
        began = time.monotonic()
        end, made = began + seconds, 0
        while (now := time.monotonic()) < end:
            line, count = next(self.lines)
            due = began + made / self.rate
            if due > now:
                time.sleep(min(due, end) - now)
                if due >= end:
                    break
            self.client.send_raw(line)
            answer = self.client.read_line()
            if answer.count(b'"result"') != count:
                raise Wrong(f"a key change failed: {answer[:300]}")
            made += count
        self.made += made
        self.seconds += time.monotonic() - began


def others(kind, count):
    """Requests that add and delete so many keys that no packet has."""
    ids = [OTHERS + i for i in range(count)]
    return [request(m, i, kind if m == "key.add" else None) for i in ids for m in
            ("key.add", "key.del")]


def in_use(kind, keys):
    return [request("key.set", key.id, kind) for key in keys]


def operations(client, kind, count):
    """{case: seconds that one operation took}, each of count keys that no packet has."""
    ids = [OTHERS + i for i in range(count)]
    found = {}
    for way in ("call", "batch"):
        for method in ("key.add", "key.set", "key.del"):
            requests = [request(method, i, None if method == "key.del" else kind) for i in ids]
            lines = (encoded(requests) if way == "batch" else
                     [(json.dumps(one).encode() + b"\n", 1) for one in requests])
            began = time.monotonic()
            for line, wanted in lines:
                client.send_raw(line)
                answer = client.read_line()
                if answer.count(b'"result"') != wanted:
                    raise Wrong(f"{method} failed: {answer[:300]}")
            found[f"{method[4:]}, {way}"] = (time.monotonic() - began) / count
    return found


def steer_clear():
    """Off the worker's CPU, as far as there is another; what to go back to."""
    ours = os.sched_getaffinity(0)
    if len(ours) > 1:
        os.sched_setaffinity(0, ours - {max(ours)})
    return ours


def run(options, folder):
    kind = {"algorithm": options.algorithm, "profile": options.profile}
    known, found = traffic(kind)
    capture = frames.write(folder / "keys.pcap", found)
    key_path = folder / "keys.keys"
    key_path.touch(0o600)
    key_path.write_text(frames.key_file(known))
    config = f"key load {key_path}\nport 0 verify require\nlog drops off\n"
    gateway = Judged(
        "keys", options.build, folder, capture, config, "verified", huge=options.huge
    )
    with gateway:
        ours = steer_clear()
        try:
            hz = gateway.hz()
            yield from operation_rows(options, gateway, kind, hz)
            yield from rate_rows(options, gateway, kind, known, hz)
        finally:
            os.sched_setaffinity(0, ours)


def common(options, burst):
    return {"algorithm": options.algorithm, "profile": options.profile, "segments": 2,
            "burst": burst, "flows": FLOWS, "workers": 1}


def operation_rows(options, gateway, kind, hz):
    rounds = []
    client = gateway.gateway.connect()
    for _ in range(options.rounds):
        gateway.packets()
        rounds.append(operations(client, kind, options.changes))
        gateway.packets()
    for case in rounds[0]:
        seconds = [one[case] for one in rounds]
        yield row("keys", case, [one * hz for one in seconds], **common(options, 1),
                  per_second=round(1 / statistics.median(seconds)))


def rate_rows(options, gateway, kind, known, hz):
    client = gateway.gateway.connect()
    contestants = [("0/s", None)]
    for what, requests in (("others", others(kind, 1024)), ("in use", in_use(kind, known))):
        for rate in RATES:
            # At 1000 a second in small lines: a change every moment, not 64 at a time.
            lines = encoded(requests) if rate > 1000 else [
                (json.dumps(requests[i : i + 2]).encode() + b"\n", len(requests[i : i + 2]))
                for i in range(0, len(requests), 2)
            ]
            contestants.append((f"{rate}/s {what}", Changes(client, lines, rate)))
    samples = [[] for _ in contestants]
    # The first round is for nothing: replaced keys lie elsewhere than those of the file, for all.
    for number in range(options.rounds + 1):
        for (_, changes), into in zip(contestants, samples):
            sample = gateway.sample(options.warm_up, options.seconds, changes or time.sleep)
            if number > 0:
                into.append(sample)
    gateway.let_go()
    gateway.packets()
    burst = round(gateway.burst())
    for (case, changes), into in zip(contestants, samples):
        ratios = [undisturbed.cycles(hz) / one.cycles(hz)
                  for undisturbed, one in zip(samples[0], into)]
        yield row("keys", case, [one.cycles(hz) for one in into], **common(options, burst),
                  packets_per_second=round(statistics.median(one.rate for one in into)),
                  of_undisturbed=round(statistics.median(ratios), 4),
                  changes_per_second=round(changes.made / changes.seconds) if changes else 0,
                  changes=changes.made if changes else 0)
