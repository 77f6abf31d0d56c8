"""of_key.py - the claims of Key et al. 2024, arXiv 2412.04358.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import math
import random
import statistics

from claim import ask, claim, figure, number, one, paper, pick, recalls, runs, span, value

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


def measured_choices():
    """Of the vocabulary and of PharMeBINet: k_b, b k_b / k, speed over torch.topk, loss."""
    graph_loss = {(row["b"], row["k_b"]): row["loss_measured"]
                  for row in pick(figure("key-04"), panel="pharmebinet", k=100)}
    for name in "vocabulary", "pharmebinet-times":
        rows = runs(f"keyetal/{name}")
        exact, = [row for row in rows if not row["b"]]
        yield [(int(row["k_b"]), int(row["candidates_over_k"]),
                number(exact, "time_us_mean") / number(row, "time_us_mean"),
                value(row.get("recall_loss") or graph_loss[row["b"], row["k_b"]]))
               for row in rows if row["b"]]


@claim("4.2, Figure 4", "Raising k_b and b k_b / k together can keep a good recall at 2 to 4 times "
       "the speed of exact top-k.", "key-04")
def twice_to_four_times():
    words, graph = ([(x, loss) for k_b, over, x, loss in shapes
                     if k_b > 1 and over > 1 and 2 <= x <= 4] for shapes in measured_choices())
    word, other = (min(shapes, key=lambda shape: shape[1]) for shapes in (words, graph))
    return ((word[1] < .01, other[1] < .01),
            f"On the vocabulary {len(words)} such shapes are, the best loses {100 * word[1]:.2f} % "
            f"at {word[0]:.1f} times. On PharMeBINet, by times of an older kernel, {len(graph)}; "
            f"one loses {'nothing' if other[1] == 0 else format(other[1], '.0e')} at "
            f"{other[0]:.1f} times.")


@claim("Figure 4, caption", "k_b = 1 is the fastest; k_b = 2 gives up some speed for less error, "
       "and is Pareto optimal as b grows.", "key-04")
def pareto():
    fastest, on_front = [], []
    for shapes in measured_choices():
        fastest.append(max(shapes, key=lambda shape: shape[2])[0] == 1)
        front = [shape for shape in shapes if not any(
            other[2] > shape[2] and other[3] <= shape[3] for other in shapes)]
        on_front.append((sum(shape[0] == 2 for shape in front), len(front)))
    return (tuple(fastest + [2 * two >= of for two, of in on_front]),
            "The fastest shape has k_b = 1 in {} of 2 panels. Of the {} shapes on the front of the "
            "vocabulary {} have k_b = 2, of the {} of PharMeBINet {}.".format(
                sum(fastest), on_front[0][1], on_front[0][0], on_front[1][1], on_front[1][0]))


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


def by_queue(data, k):
    """Figure 11: the queue starts with the first k, and the loop runs over all of them again."""
    queue = sorted(data[:k])
    for x in data:
        queue = sorted(queue[1:] + [x]) if x > queue[0] else queue
    return queue


def steps_of(n):
    """How far log2 n doubling steps reach, log2 n rounded down."""
    return 2**(n.bit_length() - 1)


def by_scan(data, k):
    """Figure 13: each of k maxima is that of the elements that the scan reaches from the first."""
    left, found = list(data), []
    for _ in range(k):
        at = max(range(min(len(left), steps_of(len(left)))), key=left.__getitem__)
        found.append(left[at])
        left[at] = -math.inf
    return found


def by_scans(data, k, bits=32):
    """Figure 14: counts and places are those of the elements that a scan reaches from the last."""
    reach, kth, mask, greater = steps_of(len(data)), 0, 0, 0
    for bit in reversed(range(bits)):
        kth, mask = kth | 1 << bit, mask | 1 << bit
        ones = sum(x & mask == kth for x in data[-reach:])
        if greater + ones < k:
            kth, greater = kth ^ 1 << bit, greater + ones
    found = [None] * k
    for i, x in enumerate(data):
        if x >= kth:
            place = sum(y >= kth for y in data[max(0, i + 1 - reach):i + 1]) - 1
            if place < k:
                found[place] = x
    return found


@claim("Figures 11, 13 and 14", "The listings return the k largest.", "`test_topk`")
def listings_select():
    random.seed(1)
    wrong = {}
    for n, k in (16, 4), (20, 4):
        rows = [random.sample(range(2**32), n) for _ in range(300)]
        for name, listing in ("11", by_queue), ("13", by_scan), ("14", by_scans):
            wrong[name, n] = sum(value(sorted(row)[-k:] != sorted(
                listing(row, k), key=lambda x: -1 if x is None else x)) for row in rows)
    return (wrong["11", 16] + wrong["11", 20] == 0,
            wrong["13", 16] + wrong["14", 16] == 0, wrong["13", 20] + wrong["14", 20] == 0), (
        "Wrong in 300 rows of different numbers, k = 4, n = 16 and 20: {:.0f} and {:.0f} (Figure "
        "11 scans again what the queue took first), {:.0f} and {:.0f} (Figure 13), {:.0f} and "
        "{:.0f} (Figure 14; log2 n rounded down).".format(
            *(wrong[name, n] for name in ("11", "13", "14") for n in (16, 20))))


@claim("Figure 2, right", "With b k_b = k and k_b = 2 or 4, buckets are more than 4 times as fast "
       "as torch.topk.", "key-02-scores, `test_key_claims`")
def four_times():
    faster = []
    for k_b in 2, 4:
        for n in 1409, 1659:
            exact = one(runs("keyetal/sparq-exact"), n=n, variant="eager")
            row = one(runs("keyetal/sparq-shapes"), n=n, k_b=k_b, candidates_over_k=1,
                      assignment="interleaved")
            faster.append(number(exact, "time_us_mean") / number(row, "time_us_median"))
    return (tuple(x > 4 for x in faster),
            "With k_b = 2 {:.1f} (SQuAD) and {:.1f} times (Repetition), with k_b = 4 {:.2f} and "
            "{:.2f}: the code divides the time of 32 calls by that of 16.".format(*faster))


@claim("1", "In SparQ, exact top-k takes more than 10 % of the time of a token.", "key-05, "
       "`recallmodel attention`")
def share_of_token():
    shares = []
    for row in pick(figure("key-05"), selection="exact"):
        free = one(figure("key-05"), n=row["n"], k=row["k"], selection="free")
        if int(row["n"]) >= 4096:
            shares.append(1 - number(row, "speedup_selected") / number(free, "speedup_selected"))
    return min(shares) > .1, (f"By our model of a step it takes {100 * min(shares):.0f} to "
                              f"{100 * max(shares):.0f} % for 4096 tokens and more.")


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


@claim("4.1, Figure 1", "Bucketed torch.argmax, if it is well optimised, is an upper bound of the "
       "speed with b = k, k_b = 1 (float32, m = 128).", "key-bandwidth, `test_key_claims`")
def argmax():
    queue = {(row["n"], row["k"], row["m"]): row for row in
             pick(runs("keyetal/two-stage"), k_b=1, candidates_over_k=1)}
    faster = [number(row, "time_us_median") / number(queue[row["n"], row["k"], row["m"]],
                                                     "time_us_median")
              for row in pick(runs("keyetal/argmax"), variant="compiled")]
    above = sum(x > 1 for x in faster)
    return (tuple(x <= 1 for x in faster),
            f"Published in float16, m = 1 and 256, compiled: it is the faster in "
            f"{len(faster) - above} of {len(faster)} runs; their kernel is in {above}, by up to "
            f"{max(faster):.1f} times, so there it is not well optimised.")


@claim("B.1", "Standard errors are up to 5 %, .1 % on average.", "`test_key_claims`")
def standard_errors():
    shares = [number(row, "time_us_stderr") / float(row["time_us_median"]) * math.sqrt(15 / 16)
              for name in ("two-stage", "exact", "argmax") for row in runs(f"keyetal/{name}")
              if row.get("variant") != "eager"]
    most, mean = 100 * max(shares), 100 * statistics.fmean(shares)
    return ((abs(most - 5) < .5, abs(mean - .1) < .05),
            f"{most:.1f} % and {mean:.3f} % of {len(shares)} runs.")
