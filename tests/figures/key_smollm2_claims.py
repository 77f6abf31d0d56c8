"""What the captions of key-02-smollm2 and key-07-smollm2 and the table of docs/real-data.md
say, against their CSV file and what was measured, in paper_figures/key-02-smollm2 or a copy.

usage: key_smollm2_claims.py FOLDER
"""
import csv
import math
import pathlib
import re
import statistics
import sys

folder = pathlib.Path(sys.argv[1])
checked, failed = 0, []


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expect(what, got, want, tolerance):
    global checked
    checked += 1
    if not abs(float(got) - float(want)) <= tolerance:
        failed.append(f"{what} is {got}, not {want}")


def holds(what, is_so):
    expect(f"not so: {what}:", int(is_so), 1, 0)


def row_of(table, **wanted):
    row, = [row for row in table if all(row[name] == str(x) for name, x in wanted.items())]
    return row


table = [row for row in read(folder / "key-02-smollm2.csv")
         if row["source"] == "smollm2"]
errors = {(int(r["k"]), int(r["k_b"]), int(r["candidates_over_k"]), r["assignment"]): r
          for r in table if r["task"] == "error"}
times = {at: float(r["exact_us"]) / float(r["time_us"]) for at, r in errors.items()
         if at[3] == "interleaved" and r["time_us"] != "NaN"}

# ---- The captions.
expect("shapes", len(errors), 56, 0)
for assignment, k, wanted in (("interleaved", 96, (1.58, 1.28, 1.12, 1.05)),
                              ("interleaved", 192, (1.91, 1.40, 1.18, 1.07)),
                              ("contiguous", 96, (3.44, 2.81, 2.41, 2.14)),
                              ("contiguous", 192, (5.26, 4.06, 3.35, 2.92))):
    for k_b, want in zip((1, 2, 4, 8), wanted):
        expect(f"error of {assignment}, k = {k}, k_b = {k_b}",
               errors[k, k_b, 1, assignment]["relative"], want, .00501)
for k, twice, of_exact in ((96, 1.06, .0106), (192, 1.07, .0039)):
    row = errors[k, 2, 2, "interleaved"]
    expect(f"error of k = {k}, b k_b = 2k", row["relative"], twice, .00501)
    expect(f"error of exact top-k, k = {k}", row["score_exact"], of_exact, 5e-5)
holds("contiguous has the larger error in all pairs",
      all(float(row["relative"]) > float(errors[at[:3] + ("interleaved",)]["relative"])
          for at, row in errors.items() if at[3] == "contiguous"))
for assignment, most, stderr in (("interleaved", .0084, .007), ("contiguous", .015, .025)):
    mine = [r for r in table if (r["task"], r["assignment"]) == ("perplexity", assignment)]
    expect(f"perplexity, {assignment}", max(abs(float(r["relative"]) - 1) for r in mine), most,
           5e-5)
    expect(f"its standard error, {assignment}", max(float(r["relative_se"]) for r in mine), stderr,
           5.1e-4)
for at, want in (((96, 1), 4.0), ((192, 1), 4.9), ((96, 2), 2.4), ((192, 2), 3.3)):
    expect(f"predicted speed-up of k, k_b = {at}", times[at + (1, "interleaved")], want, .05)
expect("largest speed-up with stage 2", max(x for at, x in times.items() if at[2] > 1), 1.163, 5e-4)
row = errors[96, 4, 1, "interleaved"]
holds("k_b = 4 is slower than torch.topk, with fewer than 64 keys a bucket",
      times[96, 4, 1, "interleaved"] < 1 and int(row["n"]) / int(row["b"]) < 64)

# ---- The table of the page.
page = pathlib.Path("docs/real-data.md").read_text(encoding="utf-8")
lines = re.findall(r"^\| k_b = (\d), b k_b = (\d?)k \| (.*) \|$", page, re.MULTILINE)
expect("lines of the table", len(lines), 6, 0)
for k_b, ratio, numbers in lines:
    cells = numbers.split(" | ")
    for i, k in enumerate((96, 192)):
        row = errors[k, int(k_b), int(ratio or 1), "interleaved"]
        expect(f"the page's error of k = {k}, k_b = {k_b}", cells[i], row["relative"], .00501)
        if row["time_us"] != "NaN":
            expect(f"the page's time of k = {k}, k_b = {k_b}", cells[2 + i], row["time_us"], .0501)
for row in errors.values():
    expect("the page's time of exact top-k", row["exact_us"], 14.3, .0501)

# ---- From what was measured: a mean of differences, its standard error, a quotient of means.
samples = read(folder / "repetition.csv")
shape = dict(k=96, k_b=2, candidates_over_k=1, assignment="contiguous")
texts = sorted({row["document"] for row in samples})
some = [row_of(samples, document=name, **shape) for name in texts]
exact = [row_of(samples, document=name, k=96, k_b="") for name in texts]
dense = [row_of(samples, document=name, k="") for name in texts]
expect("texts", len(texts), 4, 0)
over = [float(a["loss"]) - float(b["loss"]) for a, b in zip(some, exact)]
row = row_of(table, task="perplexity", **shape)
relative = math.exp(statistics.fmean(over))
expect("a perplexity", row["relative"], relative, 1e-5)
expect("its standard error", row["relative_se"], relative * statistics.stdev(over) / 2, 1e-5)


def mean_run(rows):
    return statistics.fmean(float(row["run"]) for row in rows)


row = row_of(table, task="run", **shape)
expect("a repetition", row["relative"], mean_run(some) / mean_run(exact), 1e-5)
expect("characters that it repeats", mean_run(exact), 26, .5)
expect("the same with all keys", mean_run(dense), 28, .5)
raw = read(folder / "sparq-errors.csv")
holds("where all keys are candidates, it is exact",
      {row["error"] for row in raw if (row["k"], row["candidates_over_k"]) == ("192", "8")} ==
      {row_of(raw, k=192, k_b="")["error"]})

for line in failed:
    print(f"FAIL: {line}")
print(f"{checked} numbers of the small model checked")
sys.exit(1 if failed else 0)
