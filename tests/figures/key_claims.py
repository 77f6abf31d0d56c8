"""Claims of Key et al., and what captions and docs/runs.md say of them, against the published runs.

The CSV files of the figures join these runs with the models; test_figures.sh has shown that they
are what the command prints today. Published numbers are facts, so what is counted in them must be
equal; a quotient is compared to the digits that the text has.

usage: key_claims.py FOLDER RUNS
"""
import csv
import math
import pathlib
import statistics
import sys

sys.path[:0] = "plots", "tests/claims"
from claim import ranks
from figure import Figure

folder, published = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
checked, failed = {}, []


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def figure(name):
    return Figure(name).rows(folder)


def runs(name):
    return read(published / "keyetal" / f"{name}.csv")


def expect(claim, what, got, want, tolerance=0.0):
    checked[claim] = checked.get(claim, 0) + 1
    if not abs(float(got) - float(want)) <= tolerance:
        failed.append(f"{claim}: {what} is {got}, not {want}")


def holds(claim, what, is_so):
    checked[claim] = checked.get(claim, 0) + 1
    if not is_so:
        failed.append(f"{claim}: not so: {what}")


def find(table, **wanted):
    found = [row for row in table if all(row[name] == str(value) for name, value in wanted.items())]
    assert found, f"no row with {wanted}"
    return found[0]


def number(row, name):
    return float(row[name])


# ---- Figure 2, left: both stages, worked out by hand.
table = figure("key-02")
expect("key-02", "elements", len(table), 11)
for names, want in (("is_top", {7, 8, 9, 10}), ("is_kept", {9, 8, 5, 3, 10, 4}),
                    ("is_chosen", {10, 9, 8, 5})):
    got = {int(row["value"]) for row in table if row[names] == "1"}
    holds("key-02", f"{names} {sorted(got)}", got == want)

# ---- Figure 2, right: the speed-ups of one call over torch.topk. 2.8 and 2.5 are of k_b = 2,
# b k_b = k, where the text has "more than 4 times"; what the text divides is 32 calls by 16.
table = [row for row in figure("key-02-scores") if row["assignment"] == "interleaved"]
for task, k_b, speedup, share in (("squad", 2, 2.8, 1.0), ("repetition", 2, 2.5, .9947),
                                  ("squad", 1, 4.3, .987), ("repetition", 1, 4.3, .7997)):
    row = find(table, task=task, k_b=k_b, candidates_over_k=1)
    got = number(row, "exact_us_mean") / number(row, "time_us_median")
    expect("key-02-scores", f"speed-up of {task}, k_b = {k_b}", got, speedup, .05)
    expect("key-02-scores", f"share of the score of {task}, k_b = {k_b}",
           number(row, "score") / number(row, "score_exact"), share, 5e-5)
    if k_b == 2:
        holds("key-02-scores", "more than 4 times is 32 calls over 16", got < 4 < 2 * got)
# Against the compiled torch.topk, which is slower (docs/claims.md): 3.0 and 2.8 times.
for task, n, speedup in (("squad", "1409", 3.05), ("repetition", "1659", 2.78)):
    compiled = find(runs("sparq-exact"), n=n, variant="compiled")
    row = find(table, task=task, k_b=2, candidates_over_k=1)
    expect("key-02-scores", f"{task} over compiled torch.topk",
           number(compiled, "time_us_mean") / number(row, "time_us_median"), speedup, .005)
timed = [row for row in table if row["time_us_median"] != "NaN" and row["candidates_over_k"] != "1"]
expect("key-02-scores", "shapes with stage 2", len(timed), 18)
expect("key-02-scores", "largest speed-up with stage 2",
       max(number(row, "exact_us_mean") / number(row, "time_us_median") for row in timed), 1.3, .05)
# Which scores of SQuAD lie further from exact top-k than one standard error of 4000 answers.
further = [(row["k_b"], row["candidates_over_k"]) for row in table
           if row["task"] == "squad" and abs(number(row, "score") - number(row, "score_exact")) >
           math.sqrt(number(row, "score") * (1 - number(row, "score")) / 4000)]
holds("key-02-scores", f"further than a bar from exact top-k: {further}", further == [("1", "1")])

