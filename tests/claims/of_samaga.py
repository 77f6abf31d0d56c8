"""of_samaga.py - the claims of Samaga et al. 2025, arXiv 2506.04165v3.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import math
from fractions import Fraction

from claim import (ask, ask_json, claim, figure, number, one, paper, pick, recalls, runs, span,
                   value)

paper("Samaga et al. 2025 (arXiv 2506.04165v3)")
N, K = 262144, 1024


def by_counting(n, k, b, k_b):
    """The recall of Theorem 1: exact fractions, b divides n."""
    size = n // b
    lost = sum((r - k_b) * math.comb(k, r) * math.comb(n - k, size - r)
               for r in range(k_b + 1, min(k, size) + 1))
    return 1 - Fraction(b * lost, k * math.comb(n, size))


@claim("Abstract (i), Theorem 1", "A sum gives the expected recall of random rows.",
       "`recallmodel recall`, `test_recall`")
def theorem_1():
    off = []
    for n in 24, 60:
        for k, k_b in (3, 1), (7, 2), (12, 1), (12, 3):
            bs = [b for b in range(1, n + 1) if n % b == 0 and k <= b * k_b <= n]
            for b, row in recalls(n, k, k_b, bs).items():
                off.append(abs(number(row, "recall") - float(by_counting(n, k, b, k_b))))
    same = sum(x < 1e-13 for x in off)
    return same == len(off), (f"In {same} of {len(off)} shapes ours is that sum, by fractions, "
                              "within 1e-13.")


@functools.cache
def table_2():
    """Each row of Table 2 with what `recall` prints."""
    return [(row, recalls(N, K, int(row["k_b"]), [int(row["b"])])[int(row["b"])])
            for row in runs("samaga/table-2")]


@claim("Table 2", "The recalls of 20 rows.", "samaga-2, `test_papers`")
def recalls_of_table_2():
    off = [abs(number(row, "recall") - number(model, "recall")) for row, model in table_2()]
    return (tuple(x < .001 for x in off), f"{sum(x < .001 for x in off)} are within .001 of the "
            f"exact model, the others up to {max(off):.4f} off.")


@claim("Table 2", "Their spreads.", "samaga-2, `test_papers`")
def spreads_of_table_2():
    off = [abs(number(row, "recall_sd") - number(model, "recall_sd")) for row, model in table_2()]
    return (tuple(x < .0011 for x in off), f"{sum(x < .0011 for x in off)} are within .0011 of the "
            f"exact standard deviation of a row, the others up to {max(off):.4f} off.")


def fewest(recall, k_bs):
    """The fewest candidates of Table 2 that reach the recall by the exact model, and their k_b."""
    return min((int(row["b"]) * int(row["k_b"]), int(row["k_b"])) for row, model in table_2()
               if int(row["k_b"]) in k_bs and number(model, "recall") >= recall)


@claim("Abstract (i)", "A larger K' with fewer buckets leaves fewer candidates at the same recall: "
       "for 95 % 8 times fewer with K' = 4 (Table 2).", "`recallmodel select`")
def fewer_candidates():
    ones, fours = (fewest(.95, (k_b,)) for k_b in (1, 4))
    least = fewest(.95, range(1, 17))
    times = ones[0] / fours[0]
    return (7.9 < times < 8.1, f"{ones[0]} and {fours[0]} candidates, {times:.0f} times; the least "
            f"of the table is {least[0]} with K' = {least[1]}.")


@functools.cache
def cells_of_figure_3():
    """{(n, k): {k_b: the candidates}}."""
    cells = {}
    for row in figure("samaga-3"):
        cells.setdefault((row["n"], row["k"]), {})[row["k_b"]] = float(row["candidates"])
    return cells


@claim("Figure 3", "K' up to 4 takes a median of 7 times fewer candidates for 99 %.",
       "samaga-3")
def median_of_figure_3():
    ratios = sorted(value(cell.get("1", float(at[0])) / min(cell.values()))
                    for at, cell in cells_of_figure_3().items())
    median = ratios[len(ratios) // 2]
    below = max((x for x in ratios if x < median - 1e-9), default=median)
    return ((median > 4, abs(median - 7) < .5),
            f"{median:.0f} in our {len(ratios)} cells, of which {sum(x >= 8 for x in ratios)} have "
            f"8 or more; the next less is {below:.2f}. The paper does not give its grid.")


@claim("7.1, Figure 3", "K' > 1 takes no fewer candidates only for very small K (10 or less).",
       "samaga-3")
def no_fewer():
    no_better = [float(k) for (n, k), cell in cells_of_figure_3().items()
                 if value(cell.get("1", float(n))) <= min(
                     (of for k_b, of in cell.items() if k_b != "1"), default=math.inf)]
    return (max(no_better) <= 10, f"It does not in {len(no_better)} of our "
            f"{len(cells_of_figure_3())} cells, with K up to {max(no_better):.0f}.")


@claim("Abstract (ii)", "The bound for K' = 1 is at least 2 times tighter than that of Chern et "
       "al.", "`recallmodel bounds`, `test_samaga_errata`")
def tighter():
    simple, formula = [], []
    for k in 2, 10, 1024:
        rows = {row["rule"]: row for row in ask("bounds", "--n", 2**32, "--k", k, "--recall", .95)
                if row["k_b"] == "1"}
        b = number(rows["samaga_quadratic"], "b")
        simple.append(k / .05 / b)
        formula.append(number(rows["chern"], "b") / b)
    return ((min(simple) > 2 - 1e-6, min(formula) > 2 - 1e-6),
            "Beside B = K/(1 - r) it asks for {:.2f} times fewer buckets. Beside the formula that "
            "this simplifies it is {:.2f} for K = 2, {:.2f} for K = 10 and {:.2f} for K = 1024 "
            "(r = .95).".format(min(simple), *formula))


@claim("After Theorem 1", "1 - (K/2)(1/B - 1/N) is a bound for K' = 1.", "samaga-8, `test_bounds`")
def quadratic_bound():
    room = [number(row, "recall") - (1 - K / 2 * (1 / b - 1 / N))
            for b, row in recalls(N, K, 1, [2**i for i in range(10, 19)]).items()]
    return (min(room) > -1e-12, f"It is {min(abs(x) for x in room):.4f} to {max(room):.4f} below "
            f"the recall for N = {N}, K = {K} and {len(room)} B.")


@claim("6.2, Figure 8", "1 - K/(2B) is a bound, too.", "samaga-8, `test_samaga_errata`")
def caption_of_figure_8():
    room = {b: number(row, "recall") - (1 - K / 2 / b)
            for b, row in recalls(N, K, 1, [2**i for i in range(10, 19)]).items()}
    return (min(room.values()) > 0,
            f"It exceeds the recall for {sum(x < 0 for x in room.values())} of {len(room)} B. It "
            f"lacks K/(2N) of the bound before: at B = N it is {room[N]:.6f} lower.")


@claim("A.5", "The quartic form is a bound, too, for B that divides N.", "samaga-8, `test_bounds`")
def quartic_bound():
    wrong = shapes = 0
    for n in range(1, 33):
        for s in (s for s in range(1, n + 1) if n % s == 0):
            for k in range(1, n + 1):
                x, b = Fraction(k, n), n // s
                p = sum((-x)**i * math.comb(s, i) for i in range(5))
                stated = 1 - b / Fraction(k) * (Fraction(k, b) - 1 + p)
                wrong += value(stated) > by_counting(n, k, b, 1) + Fraction(1, 10**12)
                shapes += 1
    return wrong == 0, f"It exceeds the recall in {wrong} of {shapes} shapes with N up to 32."


@claim("Table 1", "So many vector operations fit beside a dot product of 128 elements, and beside "
       "4 bytes read: A100 16 and 40, H100 8 and 80, TPU v4 4 and 14, TPU v5e 8 and 30.",
       "samaga-1, `recallmodel devices`")
def ridge_points():
    parts, text = [], []
    printed = {"A100-PCIe": (16, 40), "H100-SXM": (8, 80), "TPUv4": (4, 14), "TPUv5e": (8, 30)}
    for device in ask_json("devices")["devices"]:
        if device["device"] in printed:
            matrix, memory = printed[device["device"]]
            dense = value(device["fma_rate_per_s"]) * 256 / device["matrix_rate_per_s"]
            read = value(device["fma_rate_per_s"]) * 4 / device["bandwidth_bytes_per_s"]
            parts += [abs(dense / matrix - 1) < .15, abs(read / memory - 1) < .05]
            text.append(f"{device['device']} {dense:.0f} and {read:.0f}")
    return (tuple(parts), f"{', '.join(text)}, with the dense rates of the datasheets: 1,979 "
            "Tflop/s for the H100 is with sparsity.")


@claim("Table 1", "On a TPU v5e memory hides stage 1 up to K' = 6.", "samaga-1, samaga-2-roofline")
def largest_hidden():
    device = next(device for device in ask_json("devices")["devices"]
                  if device["device"] == "TPUv5e")
    most = math.floor((value(device["ridge_memory"]) + 2) / 5)
    times = [number(row, "stage1_us") for row, _ in table_2() if int(row["k_b"]) <= 6]
    more = [number(row, "stage1_us") for row, _ in table_2() if int(row["k_b"]) > 6]
    return (most == 6, f"5 K' - 2 operations an element fit up to K' = {most}. Printed times of "
            f"stage 1 are {span(times, '.0f')} us up to 6 and {span(more, '.0f')} us from 8 on.")


@claim("2.3", "The roofline is a lower bound for stage 1.", "samaga-2-roofline, "
       "`test_printed_times`")
def roofline():
    over = [number(row, "printed_us") / number(row, "bound_us")
            for row in figure("samaga-2-roofline")]
    return min(over) > 1, f"The {len(over)} printed times are {span(over)} times as long."


@claim("Introduction", "approx_max_k takes 9 times as long as the product before it, K' = 4 is 24 "
       "times as fast as that, and all of it 6.7 times.",
       "[runs.md](runs.md#the-roofline-against-printed-times)")
def in_all():
    jax, times = value(9), value(24)  # of the product; of that
    apart, within = (1 + jax) / (1 + jax / times), jax / (1 + (jax - 1) / times)
    return ((abs(apart - 6.7) < .1, abs(within - 6.7) < .1),
            f"9 and 24 give {apart:.1f} in all; {within:.2f} if the product is within the 9.")


@claim("Abstract (iii)", "About 10 times as fast as approx_max_k, without a loss of recall.",
       "samaga/table-2, samaga/table-3")
def ten_times():
    reach = [(number(row, "time_us_median"), row) for row, model in table_2()
             if number(model, "recall") >= .99]
    jax = min(time for time, row in reach if row["kernel"] == "approx_max_k")
    best, row = min(reach, key=lambda pair: pair[0])
    search = {row["kernel"] + row["k_b"]: number(row, "time_us_median")
              for row in runs("samaga/table-3")}
    times = search["approx_max_k-fused1"] / min(search.values())
    return ((jax / best > 8, times > 8),
            f"By their printed times: {jax / best:.1f} times in Table 2 for 99 % (K' = "
            f"{row['k_b']}, B = {row['b']}), {times:.1f} times in Table 3.")


@claim("Table 3", "Fusing stage 1 with the product saves time.", "samaga/table-3")
def fused():
    table = runs("samaga/table-3")
    pairs = [[number(one(table, kernel=kernel, k_b=k_b), "time_us_median") / 1e3
              for kernel in ("samaga", "samaga-fused")] for k_b in (1, 4)]
    return (tuple(after < before for before, after in pairs),
            "Printed: {:.0f} and {:.0f} ms for K' = 1, {:.0f} and {:.0f} ms for K' = 4.".format(
                *pairs[0], *pairs[1]))


@claim("Table 3", "B is a multiple of 128 that divides N, and N is 1M, padded by the caller if "
       "need be.", "`test_samaga_errata`")
def one_million():
    padded = -(-10**6 // 128) * 128
    count = {n: sum(value(n) % b == 0 for b in range(128, n + 1, 128))
             for n in (10**6, padded, 2**20)}
    return (count[padded] > 0 and count[2**20] > 0,
            f"10^6 has {count[10**6]} such divisors; {padded}, the next multiple of 128, has "
            f"{count[padded]}, and 2^20 has {count[2**20]}.")


@claim("7.3", "Stage 2 takes 80 times as long as the product for exact top-k, 13 times for "
       "approx_max_k, 6 times for K' = 1.", "samaga/table-3")
def second_stages():
    table = runs("samaga/table-3")
    over = [number(one(table, kernel=kernel, k_b=k_b), "stage2_us") / number(
        one(table, kernel=kernel, k_b=k_b), "product_us")
            for kernel, k_b in (("top_k", ""), ("approx_max_k-fused", 1), ("samaga", 1))]
    return (tuple(abs(got / want - 1) < .05 for got, want in zip(over, (80, 13, 6))),
            "Printed: {:.1f}, {:.1f} and {:.1f} times.".format(*over))


@claim("Figure 5, caption", "To find three of twenty, ten buckets are needed for a recall of 85 %.",
       "`recallmodel recall`, `recallmodel bounds`")
def ten_buckets():
    reach = [b for b, row in recalls(20, 3, 1, range(3, 21)).items()
             if number(row, "recall") >= .85]
    divisors = [b for b in reach if 20 % b == 0]
    chern = one([row for row in ask("bounds", "--n", 20, "--k", 3, "--recall", .85)
                 if row["k_b"] == "1"], rule="chern")
    return (min(divisors) == 10, f"Of those that divide 20, {min(divisors)} is the least; of any, "
            f"{min(reach)}. The formula of Chern et al. asks for {number(chern, 'b'):.0f}.")


@claim("A.13", "In an MLP block approx_max_k makes training 2.7 times as slow, their method adds 5 "
       "ms.", "the text")
def training():
    dense, chern, ours = value(33), value(89), value(38)
    tokens, width, hidden = 8 * 1024, 3584, 24576
    least = 6 * tokens * 2 * width * hidden / 197e12 * 1e3
    return (abs(chern / dense - 2.7) < .05 and abs(ours - dense - 5) < .5,
            f"By its times {chern / dense:.2f} times and {ours - dense:.0f} ms. The width of Gemma "
            f"2 9B is {width}: forward and backward the two products are {least:.0f} ms at the "
            "peak of one TPU v5e, more than is printed; devices and chips are not stated.")


def swept(n, k, recall, listed):
    """The sweep of listing A.10 with the exact recall; listed: with the factors of A.7."""
    factors = [b for b in range(128, n + 1, 128)
               if n % b == 0 and not (listed and b * b == n)]
    return min((b * k_b, k_b, b) for k_b in range(1, 5) for b, row in recalls(
        n, k, k_b, [b for b in factors if b * k_b >= k and b * k_b <= n]).items()
        if number(row, "recall") >= recall)


@claim("A.7, A.10", "The listings select the fewest candidates.", "`recallmodel bounds`, "
       "`test_samaga_errata`")
def selections():
    parts, text = [], []
    for n, k, recall in ((N, K, .95), (2**20, K, .99), (N, K, .99), (430080, 3360, .95)):
        right, listed = swept(n, k, recall, False), swept(n, k, recall, True)
        parts.append(right == listed)
        if right != listed:
            text.append(f"{listed[0]} candidates in place of {right[0]} (N = {n}, r = {recall})")
    return tuple(parts), "The factors leave out the root of a square: " + ", ".join(text) + "."


@claim("A.3, Figures 6 and 7", "The Monte Carlo estimate agrees with simulated recall.",
       "samaga-6, `test_key_claims`")
def monte_carlo():
    rows = figure("samaga-6")
    off = [abs(number(row, "monte_carlo") - number(row, "model_recall")) for row in rows]
    errors = [number(row, "monte_carlo_stderr") for row in rows]
    return (max(off) < .005, f"In {len(rows)} shapes it is at most {max(off):.4f} off the exact "
            f"recall; its standard error is up to {max(errors):.4f}.")


@claim("A.10.3", "The sweep takes a few dozen to 115 configurations, .93 to 5 million samples and "
       "less than a second.", "samaga-a10-3")
def cost_of_sweep():
    rows = figure("samaga-a10-3")
    configurations, samples, seconds, exact = (
        [number(row, column) * unit for row in rows] for column, unit in (
            ("configurations", 1), ("samples", 1e-6), ("numpy_us", 1e-6), ("exact_us", 1)))
    return ((20 < min(configurations) and max(configurations) < 130, max(samples) < 7,
             max(seconds) < 1),
            f"In {len(rows)} shapes of the same range, which the paper does not name: "
            f"{span(configurations, '.0f')} configurations, {span(samples, '.1f')} million "
            f"samples, {span(seconds)} s in NumPy. With the exact recall the same sweep takes "
            f"{span(exact, '.0f')} us.")
