"""of_saap.py - the claims of Mazare et al. 2025 (SAAP), arXiv 2502.08246.

SPDX-License-Identifier: Apache-2.0
"""
import math
import statistics

from claim import beside, claim, figure, number, one, paper, pick, runs, span, value

paper("Mazare et al. 2025, SAAP (arXiv 2502.08246)")


@claim("Figure 1", "Queries and keys have different distributions.", "saap-01")
def asymmetric():
    means = {}
    for rope in "before", "after":
        for what in "query and key", "key and key":
            rows = pick(figure("saap-01"), rope=rope, what=what)
            total = sum(float(row["y"]) for row in rows)
            means[rope, what] = sum(number(row, "x") * float(row["y"]) for row in rows) / total
    return (all(means[rope, "query and key"] < 0 < means[rope, "key and key"]
                for rope in ("before", "after")),
            "The cosine of a query and a key of SmolLM2-135M is {:.2f} in the mean, that of two "
            "keys {:.2f} (before RoPE; {:.2f} and {:.2f} after it).".format(*means.values()))


def imbalances(rope, sampling):
    return [number(row, "imbalance")
            for row in pick(figure("saap-02"), rope=rope, sampling=sampling)]


@claim("3.4, Figure 2", "Without RoPE the keys of one time range fill the buckets more evenly.",
       "saap-02")
def rope_hinders():
    ranges = [imbalances(rope, "one time range") for rope in ("before", "after")]
    prompts = [imbalances(rope, "one prompt") for rope in ("before", "after")]
    return (max(ranges[0]) < min(ranges[1]),
            f"Their imbalance is {span(ranges[0], '.1f')} before RoPE, {span(ranges[1], '.1f')} "
            f"after. That of a new prompt, of which the paper claims nothing, is "
            f"{span(prompts[0], '.1f')} before and {span(prompts[1], '.1f')} after.")


@claim("3.5, Figure 3", "In most heads the 256 largest keys outside of sink and window have most "
       "of the weight there; layer 0 is the exception.", "saap-03")
def mass():
    rows = pick(figure("saap-03"), k=256, of="outside", method="topk")
    rest = [number(row, "mass") for row in rows if row["layer"] != "0"]
    first = [number(row, "mass") for row in rows if row["layer"] == "0"]
    return ((statistics.median(rest) > .5, statistics.median(first) < min(rest)),
            f"Of 8192 keys, from layer 1 on, they have {statistics.median(rest):.2f} in the median "
            f"and more than half in {sum(x > .5 for x in rest)} of {len(rest)} heads; in layer 0 "
            f"{span(first)}.")


def losses(**wanted):
    return [number(row, "error") for row in pick(figure("saap-05"), budget=0.05, **wanted)]


def below(ours, theirs):
    return sum(a < b for a, b in zip(ours, theirs))


def between(points, x):
    """y at x, on a line between the two nearest points of log x and log y."""
    (x0, y0), (x1, y1) = next(pair for pair in zip(points, points[1:])
                              if pair[0][0] <= x <= pair[1][0])
    share = math.log(x / x0) / math.log(x1 / x0)
    return math.exp((1 - share) * math.log(y0) + share * math.log(y1))


def random_error(layer, visited):
    """The error of a random selection of so many keys, between those that were measured."""
    points = sorted((float(row["visited"]), float(row["error"])) for row in pick(
        figure("saap-05"), method="random", layer=layer))
    return between(points, visited)


@claim("Figure 5, appendix 7", "With one table, and the size of a bin as the knob, KDEformer and "
       "Reformer are on a par with a random selection, or slightly worse.", "saap-05")
def hashes_and_random():
    over = {method: [number(row, "error") / random_error(row["layer"], float(row["visited"]))
                     for row in pick(beside("saap-05/bins"), method=method)
                     if .005 <= float(row["visited"]) <= .4]
            for method in ("lsh-gray", "lsh-argmax")}
    medians = [statistics.median(of) for of in over.values()]
    # better by no more than a tenth, worse by no more than twice
    return (tuple(.9 < x < 2 for x in medians),
            "Four heads, bins of 32 to 4096 of 8192 keys: errors over those of a random selection "
            "of as many keys are {:.2f} in the median ({}) for KDEformer, {:.2f} ({}) for "
            "Reformer.".format(*(x for of, middle in zip(over.values(), medians)
                                 for x in (middle, span(of)))))


