"""of_key_costs.py - what Key et al. 2024 claim of cost models: D.3, Figures 15 to 20, appendix E.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import math
import statistics

from claim import ask_json, claim, figure, number, one, pick, ranks, recalls, runs, span, value
from of_key import N, SIZES


@claim("Figure 15", "The lines of the cost models are aligned with PyTorch at n = 2^10.", "key-15")
def aligned():
    off = []
    for m, shift in (1, 31.8), (256, 30.2):
        line = number(one(figure("key-15"), n=1024, k=256, m=m), "cost_serial_exact") / m / 2**shift
        off += [abs(1e6 * line / number(row, "time_us_median") - 1)
                for row in pick(figure("key-15"), n=1024, m=m)]
    return (max(off) < .05, f"There the serial line misses the measured times by up to "
            f"{100 * max(off):.0f} %: its shift was set by hand.")


def slopes(m):
    times = [number(one(runs("keyetal/exact"), n=n, k=256, m=m), "time_us_median") for n in SIZES]
    return [math.log2(b / a) / 2 for a, b in zip(times, times[1:])]


@claim("D.3", "The time of torch.topk grows with n once the device is full.", "key-15")
def grows_with_n():
    many, single = slopes(256), slopes(1)
    return ((many[0] < .5, many[-1] > .9),
            f"For m = 256, k = 256 the slope rises from {many[0]:.2f} to {many[-1]:.2f}; for m = 1 "
            f"it never exceeds {max(single):.2f}.")


def growths(m, model):
    """From b k_b = k, without stage 2, to 2k: the growth of the time over that of the cost."""
    rows = pick(figure("key-tradeoff"), m=m)
    without, first = ({(row["n"], row["k"], row["k_b"]): row for row in rows
                       if int(row["b"]) * int(row["k_b"]) == ratio * int(row["k"])}
                      for ratio in (1, 2))
    return [number(first[at], "time_us") / number(row, "time_us") *
            number(row, f"cost_{model}") / number(first[at], f"cost_{model}")
            for at, row in without.items() if at in first]


@claim("D.3", "The cost models underestimate stage 2.", "key-tradeoff")
def stage_2():
    growth = [[statistics.median(growths(m, model)) for model in ("basic", "serial")]
              for m in (1, 256)]
    return (tuple(min(pair) > 1 for pair in growth),
            "Where stage 2 begins, the time grows {:.2f} (basic) and {:.2f} (serial) times as much "
            "as the cost for m = 1, but {:.2f} and {:.2f} times for m = 256.".format(
                *growth[0], *growth[1]))


@claim("D.3, Figure 16", "The time of their queue grows less with k than the serial cost, above "
       "all for k = 2 and 3.", "key-16")
def queue_and_k():
    times = {(row["n"], row["m"], int(row["k"])): float(row["time_us_median"])
             for row in figure("key-16")}
    over = {k: [value(of / times[n, m, 1]) for (n, m, j), of in times.items() if j == k]
            for k in (2, 3, 4)}
    return (tuple(max(over[k]) < (3 * k - 1) / 2 for k in over),
            "Over that of k = 1 it is {} times for k = 2, {} for 3 and {} for 4, where the cost "
            "grows 2.5, 4 and 5.5 times.".format(*(span(of) for of in over.values())))


@claim("Figure 17", "The basic and the serial cost rank shapes as their times, except for n = 2^20 "
       "and k = 64, where more buckets are faster.", "key-17")
def rank_correlations():
    panels = {}
    for row in figure("key-17"):
        if int(row["candidates"]) <= 8 * int(row["k"]) and int(row["candidates"]) < int(row["n"]):
            run = one(runs("keyetal/two-stage"), **{c: row[c] for c in ("n", "k", "b", "k_b", "m")})
            panels.setdefault((row["n"], row["k"], row["m"]), []).append((row, run))
    found = {at: [statistics.correlation(
        ranks([number(run, "time_us_median") for _, run in cells]),
        ranks([number(row, f"cost_{model}") for row, _ in cells]))
        for model in ("basic", "serial")] for at, cells in panels.items()}
    apart = [x for at, pair in found.items() if at[:2] == (str(N), "64") for x in pair]
    rest = [x for at, pair in found.items() if at[:2] != (str(N), "64") for x in pair]
    return ((min(rest) > .75, max(apart) < min(rest)),
            f"Rank correlations are {span(rest)} in the other panels, {span(apart)} in these.")


@functools.cache
def grid(k):
    """The paper's shapes of n = 2^20, powers of two with k <= b k_b <= n, and any k_b up to k."""
    rows = []
    for k_b in (2**i for i in range(k.bit_length())):
        bs = [2**i for i in range(21) if k <= 2**i * k_b <= N]
        rows += recalls(N, k, k_b, bs).values()
    return rows


def best(k, recall, free):
    """The largest speed-up by the serial cost with that recall: b k_b = k, or more."""
    row = max((row for row in grid(k) if float(row["recall"]) >= recall and
               (int(row["candidates"]) > k if free else int(row["candidates"]) == k)),
              key=lambda row: float(row["speedup_serial"]))
    return number(row, "speedup_serial"), int(row["k_b"]), int(row["candidates"]) // k


def any_buckets(k, recall):
    """The largest speed-up with any b and k_b up to 64."""
    found = ask_json("select", "--n", N, "--k", k, "--recall", recall, "--objective", "serial",
                     "--kb-max", 64)
    return 1 / value(found["choice"]["over_exact"])


