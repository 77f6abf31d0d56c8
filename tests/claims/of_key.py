"""of_key.py - the claims of Key et al. 2024, arXiv 2412.04358.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import math
import statistics

from claim import (ask, ask_json, claim, figure, joined, number, one, paper, pick, recalls, runs,
                   span, value)
from key_models import ranks

paper("Key et al. 2024 (arXiv 2412.04358)")
SIZES = [2**i for i in range(10, 23, 2)]
N = 2**20


@functools.cache
def theory():
    """The published rows of n = 2^20 with k_b up to 8, each with what `recall` prints."""
    rows = [row for row in pick(runs("keyetal/theory"), n=N) if int(row["k_b"]) <= 8]
    asked = {}
    for row in rows:
        asked.setdefault((row["k"], row["k_b"]), []).append(int(row["b"]))
    model = {at: recalls(N, *at, bs) for at, bs in asked.items()}
    return [(row, model[row["k"], row["k_b"]][int(row["b"])]) for row in rows]


@claim("Abstract", "Bucketed top-k has much more parallelism than exact top-k.",
       "`recallmodel cost`, keyetal/two-stage")
def parallelism():
    model = recalls(N, 256, 1, [256])[256]
    steps = number(model, "cost_parallel_exact"), number(model, "cost_parallel")
    faster = [number(one(runs("keyetal/exact"), n=n, k=256, m=256), "time_us_median") /
              number(one(runs("keyetal/two-stage"), n=n, k=256, m=256, k_b=1, candidates_over_k=1),
                     "time_us_median") for n in SIZES]
    return ((steps[1] < steps[0] / 10, min(faster) > 1),
            f"n = 2^20, k = b = 256: {steps[0]:.0f} parallel steps become {steps[1]:.0f}. Measured "
            f"with k = b = 256, m = 256, n = 2^10 to 2^22, it is {span(faster, '.1f')} times as "
            "fast as torch.topk.")


@claim("Text", "Bucketed top-k is 2 to 4 times as fast as exact top-k.", "key-04")
def twice_to_four_times():
    speedups = {}
    for name in "vocabulary", "pharmebinet-times":
        rows = runs(f"keyetal/{name}")
        exact, = [row for row in rows if not row["b"]]
        speedups[name] = [number(exact, "time_us_mean") / number(row, "time_us_mean")
                          for row in rows if row["b"]]
    words, graph = speedups["vocabulary"], speedups["pharmebinet-times"]
    within = [2 <= x <= 4 for x in words + graph]
    return ((any(within), max(words + graph) <= 4),
            f"{sum(within)} of the {len(within)} measured shapes of Figure 4 are. The fastest is "
            f"{max(words):.1f} times on the vocabulary and {max(graph):.1f} times on PharMeBINet; "
            f"{sum(x > 4 for x in words + graph)} are above 4, {sum(x < 1 for x in words + graph)} "
            "slower than torch.topk.")


@claim("Eq. (1)", "This binomial sum gives the expected recall, and its error bounds the loss from "
       "above.", "`recallmodel recall`, `test_papers`")
def binomial():
    off = max(abs(number(row, "recall_binomial") - float(model["recall_binomial"]))
              for row, model in theory())
    gaps = [number(model, "recall") - float(model["recall_binomial"]) for _, model in theory()]
    return ((off < 1e-12, min(gaps) > -1e-12),
            f"It is at most the exact recall in {sum(gap > -1e-12 for gap in gaps)} of {len(gaps)} "
            f"published shapes of n = 2^20 with k_b up to 8, and up to {max(gaps):.4f} below it.")


@claim("Eq. (2)", "This is the recall of the worst placement.", "`recallmodel recall`, "
       "`test_recall`")
def worst_case():
    wrong = {"ceil": 0, "floor": 0, "recallmodel": 0}
    shapes = 0
    for n in 8, 12:
        for k in range(1, n + 1):
            for k_b in range(1, k + 1):
                bs = [b for b in range(1, n + 1) if n % b == 0 and k <= b * k_b <= n]
                if not bs:
                    continue
                model = recalls(n, k, k_b, bs)
                for b in bs:
                    size, shapes = n // b, shapes + 1
                    kept = (k // size) * min(k_b, size) + min(k_b, k % size)
                    for name, full in ("ceil", -(-b * k // n)), ("floor", b * k // n):
                        got = value(full * k_b + min(k_b, k % size))
                        wrong[name] += got != kept
                    wrong["recallmodel"] += abs(number(model[b], "recall_worst_case") -
                                                kept / k) > 1e-12
    return (wrong["ceil"] == 0,
            f"As printed, with ceil, it is wrong for {wrong['ceil']} of {shapes} shapes with n = 8 "
            f"and 12, with floor for {wrong['floor']}, ours for {wrong['recallmodel']}.")


@claim("3, Figure 3", "The figure shows the error of Eq. (1).", "key-03")
def figure_3():
    row, model = next((row, model) for row, model in theory()
                      if (row["k"], row["b"], row["k_b"]) == (str(N // 8), "65536", "8"))
    drawn = 1 - number(row, "recall_simulated_mean")
    exact, binomial = number(model, "loss"), number(model, "loss_binomial")
    return (abs(binomial / drawn - 1) < .1,
            f"It shows the mean of 64 simulated rows. For k = n/8, k_b = 8, b = 65536 that is "
            f"{drawn:.6f}, the exact loss {exact:.6f} and Eq. (1) {binomial:.6f}.")


@claim("Figures 3, 18 to 20", "Simulated rows have the recall that theory expects.",
       "`test_papers`")
def simulated():
    z = [(number(row, "recall_simulated_mean") - number(model, "recall")) /
         (float(row["recall_simulated_sd"]) * math.sqrt(64 / 63) / 8)
         for row, model in theory() if float(row["recall_simulated_sd"]) > 0]
    mean, sd = statistics.fmean(z), statistics.stdev(z)
    return (abs(mean) < 3 / math.sqrt(len(z)) and sd < 1.2,
            f"{len(z)} published means of n = 2^20 with k_b up to 8: z has mean {mean:.2f} and "
            f"standard deviation {sd:.2f}, the largest is {max(map(abs, z)):.1f}.")


@claim("Table 1", "The costs of exact top-k in the basic, the serial and the parallel model.",
       "key-table-1, `test_papers`")
def table_1():
    off = []
    for row in runs("keyetal/theory-exact"):
        if row["n"] == str(N):
            model, = recalls(N, row["k"], 1, [row["k"]]).values()
            off += [abs(number(row, f"cost_{name}") / number(model, f"cost_{name}_exact") - 1)
                    for name in ("basic", "serial", "parallel")]
    same = sum(x < 1e-12 for x in off)
    return same == len(off), f"{same} of {len(off)} published costs of n = 2^20 are equal to ours."


@claim("Figures 11 to 14, D.1", "These costs are what the listings count, but for small terms.",
       "`recallmodel count`, `test_topk`")
def listings():
    rows = [row for row in pick(ask("count", "--n", 2**16, "--k", 64), keys="ranks")
            if row["modelled"]]
    over = {row["algorithm"]: number(row, "counted") / number(row, "modelled") - 1 for row in rows}
    wide = one(ask("count", "--n", 2**16, "--k", 64, "--algorithm", "radix_select", "--digits", 1),
               keys="float32")
    return (max(over.values()) < .01,
            f"n = 2^16, k = 64, keys of log2 n bits: up to {100 * max(over.values()):.1f} % more "
            f"({max(over, key=over.get)}). With keys of 32 bits, as the listings have them, "
            f"radix_select counts {number(wide, 'counted') / number(wide, 'modelled'):.2f} times "
            "as much.")


@claim("Figure 2, right", "With k_b = 2 and b k_b = k, buckets are more than 4 times as fast as "
       "torch.topk.", "key-02-scores, `test_key_claims`")
def four_times():
    faster = []
    for n in 1409, 1659:
        exact = one(runs("keyetal/sparq-exact"), n=n, variant="eager")
        row = one(runs("keyetal/sparq-shapes"), n=n, k_b=2, candidates_over_k=1,
                  assignment="interleaved")
        faster.append(number(exact, "time_us_mean") / number(row, "time_us_median"))
    return (min(faster) > 4, f"{faster[0]:.1f} (SQuAD) and {faster[1]:.1f} times (Repetition): the "
            "code divides the time of 32 calls by that of 16.")


@claim("Figure 2, right", "These buckets score nearly as exact top-k.", "key-02-scores")
def score_of_two():
    shares = {(row["task"], row["k_b"]): number(row, "score") / number(row, "score_exact")
              for row in pick(figure("key-02-scores"), assignment="interleaved",
                              candidates_over_k=1)}
    two = [share for (_, k_b), share in shares.items() if k_b == "2"]
    return (min(two) > .99, f"They keep {100 * min(two):.1f} % of the score or more. With k_b = 1, "
            f"{100 * shares['squad', '1']:.1f} % are kept on SQuAD, "
            f"{100 * shares['repetition', '1']:.0f} % on Repetition.")


@claim("Range of k", "SparQ has n/16 <= k <= n/8.", "keyetal/sparq-shapes")
def range_of_k():
    over = {row["n"]: number(row, "n") / number(row, "k") for row in runs("keyetal/sparq-shapes")}
    return (tuple(8 <= x <= 16 for x in over.values()),
            "k = 96 is " + " and ".join(f"n/{x:.1f} for n = {n}" for n, x in over.items()) + ".")


@claim("Figure 4", "The recall of real rows is that of the theory.",
       "key-04, [real-data.md](real-data.md)")
def real_rows():
    rows = pick(figure("key-04"), panel="pharmebinet")
    gaps = [abs(number(row, "loss") - number(row, "loss_measured")) for row in rows]
    large = [row for row in rows if float(row["loss"]) >= 1e-5]
    less = sum(number(row, "loss_measured") < number(row, "loss") for row in large)
    over = [number(row, "loss_measured") / number(row, "loss")
            for row in pick(figure("key-04"), panel="vocabulary")]
    return ((max(gaps) < .01, less < .75 * len(large), max(over) < 1.1),
            f"{len(gaps)} recalls of PharMeBINet are within {math.ceil(1e4 * max(gaps)) / 1e4} of "
            "the exact model, "
            f"but of {len(large)} shapes with a loss of 1e-5 or more {less} lose less than it "
            f"says. {len(over)} losses of the vocabulary are {span(over)} times the model's.")


@claim("Figure 5", "SparQ decodes 1.9 times as fast with torch.topk at about 40,000 tokens, 2.1 "
       "times with buckets.", "key-05, `recallmodel attention --select-us`")
def decoding():
    printed = {row["selection"]: number(row, "speedup") for row in runs("keyetal/decoding")}
    at = pick(figure("key-05"), n=40960, k=2560)
    ours = {name: number(one(at, selection=name, k_b=k_b), "speedup_selected")
            for name, k_b in (("exact", "NaN"), ("bucketed", 1))}
    return (tuple(abs(ours[name] / printed[name] - 1) < .08 for name in ours),
            f"With k = n/16 our model of a step gives {ours['exact']:.1f} and "
            f"{ours['bucketed']:.1f}.")


@claim("Figure 5, B.3", "That was with k = n/8.", "key-05")
def share_of_keys():
    printed = number(one(runs("keyetal/decoding"), selection="bucketed"), "speedup")
    free = number(one(figure("key-05"), n=40960, k=5120, selection="free"), "speedup")
    return (free > printed, f"With k = n/8 a free choice of the keys would give {free:.2f}, "
            f"where {printed:.1f} was measured.")


def correlated(rho, **wanted):
    return {int(row["k_b"]): row for row in pick(runs("keyetal/correlation"), rho=rho, **wanted)}


@claim("Figure 6", "On correlated rows contiguous buckets lose recall, interleaved ones do not.",
       "key-06, `recallmodel simulate`")
def correlation():
    rows = [(row, recalls(2048, 256, int(row["k_b"]), [256 // int(row["k_b"])]))
            for row in correlated("0.9", shuffled=0, assignment="interleaved").values()]
    kept = [number(row, "recall_mean") / number(*model.values(), "recall") for row, model in rows]
    lost = [number(row, "recall_mean") / number(of, "recall_mean") for row, of in zip(
        correlated("0.9", shuffled=0, assignment="contiguous").values(),
        correlated("0.0", shuffled=0, assignment="contiguous").values())]
    return ((min(kept) > .99, max(lost) < .9),
            f"With rho = .9, interleaved buckets have {span(kept, '.3f')} times the recall of "
            f"the exact model, contiguous ones {span(lost)} times that of rho = 0.")


@claim("Figure 6", "A permutation of the positions gives it back.", "key-06")
def shuffled():
    z = []
    for row in pick(runs("keyetal/correlation"), shuffled=1):
        k_b = int(row["k_b"])
        model, = recalls(2048, 256, k_b, [256 // k_b]).values()
        z.append((number(row, "recall_mean") - number(model, "recall")) /
                 (number(row, "recall_sd") / 10))
    return (max(map(abs, z)) < 4 and abs(statistics.fmean(z)) < .4,
            f"z of the {len(z)} shuffled means against the exact model: mean "
            f"{statistics.fmean(z):.2f}, at most {max(map(abs, z)):.1f}.")


@claim("Figure 7", "Contiguous buckets score less than interleaved ones.", "key-07")
def contiguous_scores():
    of = {(row["task"], row["k_b"], row["candidates_over_k"], row["assignment"]):
          number(row, "score") for row in figure("key-07")}
    gains = [of[at[:3] + ("interleaved",)] - of[at] for at in of if at[3] == "contiguous"]
    return (tuple(gain > 0 for gain in gains), f"In {sum(gain > 0 for gain in gains)} of "
            f"{len(gains)} pairs.")


@claim("Figure 8", "Contiguous buckets are faster.", "key-08")
def contiguous_times():
    of = {(row["n"], row["k_b"], row["candidates_over_k"], row["assignment"]):
          number(row, "time_us_median") for row in runs("keyetal/sparq-shapes")}
    ratios = [of[at[:3] + ("interleaved",)] / of[at] for at in of if at[3] == "contiguous"]
    return (tuple(x > 1 for x in ratios), f"In {sum(x > 1 for x in ratios)} of {len(ratios)} "
            f"pairs, {span(ratios, '.3f')} times.")


@claim("Appendix A", "Each time is that of the better of two modes, a thread or 64 threads a "
       "bucket.", "`recallmodel predict --kernel graphcore-thread`")
def better_mode():
    measured = one(runs("keyetal/pharmebinet-times"), k=100, k_b=4, b=25)
    shape = "--device", "h100-pcie", "--n", 2653751, "--k", 100, "--m", 128, "--kb", 4, "--b", 25
    thread, ours = (ask("predict", *shape, "--kernel", name)[0]
                    for name in ("graphcore-thread", "graphcore"))
    times = number(measured, "time_us_mean"), number(thread, "predicted_us"), \
        number(ours, "predicted_us")
    return (times[0] < 2 * times[2],
            f"On PharMeBINet b = 25 took {times[0] / 1e3:.0f} ms, {times[0] / times[1]:.1f} times "
            f"what the profile predicts with one thread and more than "
            f"{math.floor(times[0] / times[2] / 10) * 10} times that with 64.")


@claim("Figure 1", "Bucketed torch.argmax is an upper bound for the speed of their kernel.",
       "key-bandwidth, `test_key_claims`")
def argmax():
    queue = {(row["n"], row["k"], row["m"]): row for row in
             pick(runs("keyetal/two-stage"), k_b=1, candidates_over_k=1)}
    faster = [number(row, "time_us_median") / number(queue[row["n"], row["k"], row["m"]],
                                                     "time_us_median")
              for row in pick(runs("keyetal/argmax"), variant="compiled")]
    above = sum(x > 1 for x in faster)
    return (above == 0, f"With b = k, k_b = 1, their kernel beats the compiled torch.argmax in "
            f"{above} of {len(faster)} runs, by up to {max(faster):.1f} times.")


@claim("B.1", "Standard errors are up to 5 %, .1 % on average.", "`test_key_claims`")
def standard_errors():
    shares = [number(row, "time_us_stderr") / float(row["time_us_median"]) * math.sqrt(15 / 16)
              for name in ("two-stage", "exact", "argmax") for row in runs(f"keyetal/{name}")
              if row.get("variant") != "eager"]
    most, mean = 100 * max(shares), 100 * statistics.fmean(shares)
    return ((abs(most - 5) < .5, abs(mean - .1) < .05),
            f"{most:.1f} % and {mean:.3f} % of {len(shares)} runs.")


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


@claim("D.3", "The cost models underestimate stage 2.", "key-models")
def stage_2():
    growth = [[number(one(figure("key-models"), m=m, k="all", model=model), "stage2")
               for model in ("basic", "serial")] for m in (1, 256)]
    return (tuple(min(pair) > 1 for pair in growth),
            "Where stage 2 begins, the time grows {:.2f} (basic) and {:.2f} (serial) times as much "
            "as the cost for m = 1, but {:.2f} and {:.2f} times for m = 256.".format(
                *growth[0], *growth[1]))


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


@claim("Appendix E", "Where k is a fixed share of n, raise k_b and keep b k_b = k (k = n/4, n = "
       "2^20, the serial cost).", "ours-best-kb, `recallmodel recall`")
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


@claim("Appendix E", "The same for k = n/16.", "ours-best-kb, `recallmodel select --objective "
       "serial`")
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


@claim("Appendix E", "The same, in their runs (k_b up to 4, R = .8).", "ours-best-kb")
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