@claim("Figure 5, appendix 7", "MagicPIG is better than random, and k-means much better still.",
       "saap-05")
def magicpig():
    random, pig, kmeans = (losses(method=name)
                           for name in ("random", "lsh-magicpig", "kmeans trained"))
    return ((below(pig, random) == len(random), below(kmeans, pig) == len(random)),
            f"MagicPIG errs less than random in {below(pig, random)} of {len(random)} heads, "
            f"k-means less than MagicPIG in {below(kmeans, pig)}: errors " + ", ".join(
                f"{a:.3f}, {b:.3f}, {c:.4f}" for a, b, c in zip(random, pig, kmeans)) + ".")


@claim("4.3", "To use all keys of the buckets that a query visits, and not the top k of them, "
       "improves the approximation.", "saap-05")
def all_of_the_buckets():
    rows = {of: {row["knob"]: row for row in pick(beside("saap-05/inside"), inside=of)}
            for of in ("1", "0.5")}
    shared = [knob for knob in rows["1"] if knob in rows["0.5"]]
    errors = [[number(rows[of][knob], "error") for knob in shared] for of in rows]
    # the second: what its half reads lies between measured points of all keys
    knob, half = shared[1], rows["0.5"][shared[1]]
    keys, moved = (between([(float(row[column]), number(row, "error"))
                            for row in rows["1"].values()], float(half[column]))
                   for column in ("visited", "bytes_read"))
    return ((all(a < b for a, b in zip(*errors)), keys < errors[1][1], moved < errors[1][1]),
            f"k-means after RoPE (saap-05/inside.csv), {knob} of 128 buckets: an error of "
            f"{errors[0][1]:.4f} with all keys, {errors[1][1]:.4f} with the best half of them. As "
            f"many keys as that half, but all of fewer buckets: {keys:.4f}; as many bytes: "
            f"{moved:.4f}.")


@claim("4.1, Table 2", "A query model finds more than k-means does with the query itself.",
       "saap-05, saap/table-2")
def query_model():
    ours, other = losses(method="saap"), losses(method="kmeans-unroped trained")
    rows = runs("saap/table-2")
    gains = {row["task"]: number(row, "score") - number(one(
        rows, method="kmeans-unroped", task=row["task"]), "score")
             for row in pick(rows, method="saap")}
    less = [task for task, gain in gains.items() if gain < 0]
    listed = [[number(one(beside("saap-05/numbers"), method=method, budget=budget), "error")
               for method in ("saap", "kmeans-unroped")] for budget in ("0.1", "0.2", "0.4")]
    uneven = number(one(beside("saap-05/numbers"), method="saap", budget="0.1"), "imbalance")
    return (tuple(a < b for a, b in zip(ours, other)) + (not less,),
            f"Printed, before RoPE both: it scores more on {sum(x > 0 for x in gains.values())} of "
            f"{len(gains)} tasks, less on {', '.join(less)}. Ours, at 5 % of 8192 keys: it errs "
            f"less in {below(ours, other)} of {len(ours)} heads, " +
            ", ".join(f"{a:.3f} and {b:.3f}" for a, b in zip(ours, other)) +
            ". On a list of numbers, as Math.F is, whose keys lie uneven in the buckets (imbalance "
            f"{uneven:.0f}), at 10, 20 and 40 %: " +
            ", ".join(f"{a:.3f} and {b:.3f}" for a, b in listed) + ".")


@claim("4.1, Table 2", "K-means before RoPE is better than after it.", "saap-05, saap/table-2, "
       "[real-data.md](real-data.md)")
def before_rope():
    after, before = (losses(method=f"kmeans{way} trained") for way in ("", "-unroped"))
    scores = [[number(row, "score") for row in pick(runs("saap/table-2"), method=method)]
              for method in ("kmeans-unroped", "kmeans")]
    better, worse = below(scores[1], scores[0]), below(scores[0], scores[1])
    return ((worse == 0,) + tuple(b < a for a, b in zip(after, before)),
            f"Printed, of 100,000 tokens and more: better on {better} of 9 tasks, worse on "
            f"{worse}. Ours, of 8192: it errs less in {below(before, after)} of {len(after)} "
            f"heads, and up to {max(b / a for a, b in zip(after, before)):.0f} times as much.")