def costs_least(k, recall, model, good=lambda row: True):
    """The shape with that recall whose cost is least: its speed-up, k_b, b k_b / k."""
    row = max((row for row in grid(k) if float(row["recall"]) >= recall and good(row)),
              key=lambda row: float(row[f"speedup_{model}"]))
    return number(row, f"speedup_{model}"), int(row["k_b"]), int(row["candidates"]) // k


SMALL = [2**i for i in (6, 8, 10, 12, 14)]  # k from n/16384 to n/64


@claim("Appendix E, first", "For k up to n/64 small losses are to be had at large speed-ups (basic "
       "and serial cost).", "key-18, `recallmodel recall`")
def small_k():
    found = [[costs_least(k, .99, model)[0] for k in SMALL] for model in ("basic", "serial")]
    return (tuple(min(of) > 3 for of in found),
            f"n = 2^20, k = 64 to n/64, recall .99: {span(found[0], '.1f')} times (basic), "
            f"{span(found[1], '.1f')} times (serial).")


@claim("Appendix E, second", "There, raise b and keep k_b = 1; for very small losses raise k_b, "
       "too.", "key-19, `recallmodel recall`")
def small_k_b():
    of = {recall: [round(value(costs_least(k, recall, "serial")[1])) for k in SMALL]
          for recall in (.7, .9, .95, .99)}
    return (tuple(max(k_b) == 1 for k_b in list(of.values())[:3]) + (max(of[.99]) > 1,),
            "Serial cost, k = 64 to n/64: the best k_b is " + "; ".join(
                f"{', '.join(map(str, k_b))} at {recall}" for recall, k_b in of.items()) + ".")


@claim("Appendix E, fourth", "By the parallel cost speed-ups are large where stage 2 is not "
       "needed, and raising k_b always comes before raising b k_b.",
       "key-20, `recallmodel recall`")
def parallel_cost():
    ks = SMALL[:4]
    at = {recall: [costs_least(k, recall, "parallel") for k in ks]
          for recall in (.7, .85, .9, .95, .99)}
    firsts = [next((recall for recall in at if at[recall][i][2] > 1), None) for i in range(4)]
    large = [of[0] for of in at[.7]]
    return ((min(large) > 10, not any(firsts)),
            f"k = 64 to 4096: {span(large, '.0f')} times at .7, with b k_b = k. More buckets are "
            "better from a recall of " + ", ".join(
                f"{recall} (k = {k})" for k, recall in zip(ks, firsts)) + " on.")


@claim("Figure 20, caption", "By the parallel cost very small losses leave little speed-up.",
       "key-20, `recallmodel recall`")
def parallel_small_loss():
    found = [costs_least(k, .99, "parallel")[0] for k in SMALL[:4]]
    return max(found) < 4, f"Recall .99, k = 64 to 4096: {span(found, '.1f')} times."


@claim("Appendix E, third", "Where k is a fixed share of n, raise k_b and keep b k_b = k (k = n/4, "
       "n = 2^20, the serial cost).", "ours-best-kb, `recallmodel recall`")
def raise_k_b_quarter():
    k = N // 4
    equal, more, any_b = best(k, .95, False), best(k, .95, True), any_buckets(k, .95)
    last, last_more, last_any = best(k, .99, False), best(k, .99, True), any_buckets(k, .99)
    return ((equal[0] > more[0], equal[0] > any_b - 1e-6, last[0] > last_more[0],
             last[0] > last_any),
            f"R = .95: {equal[0]:.2f} times cheaper than exact top-k with k_b = {equal[1]}, beside "
            f"{more[0]:.2f} with k_b = {more[1]}, b k_b = {more[2]}k; with any b, k_b up to 64, "
            f"{any_b:.2f}. R = .99: {last[0]:.2f} with k_b = {last[1]}, beside {last_more[0]:.2f}; "
            f"with any b {last_any:.2f}.")


@claim("Appendix E, third", "The same for k = n/16.", "ours-best-kb, `recallmodel select "
       "--objective serial`")
def raise_k_b_sixteenth():
    k = N // 16
    pairs = {recall: (best(k, recall, False), best(k, recall, True))
             for recall in (.7, .85, .9, .95)}
    equal, more = pairs[.85]
    return (tuple(a[0] > b[0] for a, b in pairs.values()),
            f"R = .7: {pairs[.7][0][0]:.1f} times cheaper than exact top-k, beside "
            f"{pairs[.7][1][0]:.1f}. R = .85: {equal[0]:.2f} with k_b = {equal[1]}, but "
            f"{more[0]:.2f} with k_b = {more[1]}, b k_b = {more[2]}k, and "
            f"{any_buckets(k, .85):.2f} with any b. R = .95: {pairs[.95][0][0]:.2f} and "
            f"{pairs[.95][1][0]:.2f}.")


@claim("Appendix E, third", "The same, in their runs (k_b up to 4, R = .8).", "ours-best-kb")
def raise_k_b_measured():
    fastest = {}
    for share in 4, 16:
        for row in (row for row in runs("keyetal/two-stage")
                    if int(row["n"]) == share * int(row["k"]) and row["k"] != "1"):
            model = recalls(row["n"], row["k"], row["k_b"], [int(row["b"])])[int(row["b"])]
            if number(model, "recall") >= .8:
                cell = fastest.setdefault((share, row["n"], row["m"]), [])
                cell.append((number(row, "time_us_median"), row["candidates_over_k"] == "1"))
    equal = {share: [min(cell)[1] for at, cell in fastest.items() if at[0] == share]
             for share in (4, 16)}
    return (tuple(equal[4] + equal[16]),
            f"b k_b = k is the fastest in {sum(equal[4])} of {len(equal[4])} cases for k = n/4, in "
            f"{sum(equal[16])} of {len(equal[16])} for k = n/16.")