# ---- Figure 4: the vocabulary, which no fit saw: times, and losses over those of the model.
table = [row for row in figure("key-04") if row["panel"] == "vocabulary"]
error = {(int(row["b"]), int(row["k_b"])): number(row, "predicted_us") /
         number(row, "time_us_mean") - 1 for row in table}
expect("key-04", "shapes of the vocabulary", len(error), 22)
expect("key-04", "their median error", statistics.median(map(abs, error.values())), .054, 5e-4)
expect("key-04", "their lowest error", min(error.values()), -.15, .005)
expect("key-04", "their highest error", max(error.values()), .03, .005)
fast = [off for at, off in error.items() if at[1] <= 2 and 1024 <= at[0] * at[1] <= 4096]
expect("key-04", "the least of six", max(fast), -.07, .005)
holds("key-04", "the lowest is of the six", min(fast) == min(error.values()))
late = sorted(number(row, "time_us_mean") - number(row, "predicted_us") for row in table
              if row["candidates"] != row["k"] and row["k_b"] != "4")
expect("key-04", "shapes with a stage 2", len(late), 15)
expect("key-04", "the least time without a term, but for one", late[1], 3, .05)
expect("key-04", "the most time without a term", late[-1], 9.2, .05)
torch = find(runs("vocabulary"), kernel="torch.topk")
expect("key-04", "time of torch.topk without a term", number(torch, "time_us_mean") -
       number(table[0], "exact_us"), 4.95, .05)
expect("key-04", "error of the vocabulary's torch.topk", number(table[0], "exact_us") /
       number(torch, "time_us_mean") - 1, -.04, .005)
# docs/real-data.md and select say the least and the most (test_real_rows.sh).
few = [number(row, "loss_measured") / number(row, "loss") for row in table
       if row["candidates"] == row["k"]]
expect("key-04", "least loss over the model's, b k_b = k", min(few), 1.02, .005)
expect("key-04", "most loss over the model's, b k_b = k", max(few), 1.06, .005)

# ---- Figure 4: PharMeBINet's recalls against the model, and the older times.
table = [row for row in figure("key-04") if row["panel"] == "pharmebinet"]
gaps = [abs(number(row, "loss") - number(row, "loss_measured")) for row in table]
expect("key-04", "recalls", len(table), 84)
expect("key-04", "recalls for k = 10", sum(row["k"] == "10" for row in table), 36)
expect("key-04", "largest gap", max(gaps), .00724, 5e-6)
expect("key-04", "mean gap", statistics.fmean(gaps), .00057, 5e-6)
large = [row for row in table if number(row, "loss") >= 1e-5]
expect("key-04", "shapes with a loss of 1e-5", len(large), 32)
expect("key-04", "that lose less than the model", sum(number(row, "z") > 0 for row in large), 29)
many = [number(row, "loss_measured") / number(row, "loss") for row in large
        if row["k_b"] == "1" and int(row["b"]) > 100000]
expect("key-04", "shapes with more than 100,000 buckets", len(many), 4)
holds("key-04", "they lose a quarter or less of the model's loss", max(many) < .25)
expect("key-04", "largest z", max(number(row, "z") for row in large), 68, .5)
for row in large:
    z = (number(row, "loss") - number(row, "loss_measured")) / number(row, "recall_sd")
    expect("key-04", f"z of k = {row['k']}, b = {row['b']}, k_b = {row['k_b']}", row["z"],
           z * math.sqrt(55000), 1e-3 * abs(z * math.sqrt(55000)))
timed = [row for row in table if row["time_us_mean"] != "NaN"]
errors = [number(row, "predicted_us") / number(row, "time_us_mean") - 1 for row in timed]
expect("key-04", "times", len(errors), 24)
expect("key-04", "lowest error", min(errors), -.13, .005)
expect("key-04", "highest error", max(errors), .08, .005)
expect("key-04", "median error", statistics.median(map(abs, errors)), .046, 5e-4)
torch = find(runs("pharmebinet-times"), work="exact")
expect("key-04", "error of torch.topk", number(timed[0], "exact_us") /
       number(torch, "time_us_mean") - 1, .115, .005)

# Above "2x to 4x".
speedups = [number(torch, "time_us_mean") / number(row, "time_us_mean") for row in timed]
expect("key-04", "largest speed-up", max(speedups), 5.27, .005)
expect("key-04", "speed-ups above 4", sum(speedup > 4 for speedup in speedups), 6)