@claim("Figure 4", "Perplexity falls to that of all keys as more keys are read.", "saap-04")
def perplexity():
    shares = "0.01", "0.05", "0.2"
    of = {method: [max(number(row, "over_full") for row in pick(
        figure("saap-04"), method=method, layers="all but 0", budget=share)) for share in shares]
        for method in ("topk", "kmeans")}
    return (tuple(a > b > c and c < .01 for a, b, c in of.values()),
            "SmolLM2-135M, two texts, 1, 5 and 20 % of the keys: the loss grows by up to "
            "{:.3f}, {:.3f} and {:.4f} with the largest keys, {:.2f}, {:.2f} and {:.3f} with "
            "k-means.".format(*of["topk"], *of["kmeans"]))


@claim("Table 2", "A model in which all layers but the first read so keeps its quality.",
       "saap-04")
def whole_model():
    def losses_of(method):
        return [number(one(figure("saap-04"), document="essay", layers="all but 0", method=method,
                           budget=share), "over_full") for share in ("0.05", "0.2")]
    saap, same, own = map(losses_of, ("saap", "kmeans-unroped-trained", "kmeans"))
    # in the width of these errors, a fiftieth of a nat, two readings are alike
    return (tuple(x < .02 for x in saap),
            "SmolLM2-135M, an essay, 5 and 20 % of 8192 keys: a token loses {:.3f} and {:.3f} nats "
            "by SAAP, {:.3f} and {:.3f} by k-means with the same centroids, {:.3f} and {:.3f} by "
            "k-means after RoPE on the essay's own keys.".format(*saap, *same, *own))


@claim("Abstract", "It typically reads 20 times fewer keys.", "saap/table-2, saap/times")
def fewer_keys():
    times = [100 / number(row, "selectivity_percent")
             for row in pick(runs("saap/table-2"), method="saap")]
    few, many = [x for x in times if x < 10], [x for x in times if x >= 10]
    one_head = 100 / number(one(runs("saap/times"), method="saap"), "selectivity_percent")
    return ((one_head > 20, not few),
            f"Printed: {one_head:.0f} times for one head at 171,000 tokens; in {len(many)} of "
            f"{len(times)} tasks {span(many, '.0f')} times, in the other {len(few)} "
            f"{span(few, '.1f')}.")


@claim("Abstract, 5.3", "It saves 60 % of the time of attention.", "saap/times, saap-pair")
def saved():
    full, saap = (number(one(runs("saap/times"), method=method), "time_us")
                  for method in ("full", "saap"))
    ours = one(figure("saap-pair"), method="kmeans-unroped")
    return (1 - saap / full > .6,
            f"Printed: {100 * (1 - saap / full):.0f} % at 171,000 tokens. On a CPU k-means that "
            f"reads {100 * number(ours, 'selectivity'):.1f} % of generated keys saves "
            f"{100 * (1 - 1 / number(ours, 'ratio')):.0f} %.")


@claim("Abstract, 1", "It does not compromise the generation.", "saap/table-2, saap/table-3")
def quality():
    gaps = {}
    for table in "table-2", "table-3":
        rows = runs(f"saap/{table}")
        for row in pick(rows, method="saap"):
            gaps[table, row["task"]] = (number(row, "score"), number(one(
                rows, method="full", task=row["task"]), "score"))
    far = {at: pair for at, pair in gaps.items() if pair[0] < .9 * pair[1]}
    return ((len(far) < len(gaps) / 2, not far),
            f"In {len(gaps) - len(far)} of {len(gaps)} printed scores it has nine tenths of that "
            "of all keys, or more. The others are of " + ", ".join(
                f"{task} ({ours:.1f} for {full:.1f}, {table})"
                for (table, task), (ours, full) in far.items()) + ".")


@claim("5.4, Table 3", "Its gap to full attention is like that of RetrievalAttention.",
       "saap/table-3")
def retrieval_attention():
    rows = runs("saap/table-3")

    def gaps(method, full):
        return {row["task"]: number(one(rows, method=full, task=row["task"]), "score") -
                number(row, "score") for row in pick(rows, method=method)}
    ours, theirs = gaps("saap", "full"), gaps("retrieval-attention-reported", "full-reported")
    apart = {task: ours[task] - theirs[task] for task in ours}
    wide = max(apart, key=lambda task: abs(apart[task]))
    return (tuple(abs(x) < 2.5 for x in apart.values()),
            f"Printed: in {sum(abs(x) < 2.5 for x in apart.values())} of {len(apart)} tasks the "
            f"two gaps are within 2.5 points. The widest is {wide}: {ours[wide]:.1f} and "
            f"{theirs[wide]:.1f} points.")


