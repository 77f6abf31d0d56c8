"""What the caption of key-07-smollm2 and the table of docs/real-data.md say, against the CSV files
of paper_figures/key-07-smollm2 or a copy: what was measured, and what is drawn.

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


errors = {(int(r["k"]), int(r["k_b"]), int(r["candidates_over_k"]), r["assignment"]): r
          for r in read(folder / "key-07-smollm2.csv")}
times = {at: float(r["exact_us"]) / float(r["time_us"]) for at, r in errors.items()
         if at[3] == "interleaved" and r["time_us"] != "NaN"}

# ---- The caption.
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
    expect(f"error of exact top-k, k = {k}", row["error_exact"], of_exact, 5e-5)
holds("contiguous has the larger error in all pairs",
      all(float(row["relative"]) > float(errors[at[:3] + ("interleaved",)]["relative"])
          for at, row in errors.items() if at[3] == "contiguous"))
for at, want in (((96, 1), 4.0), ((192, 1), 4.9), ((96, 2), 2.4), ((192, 2), 3.3)):
    expect(f"predicted speed-up of k, k_b = {at}", times[at + (1, "interleaved")], want, .05)
expect("largest speed-up with stage 2", max(x for at, x in times.items() if at[2] > 1), 1.163, 5e-4)

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

# ---- What was measured: the perplexity over that of exact top-k, and its standard error.
losses = {}
for row in read(folder / "repetition.csv"):
    shape = row["k"], row["k_b"], row["candidates_over_k"], row["assignment"]
    losses.setdefault(shape, {})[row["document"]] = float(row["loss"])
relative = {"interleaved": [], "contiguous": []}
for (k, k_b, _, assignment), of in losses.items():
    if k_b:
        over = [loss - losses[k, "", "", ""][text] for text, loss in of.items()]
        expect("texts", len(over), 4, 0)
        ratio = math.exp(statistics.fmean(over))
        relative[assignment].append((abs(ratio - 1), ratio * statistics.stdev(over) / 2))
for assignment, most, stderr in (("interleaved", .0084, .007), ("contiguous", .015, .025)):
    expect(f"perplexity, {assignment}", max(relative[assignment])[0], most, 5e-5)
    expect(f"its standard error, {assignment}", max(se for _, se in relative[assignment]), stderr,
           5.1e-4)
raw = read(folder / "sparq-errors.csv")
holds("where all keys are candidates, it is exact",
      {row["error"] for row in raw if (row["k"], row["candidates_over_k"]) == ("192", "8")} ==
      {row_of(raw, k=192, k_b="")["error"]})

for line in failed:
    print(f"FAIL: {line}")
print(f"{checked} numbers of the small model checked")
sys.exit(1 if failed else 0)