# ---- Figure 5: with the predicted time of the selection, against the two printed speed-ups.
table = figure("key-05")
for k, selection, k_b, want in ((2560, "exact", "NaN", 1.78), (2560, "bucketed", 1, 2.13),
                                (2560, "bucketed", 2, 2.10), (5120, "exact", "NaN", 1.67),
                                (5120, "bucketed", 1, 1.96), (5120, "free", "NaN", 2.00)):
    row = find(table, n=40960, k=k, selection=selection, k_b=k_b)
    expect("key-05", f"speed-up of {selection}, k = {k}, k_b = {k_b}", row["speedup_selected"],
           want, .0051)
    if selection != "free":  # 32 layers, each with one selection
        want = number(row, "step_us") / (number(row, "step_us") / number(row, "speedup") +
                                         32 * number(row, "select_us"))
        expect("key-05", f"by hand, {selection}, k = {k}", row["speedup_selected"], want, 1e-9)
measured = {row["selection"]: number(row, "speedup") for row in runs("decoding")}
at = {row["selection"]: number(row, "speedup_selected") for row in table
      if row["n"] == "40960" and row["k"] == "2560"}
# Both are printed with two digits; the exact one is 6 % off.
holds("key-05", "1.9 within 7 %", abs(at["exact"] / measured["exact"] - 1) < .07)
holds("key-05", "2.1 within 2 %", abs(at["bucketed"] / measured["bucketed"] - 1) < .02)
holds("key-05", "k = n/8 cannot reach 2.1", measured["bucketed"] >
      number(find(table, n=40960, k=5120, selection="free"), "speedup"))
holds("key-05", "torch.topk slows down no step", min(
    number(row, "speedup_selected") for row in table if row["selection"] == "exact") > 1)