@claim("4.1", "K-means makes fairly balanced buckets.", "saap/table-2")
def balanced():
    even = 100 * 32 / value(1024)
    over = [number(row, "selectivity_percent") / even
            for row in pick(runs("saap/table-2"), method="saap")]
    return (tuple(x < 2 for x in over),
            f"Of balanced buckets 32 of 1024 are {even:.1f} % of the keys. Printed are "
            f"{span(over, '.1f')} times as many; {sum(x < 2 for x in over)} of {len(over)} tasks "
            "have less than twice as many.")


@claim("5.5, Figure 7", "Dense parts of 1 + 63 to 1 + 2047 keys do alike.", "saap-07")
def dense_parts():
    errors = {}
    for method in "kmeans", "saap":
        short = one(figure("saap-07"), sink=1, window=63, method=method, budget=0.1)
        long = one(figure("saap-07"), sink=1, window=511, method=method, budget=0.05)
        errors[method] = number(short, "error"), number(long, "error")
    # alike: methods of the figure differ by factors of 3 and more
    return (tuple(2 / 3 < a / b < 3 / 2 for a, b in errors.values()),
            "Of 8192 keys, when 11 % are read in all, 1 + 63 and 1 + 511 err by {:.3f} and {:.3f} "
            "(k-means after RoPE), {:.3f} and {:.3f} (SAAP).".format(
                *errors["kmeans"], *errors["saap"]))


@claim("8, Figure 6", "A query model trained on far pairs alone finds more; a residual one, "
       "trained on all pairs, is no improvement.", "saap-06")
def training():
    def error(rows, way, method="saap"):
        return between([(float(row["visited"]), number(row, "error"))
                        for row in pick(rows, way=way, method=method)], .05)
    runs_of = figure("saap-06"), beside("saap-06/again")
    far, near, roped = ([error(rows, *which) for rows in runs_of]
                        for which in (("far pairs",), ("near pairs too",),
                                      ("near pairs too", "saap-roped")))
    residual = error(runs_of[1], "residual, near pairs too")
    return ((all(a < .95 * b for a, b in zip(far, near)), residual > .95 * near[1]),
            "By errors where 5 % of the keys are visited, in place of needles, in two runs: before "
            "RoPE {:.3f} and {:.3f} with far pairs alone, {:.3f} and {:.3f} with all, {:.3f} with "
            "all and a residual model; after RoPE {:.3f} and {:.3f} with far pairs, {:.3f} and "
            "{:.3f} with all, {:.3f} with all and a residual model.".format(
                *far, *near, residual,
                *(error(rows, "far pairs", "saap-roped") for rows in runs_of), *roped,
                error(runs_of[1], "residual, near pairs too", "saap-roped")))


@claim("5.5, Figure 8", "Queries that share keys should choose their buckets together.", "saap-08")
def together():
    more = {}
    for method in "kmeans-unroped", "saap":
        alone, joint = (one(figure("saap-08"), chosen=way, method=method, budget=0.05)
                        for way in ("independent", "together"))
        more[method] = (number(joint, "error") / number(alone, "error"),
                        number(joint, "bytes_read") / number(alone, "bytes_read"))
    return ((all(error < 1.05 for error, _ in more.values()),
             all(read < .5 for _, read in more.values())),
            "At 5 % of 8192 keys, three queries: errors are {:.2f} (k-means before RoPE) and "
            "{:.2f} times (SAAP) as large, the bytes read {:.2f} and {:.2f} times as many.".format(
                *(pair[0] for pair in more.values()), *(pair[1] for pair in more.values())))


@claim("3.3, Figure 1", "Products of a query and a key are nearly all negative, and some buckets "
       "of keys hold a large share of the queries, up to a tenth.", "saap-01")
def products_and_buckets():
    rows = pick(figure("saap-01"), rope="after")
    products = pick(rows, what="query and key product")
    negative = sum(number(row, "y") for row in products if float(row["x"]) < 0) / sum(
        float(row["y"]) for row in products)
    largest = [max(number(row, "y") for row in pick(rows, what=f"{what} in bucket"))
               for what in ("keys", "queries")]
    return ((negative > .9, largest[1] > 2 * largest[0]),
            f"{100 * negative:.0f} % of the products are negative. The fullest of 128 buckets has "
            f"{100 * largest[0]:.1f} % of the keys and {100 * largest[1]:.1f} % of the queries.")
