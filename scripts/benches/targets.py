# SPDX-License-Identifier: BSD-3-Clause
"""What segseal is to reach, and what it has reached."""

from benches.results import number, ratio, table

MOST, LEAST = "at most", "at least"


def saved(value, other):
    return None if value is None or not other else 100 * (1 - value / other)


def gateways(r):
    for pages in sorted(r.values("pages", "gateway")):
        for case, bound in (("memo hit", 1.5), ("memo off", 4)):
            yield (
                f"gateway, {case}, one worker, to testpmd macswap, pages of {pages}", MOST, bound,
                ratio(r.gateway(case, pages=pages), r.gateway("testpmd macswap", pages=pages)), "x",
            )


def verdicts(results):
    """[(what, at most or at least, bound, measured, unit)]; measured is None if it was not."""
    r = results
    off, bare = r.cycles("verify", "memo off"), r.bare("verify")
    aesni = r.cycles("verify", "cryptodev aesni_mb")
    batch = r.cycles("hmac", "segseal batch")
    one, two = (r.gateway("memo hit", "packets_per_second", workers=n) for n in (1, 2))
    own_one, own_two = (
        r.gateway("memo hit", "packets_per_cpu_second", workers=n) for n in (1, 2))
    churn = r.row("keys", "10000/s in use")
    flows = {way: r.cycles("verify", f"flows, {way}", flows=65536) for way in
             ("memo off", "memo hit")}
    return [
        ("verify, memo off, burst 64, to the bare IPsec-MB call", MOST, 1.35,
         ratio(off, bare), "x"),
        ("the same to cryptodev aesni_mb's HMAC alone", MOST, 1, ratio(off, aesni), "x"),
        ("verify, memo off, burst 1, to burst 32", MOST, 1.6,
         ratio(r.cycles("verify", "memo off", burst=1), r.cycles("verify", "memo off", burst=32)),
         "x"),
        ("verify, memo hit, 64 flows", MOST, 60,
         r.cycles("verify", "memo hit", flows=64), "ticks"),
        ("verify, memo hit, 65536 flows, to memo off", MOST, 0.5,
         ratio(flows["memo hit"], flows["memo off"]), "x"),
        ("insert, header seen before", MOST, 60, r.cycles("insert", "memo hit"), "ticks"),
        ("saved by a batch, to preparing the key each time", LEAST, 85,
         saved(batch, r.cycles("hmac", "segseal raw key")), "%"),
        ("the same, to OpenSSL with the raw key each time", LEAST, 85,
         saved(batch, r.cycles("hmac", "openssl raw key")), "%"),
        ("batch, to Linux's own HMAC", MOST, 0.5, ratio(batch, r.kernel()), "x"),
        *gateways(r),
        ("packets of two workers, to one (memo hit)", LEAST, 1.9, ratio(two, one), "x"),
        ("the same by the workers' time on their CPUs", LEAST, 1.9,
         ratio(2 * own_two, own_one) if own_one and own_two else None, "x"),
        ("rate with 10000 key changes a second, to undisturbed", LEAST, 95,
         churn and 100 * churn["of_undisturbed"], "%"),
    ]


def reached(how, bound, measured):
    return measured <= bound if how == MOST else measured >= bound


def judged(how, bound, measured):
    if measured is None:
        return "not measured"
    if reached(how, bound, measured):
        return "reached"
    return f"**missed by {abs(measured / bound - 1):.0%}**"


def shown(value, unit):
    if value is None:
        return "-"
    text = f"{value:.2f}" if unit == "x" else number(value)
    return f"{text} {unit}"


def targets(results):
    """A table of them."""
    return table(
        ["what", "target", "measured", ""],
        [
            [what, f"{how} {bound} {unit}", shown(measured, unit), judged(how, bound, measured)]
            for what, how, bound, measured, unit in verdicts(results)
        ],
    )