# An earlier run: its estimate of the most is the free choice of k = n/16. An overhead and a factor
# of attention, fitted to the dense steps, describe these but not the sparse ones.
slower, left = [], []
for step, selected, fitted in zip(runs("steps"), (1.02, 1.08, 1.27, 1.62),
                                  (1.13, 1.27, 1.59, 2.15)):
    n, time = int(step["n"]), number(step, "dense_us")
    row = find(table, n=n, k=n // 16, selection="exact")
    expect("key-05", f"the most at n = {n}", row["speedup"], number(step, "speedup_most"), .005)
    expect("key-05", f"speed-up of steps of n = {n}", time / number(step, "sparq_us"),
           number(step, "speedup"), .0155)
    expect("key-05", f"speed-up with torch.topk at n = {n}", row["speedup_selected"], selected,
           .0051)
    expect("key-05", f"fitted dense step of n = {n}", row["step_fitted_us"], time, .01 * time)
    expect("key-05", f"fitted speed-up of n = {n}", row["speedup_fitted"], fitted, .0051)
    slower.append(time / number(row, "step_us"))
    left.append(number(step, "sparq_us") - number(row, "step_fitted_us") /
                number(row, "speedup_fitted"))
expect("key-05", "least ratio of dense steps", min(slower), 1.5, .05)
expect("key-05", "largest ratio of dense steps", max(slower), 1.9, .05)
expect("key-05", "least time without a term", min(left), 1400, 50)
expect("key-05", "most time without a term", max(left), 3800, 70)
least, most = (find(table, n=n, k=k, selection="free") for n, k in ((4096, 256), (40960, 2560)))
times = ((number(most, "step_fitted_us") - number(least, "step_fitted_us")) /
         (number(most, "attention_us") - number(least, "attention_us")))
expect("key-05", "times the attention", times, 2.3, .05)
expect("key-05", "overhead", number(least, "step_fitted_us") - number(least, "step_us") -
       (times - 1) * number(least, "attention_us"), 2800, 50)

# ---- Figure 7: published scores.
table = figure("key-07")
expect("key-07", "scores", len(table), 64)
of = {(r["task"], r["k_b"], r["candidates_over_k"], r["assignment"]): number(r, "score")
      for r in table}
gains = [of[key[:3] + ("interleaved",)] - of[key] for key in of if key[3] == "contiguous"]
expect("key-07", "pairs that contiguous loses", sum(gain > 0 for gain in gains), 27)
expect("key-07", "pairs that are equal", sum(gain == 0 for gain in gains), 1)
for task, k_b, ratio, interleaved, contiguous in (
    ("squad", 1, 1, .80000, .75675), ("squad", 2, 2, .81000, .79700),
    ("squad", 8, 8, .81025, .81050),
    ("repetition", 1, 1, 168.820, 95.842), ("repetition", 4, 4, 212.074, 207.780),
    ("repetition", 8, 8, 211.470, 211.816),
):
    at = task, str(k_b), str(ratio)
    expect("key-07", f"score of {at}", of[at + ("interleaved",)], interleaved, 1e-9)
    expect("key-07", f"score of {at}, contiguous", of[at + ("contiguous",)], contiguous, 1e-9)
for task in "squad", "repetition":
    expect("key-07", "recall of k_b = 2",
           find(table, task=task, k_b=2, candidates_over_k=1)["recall"], .74, .005)

# ---- Figure 8: contiguous is faster in all 24 pairs; predicted times of interleaved.
table = figure("key-08")
ratios = [number(row, "interleaved_over_this") for row in table
          if row["assignment"] == "contiguous"]
expect("key-08", "pairs", len(ratios), 24)
holds("key-08", "contiguous is faster in all", min(ratios) > 1)
expect("key-08", "least", min(ratios), 1.004, 5e-4)
expect("key-08", "most", max(ratios), 1.243, 5e-4)
ours = [row for row in table if row["assignment"] == "interleaved"]
errors = [number(row, "predicted_us") / number(row, "time_us_median") - 1 for row in ours]
expect("key-08", "lowest error", min(errors), 0, .005)
expect("key-08", "highest error", max(errors), .11, .005)
expect("key-08", "median error", statistics.median(map(abs, errors)), .05, .001)
for n, ratio in ((1409, .69), (1659, .74)):
    got = {number(row, "stage1_ratio") for row in table if row["n"] == str(n)} - {1.0}
    expect("key-08", f"ratio for n = {n}", max(got), ratio, .005)
    holds("key-08", f"one ratio for n = {n}", len(got) == 1)
theirs = [row for row in table if row["assignment"] == "contiguous"]
for what, times, least, most, median in (
    ("one ratio", [number(row, "predicted_us") for row in theirs], -.15, .11, .023),
    ("no ratio", [number(find(ours, n=row["n"], b=row["b"], k_b=row["k_b"]), "predicted_us")
                  for row in theirs], 0, .30, .10),
):
    errors = [time / number(row, "time_us_median") - 1 for time, row in zip(times, theirs)]
    expect("key-08", f"contiguous, {what}: lowest error", min(errors), least, .005)
    expect("key-08", f"contiguous, {what}: highest error", max(errors), most, .005)
    expect("key-08", f"contiguous, {what}: median error",
           statistics.median(map(abs, errors)), median, .005)
expect("key-08", "within the band", sum(
    number(r, "low_us") <= number(r, "time_us_median") <= number(r, "high_us") for r in ours), 24)

# ---- Figures 1 and 10, from the published runs. Medians here, means where the values come from:
# equal within 1 %.
table = figure("key-bandwidth")
SIZES = [2**i for i in range(10, 23, 2)]


def rates(k_of, m=256, **wanted):
    return [number(find(table, n=n, k=k_of(n), m=m, **wanted), "gb_per_s") for n in SIZES]


def two_stage(k_b, ratio):
    return {"work": "two-stage", "k_b": k_b, "candidates_over_k": ratio}


for name, k_of, wanted, values in (
    ("k = 64 (1,1)", lambda n: 64, two_stage(1, 1), (144, 200, 238, 266, 276, 279, 280)),
    ("k = 64 (1,4)", lambda n: 64, two_stage(1, 4), (30, 99, 290, 605, 858, 964, 989)),
    ("k = 64 (2,1)", lambda n: 64, two_stage(2, 1), (89, 102, 111, 121, 126, 127, 127)),
    ("k = 64 argmax", lambda n: 64, {"work": "argmax-compiled"},
     (144, 243, 474, 691, 1064, 1266, 1045)),
    ("k = 64 topk", lambda n: 64, {"work": "exact"}, (16, 41, 97, 131, 183, 205, 208)),
    ("k = n/4 (1,1)", lambda n: n // 4, two_stage(1, 1), (162, 313, 424, 467, 480, 488, 489)),
    ("k = n/4 (4,1)", lambda n: n // 4, two_stage(4, 1), (74, 208, 275, 379, 415, 425, 423)),
    ("k = n/4 argmax, eager", lambda n: n // 4, {"work": "argmax-eager"},
     (47, 120, 211, 243, 233, 238, 234)),
):
    for n, got, want in zip(SIZES, rates(k_of, **wanted), values):
        expect("key-bandwidth", f"{name} at n = {n}", got, want, .5 + .01 * want)
best = max(number(row, "gb_per_s") for row in table)
expect("key-bandwidth", "the most", best, 1263, .5)
slower = [a / q for a, q in zip(rates(lambda n: 64, work="argmax-compiled"),
                                rates(lambda n: 64, **two_stage(1, 1)))][3:]
expect("key-bandwidth", "argmax over the queue, least", min(slower), 2.6, .05)
expect("key-bandwidth", "argmax over the queue, most", max(slower), 4.6, .1)
expect("key-bandwidth", "the queue over argmax, k = n/16",
       rates(lambda n: n // 16, **two_stage(1, 1))[-1] /
       rates(lambda n: n // 16, work="argmax-compiled")[-1], 2.9, .05)
expect("key-bandwidth", "b k_b = 2k, k = n/4", rates(lambda n: n // 4, **two_stage(1, 2))[-1], 125,
       .5)

# torch.argmax is no upper bound: b = k, k_b = 1 beats it, compiled.
queue = {(row["n"], row["k"], row["m"]): number(row, "time_us_median") for row in runs("two-stage")
         if row["k_b"] == row["candidates_over_k"] == "1"}
faster = [number(row, "time_us_median") / queue[row["n"], row["k"], row["m"]]
          for row in runs("argmax") if row["variant"] == "compiled"]
expect("argmax", "runs", len(faster), 140)
expect("argmax", "runs in which the queue is faster", sum(share > 1 for share in faster), 55)
expect("argmax", "the most", max(faster), 3.61, .005)

# ---- Figures 15 and 16: the measured values, in log2 of seconds; the shifted costs.
for name, m, k, values in (
    ("key-15", 1, 256, (-16.27, -15.35, -13.85, -14.60, -14.05, -13.19, -12.82)),
    ("key-15", 256, 256, (-14.73, -14.20, -13.45, -11.91, -10.40, -8.58, -6.60)),
    ("key-16", 1, 1, (-17.515, -16.889, -15.599, -13.849, -11.920, -9.590, -7.025)),
    ("key-16", 1, 4, (-16.419, -15.287, -13.733, -11.975, -10.072, -7.782, -5.195)),
    ("key-16", 256, 4, (-16.214, -14.699, -12.903, -11.059, -9.121, -7.139, -5.142)),
):
    table = figure(name)
    for n, want in zip(SIZES, values):
        got = math.log2(number(find(table, n=n, k=k, m=m), "time_us_median") / 1e6)
        expect(name, f"log2 s of n = {n}, k = {k}, m = {m}", got, want, .02)
table = figure("key-15")
expect("key-15", "rows", len(table), 140)
expect("key-15", "values of k", len({row["k"] for row in table}), 13)
expect("key-16", "rows", len(figure("key-16")), 56)
for n, m, serial, parallel, want in ((1024, 1, 2**31.8, 2**24.8, (-16.34, -16.31)),
                                     (1024, 256, 2**30.2, 2**23.3, (-14.74, -14.81))):
    row = find(table, n=n, k=256, m=m)
    expect("key-15", f"shifted serial cost, m = {m}",
           math.log2(number(row, "cost_serial_exact") / m / serial), want[0], .01)
    expect("key-15", f"shifted parallel cost, m = {m}",
           math.log2(number(row, "cost_parallel_exact") / parallel), want[1], .01)
    # "Aligned at 2^10": the serial line misses the 7 measured k by up to .25 and .28.
    misses = [abs(math.log2(number(row, "cost_serial_exact") / m / serial) -
                  math.log2(number(other, "time_us_median") / 1e6))
              for other in table if other["n"] == "1024" and other["m"] == str(m)]
    expect("key-15", f"largest miss at 2^10, m = {m}", max(misses), (.25, .28)[m > 1], .005)
row = find(table, n=4194304, k=256, m=1)
expect("key-15", "serial over measured", number(row, "cost_serial_exact") / 2**31.8 * 1e6 /
       number(row, "time_us_median"), 745, .5)
expect("key-15", "measured over parallel", number(row, "time_us_median") /
       (number(row, "cost_parallel_exact") / 2**24.8 * 1e6), 3.07, .005)

# D.3: the time grows with n once the device is full.
times = [number(find(table, n=n, k=256, m=256), "time_us_median") for n in SIZES]
for i, slope in (0, .27), (-2, .99):
    expect("key-15", "slope for m = 256", math.log2(times[i + 1] / times[i]) / 2, slope, .005)

# ---- Figure 17: how the costs rank the cells of a panel.
measured = {tuple(row[c] for c in ("n", "k", "b", "k_b", "m")): number(row, "time_us_median")
            for row in runs("two-stage")}
panels = {}
for row in figure("key-17"):
    if int(row["candidates"]) <= 8 * int(row["k"]) and int(row["candidates"]) < int(row["n"]):
        panels.setdefault((row["n"], row["k"], row["m"]), []).append(row)
expect("key-17", "panels", len(panels), 12)
for model, low, high in ("basic", .77, .99), ("serial", .77, .98):
    found = {at: statistics.correlation(
        ranks([measured[row["n"], row["k"], row["b"], row["k_b"], row["m"]] for row in cells]),
        ranks([number(row, f"cost_{model}") for row in cells])) for at, cells in panels.items()}
    for m, want in ("1", .66), ("256", .62):
        expect("key-17", f"rank correlation, {model}, k = 64, m = {m}",
               found.pop(("1048576", "64", m)), want, .005)
    expect("key-17", f"least rank correlation, {model}", min(found.values()), low, .005)
    expect("key-17", f"largest rank correlation, {model}", max(found.values()), high, .005)

# ---- B.1: "5 %" and ".1 %", of 2212 runs without uncompiled argmax. Their standard deviation
# divides by the 16 replays, that of runs/keyetal by 15; medians here, means there.
shares = [number(row, "time_us_stderr") / number(row, "time_us_median") * math.sqrt(15 / 16)
          for name in ("two-stage", "exact", "argmax") for row in runs(name)
          if row.get("variant") != "eager"]
expect("B.1", "runs", len(shares), 2212)
expect("B.1", "largest standard error", max(shares), .052, .0015)
expect("B.1", "mean standard error", statistics.fmean(shares), .00093, 5e-6)
holds("B.1", "as printed: 5 % and .1 %",
      round(max(shares), 2) == .05 and round(statistics.fmean(shares), 3) == .001)

# ---- Figures 6 and 7 of Samaga et al.: the Monte Carlo estimate. |z| > 5 happens by chance once in
# 1.7 million; the seed is fixed. A mean of 40 or more z is within .65 of 0, their sd within .35 of
# 1 (three standard errors and more).
for n, cells in ("430080", 231), ("15360", 76):
    name, table = "samaga-6", [row for row in figure("samaga-6") if row["n"] == n]
    expect(name, f"shapes of n = {n}", len(table), cells)
    z = []
    for row in table:
        # Where dozens of samples overflow, their mean is near enough to normal.
        lost = (1 - number(row, "model_recall")) * number(row, "k") / number(row, "b")
        if 262144 * lost > 30:
            z.append(number(row, "monte_carlo_z"))
            expect(name, f"z of n = {n}, b = {row['b']}, k_b = {row['k_b']}", z[-1], 0, 5)
    expect(name, "mean z", statistics.fmean(z), 0, .65)
    expect(name, "sd of z", statistics.stdev(z), 1, .35)
    holds(name, "the estimate is off by at most .0033",
          max(abs(number(r, "monte_carlo") - number(r, "model_recall")) for r in table) < .0033)
expect("samaga-6", "largest error of the estimate",
       max(number(row, "monte_carlo_stderr") for row in figure("samaga-6")), .0014, 5e-5)

print("claims checked: " +
      ", ".join(f"{claim} {count}" for claim, count in sorted(checked.items())))
for line in failed[:50]:
    print("FAIL: " + line)
sys.exit(bool(failed))
