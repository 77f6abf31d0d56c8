"""pays_claims.py - what ours-pays, ours-winners and the pages say of them, computed again.

    pays_claims.py FIGURES DOCS [quick]    folders with the figures and the pages; quick: without
                                           what the command computes for a sample

It shares no code with plots/: the times come from runs/, the bounds from the rates that
`recallmodel devices` prints, the recalls from `recallmodel recall`. $RECALLMODEL is the command.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import functools
import io
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

PROGRAM = os.environ.get("RECALLMODEL", "./recallmodel")
BYTES = {"f32": 4, "f16": 2}


@functools.cache
def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def ask(*arguments):
    return subprocess.check_output([PROGRAM, *map(str, arguments)], text=True,
                                   stderr=subprocess.DEVNULL)


def same(what, got, want, relative=1e-8):
    if not math.isclose(float(got), float(want), rel_tol=relative):
        sys.exit(f"FAIL: {what}: {got}, expected {want}")


def check(what, right):
    if not right:
        sys.exit(f"FAIL: {what}")


def says(text, pattern, *values):
    """The text has the pattern, and the numbers in its groups are these, as they are rounded."""
    found = re.search(pattern, " ".join(text.split()))
    check(f"there is no '{pattern}'", found)
    check(f"'{found.group()}' has {len(values)} numbers", len(found.groups()) == len(values))
    for got, value in zip(found.groups(), values):
        digits = len(got.partition(".")[2])
        check(f"'{found.group()}': {got}, expected {value:.6g}", got == f"{value:.{digits}f}")


def shape(row):
    return tuple(int(float(row[column])) for column in ("n", "k", "m"))


DEVICES = {row["device"]: row for row in json.loads(ask("devices", "--json"))["devices"]}


def check_bound(row, device, size):
    """Between reading the rows and also writing every candidate, or the vector operations."""
    n, _, m = shape(row)
    rates, b, k_b = DEVICES[device], float(row["b"]), float(row["k_b"])
    rows = 1e6 * m * n * size / rates["bandwidth_bytes_per_s"]
    vector = 1e6 * m * n * (5 * k_b - 2) / rates["vector_rate_per_s"]
    all_bytes = rows + 1e6 * m * b * k_b * (size + 4) / rates["bandwidth_bytes_per_s"]
    low, high = max(rows, vector), max(all_bytes, vector)
    bound = float(row["bound_us"])
    check(f"the bound of {row} is {bound}, not from {low} to {high}",
          low * (1 - 1e-8) <= bound <= high * (1 + 1e-8))


def check_reaches(row, target):
    """The choice reaches the recall, and no shape of `select` has a lower bound of its reads."""
    n, k, _ = shape(row)
    answer = ask("recall", "--n", n, "--k", k, "--b", row["b"], "--kb", row["k_b"], "--csv")
    recall = float(next(csv.DictReader(io.StringIO(answer)))["recall"])
    check(f"{row}: recall {recall} below {target}", recall >= target)


# ---- ours-pays

SOURCES = {"flashinfer/exact-blackwell": ("flashinfer/exact-blackwell",),
           "trtllm/exact-b200": ("trtllm/exact-b200",),
           "keyetal/exact": ("keyetal/exact", "keyetal/two-stage", "keyetal/argmax")}


def exact_runs(source):
    """{(kernel, n, k, m): times} of the rows with k < n; one time, or that of two models."""
    times = {}
    for row in table(f"runs/{source}.csv"):
        if row.get("op", "top_k") == "top_k" and int(row["k"]) < int(row["n"]):
            at = (row.get("kernel", "torch.topk"), *shape(row))
            times.setdefault(at, []).append(float(row["time_us_median"]))
    return times


@functools.cache
def launch_of(source):
    return min(float(row["time_us_median"]) for name in SOURCES[source]
               for row in table(f"runs/{name}.csv"))


def check_gains(rows):
    for source in SOURCES:
        runs, launch = exact_runs(source), launch_of(source)
        check(f"{source}: {len(runs)} shapes", len(runs) > 100)
        of = [row for row in rows if row["source"] == source]
        for recall in ("0.95", "0.99"):
            drawn = [(row["kernel"], *shape(row)) for row in of if row["recall"] == recall]
            check(f"{source}: every row once at {recall}",
                  sorted(drawn) == sorted(at for at, times in runs.items() for _ in times))
        for row in of:
            exact = float(row["exact_us"])
            check(f"{row}: a time of the runs",
                  any(math.isclose(exact, us, rel_tol=1e-8)
                      for us in runs[(row["kernel"], *shape(row))]))
            same("launch", row["launch_us"], launch)
            check_bound(row, row["device"], BYTES[row["dtype"]])
            check(f"{row}: below its bound", exact > float(row["bound_us"]))
            same(f"gain of {row}", row["gain"], exact / (launch + float(row["bound_us"])))


def check_predicted(rows, docs):
    """The cells of the map have the gain of their times, and the lines lie between two cells."""
    for row in rows:
        launch = launch_of(row["source"]) if row["kind"] == "predicted" else 0
        if launch:
            check_bound(row, row["device"], BYTES[row["dtype"]])
            same("a cell", row["gain"], float(row["exact_us"]) / (launch + float(row["bound_us"])))
    gvr = [row for row in rows if row["kernel"] == "gvr_v2" and row["kind"] == "predicted"]
    no = [int(row["m"]) for row in gvr if row["n"] == "1024" and float(row["gain"]) < 1.1]
    check("below 1.1 for all m up to the largest", no == [2 ** i for i in range(len(no))])
    says(docs["runs.md"], r"below 1.1 for (\d+) elements and up to (\d+) rows, and below 1.5 for "
         r"(\d+) of the (\d+) cells", 1024, max(no), sum(float(row["gain"]) < 1.5 for row in gvr),
         len(gvr))
    for row in (row for row in rows if row["kind"] == "line"):
        cells = {(float(cell["n"]), float(cell["m"])): float(cell["gain"]) for cell in rows
                 if cell["kind"] == "predicted"
                 and all(cell[c] == row[c] for c in ("source", "kernel", "k"))}
        n, m, level = (float(row[column]) for column in ("n", "m", "gain"))
        around = [gain for (at, of), gain in cells.items()
                  if n / 2 < at < 2 * n and m / 2 < of < 2 * m]
        check(f"{row} is not between its cells", min(around) <= level <= max(around))


def check_least(rows):
    """Every 97th choice reaches its recall, and has no larger bound than that of `select`."""
    for row in rows[::97]:
        n, k, m = shape(row)
        check_reaches(row, float(row["recall"]))
        least = json.loads(ask("select", "--n", n, "--k", k, "--m", m, "--recall", row["recall"],
                               "--device", row["device"], "--dtype", row["dtype"], "--objective",
                               "roofline", "--json"))["choice"]["objective"]
        check(f"{row}: select finds {least}", float(row["bound_us"]) <= least * (1 + 1e-8))


def check_two_stages(rows):
    """The least of the measured two stages that reach the recall, of every 40th shape."""
    runs = table("runs/keyetal/two-stage.csv")
    for row in measured(rows)[::40]:
        n, k, m = shape(row)
        of = [run for run in runs if shape(run) == (n, k, m)]
        times = []
        for k_b in {run["k_b"] for run in of}:
            us = {run["b"]: float(run["time_us_median"]) for run in of if run["k_b"] == k_b}
            answer = ask("recall", "--n", n, "--k", k, "--b", ",".join(us), "--kb", k_b, "--csv")
            times += [us[said["b"]] for said in csv.DictReader(io.StringIO(answer))
                      if float(said["recall"]) >= float(row["recall"])]
        same(f"two stages of {row}", row["two_stage_us"], min(times))


def measured(rows):
    return [row for row in rows if row["two_stage_us"] != "NaN"]


def check_two_stage_gains(rows):
    for row in measured(rows):
        same("gain of two stages", row["two_stage_gain"],
             float(row["exact_us"]) / float(row["two_stage_us"]))
        check(f"{row}: two stages below their bound",
              float(row["two_stage_us"]) > float(row["bound_us"]))


def check_pays_texts(rows, docs, caption):
    at95 = [row for row in rows if row["recall"] == "0.95"]

    def gains(source, kernel):
        return [float(row["gain"]) for row in at95
                if (row["source"], row["kernel"]) == (source, kernel)]
    median = statistics.median
    runs, choosing = docs["runs.md"], docs["choosing.md"]
    h100 = gains("keyetal/exact", "torch.topk")
    blackwell = [gains("flashinfer/exact-blackwell", kernel)
                 for kernel in ("torch.topk", "flashinfer_default", "flashinfer_clusters")]
    gvr = gains("trtllm/exact-b200", "gvr_v2")
    says(runs, r"\*: a Blackwell \(card not stated\)")
    for name, of in (("torch.topk, H100 PCIe", h100), ("torch.topk, Blackwell*", blackwell[0]),
                     ("FlashInfer's default, Blackwell*", blackwell[1]),
                     ("FlashInfer's clusters, Blackwell*", blackwell[2]),
                     ("gvr_v2, B200, cold", gvr)):
        says(runs, rf"\| {re.escape(name)} \| (\d+) \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) "
             r"\| (\d+) \| (\d+) \| (\d+) \|", len(of), median(of), min(of), max(of),
             *(sum(gain < level for gain in of) for level in (1.1, 1.5, 3)))
    says(choosing, r"(\d+) times on an H100 PCIe and (\d+) times on a Blackwell \(card not stated",
         median(h100), median(blackwell[0]))
    says(choosing, r"default kernel it is ([\d.]+) times, over its clusters ([\d.]+), and over "
         r"gvr_v2 of TensorRT-LLM ([\d.]+)\.", median(blackwell[1]), median(blackwell[2]),
         median(gvr))
    both = measured(at95)
    got = [float(row["two_stage_gain"]) for row in both]
    share = [gain / float(row["gain"]) for gain, row in zip(got, both)]
    like = max(s for s, row in zip(share, both)
               if row["k"] in ("256", "1024") and int(row["n"]) <= 2 ** 18)
    says(choosing, r"got (\d+) % of it in the median, and were faster than torch.topk in (\d+) of "
         r"(\d+) shapes", 100 * median(share), sum(gain > 1 for gain in got), len(got))
    says(runs, r"faster in (\d+) of them, ([\d.]+) times in the median: (\d+) % of the most, and "
         r"(\d+) % at best", sum(gain > 1 for gain in got), median(got), 100 * median(share),
         100 * max(share))
    says(runs, r"runs of gvr_v2, is (\d+) %. Two stages .* in (\d+) of (\d+) shapes. To only equal "
         r"it they must get (\d+) %", 100 * like, sum(like * gain > 1 for gain in gvr), len(gvr),
         100 / median(gvr))
    says(caption, r"got (\d+) % of the most in the median", 100 * median(share))
    says(runs, r"kernel of the same runs: ([\d.]+) us .* ([\d.]+) us \(gvr_v2 .* ([\d.]+) us on "
         r"the H100", *map(launch_of, SOURCES))


# ---- ours-winners


def contenders(panel, row):
    """{contender: its measured times} of a shape, from the runs."""
    def times(name, kernel, **only):
        found = {}
        for run in table(f"runs/{name}.csv"):
            if shape(run) == shape(row) and all(run[c] == want for c, want in only.items()):
                found.setdefault(kernel(run), []).append(float(run["time_us_median"]))
        return found
    if panel == "B200":
        return times("trtllm/exact-b200", lambda run: run["kernel"])
    if panel == "H100-PCIe":
        return times("keyetal/exact", lambda run: "torch.topk")
    if panel == "H200":
        only = {"dtype": row["dtype"], "timing": "events"}
        found = times("h200/exact", lambda run: "radix", **only)
        found |= times("h200/torch", lambda run: "torch.topk", **only)
        buckets = [float(run["time_us_median"]) for run in table("runs/h200/calibrate.csv")
                   if shape(run) == shape(row) and run["dtype"] == row["dtype"]
                   and float(run["recall_model"]) >= .95]
        return found | {"buckets": buckets}
    return cpu_contenders(row)


CPU = {"cache": "warm", "threads": "1", "d": "0", "dtype": "float32", "assignment": "interleaved",
       "input": "normal"}


def cpu_contenders(row):
    """Exact top-k and the buckets of a Xeon; of a (b, k_b) measured twice the first row counts."""
    first = {}
    for name in ("cpu-small", "cpu-calibrate"):
        for run in table(f"runs/cpu-xeon-emr/{name}.csv"):
            calm = float(run["time_us_high"]) <= 1.5 * float(run["time_us_low"])
            if shape(run) == shape(row) and all(run[c] == CPU[c] for c in CPU) and calm:
                first.setdefault((run["work"], run["b"], run["k_b"]), run)
    found = {"threshold": [], "buckets": []}
    for (work, *_), run in first.items():
        us = float(run["time_us_median"])
        if work == "exact":
            found["threshold"].append(us)
        elif work == "two-stage" and float(run["recall_model"]) >= .95:
            found["buckets"].append(us)
    return found


def check_winners(rows, pays, caption, runs):
    """Buckets of the H100 PCIe are those of ours-pays, which check_two_stages holds."""
    h100 = {shape(row): float(row["two_stage_us"]) for row in measured(pays)
            if row["recall"] == "0.95"}
    leads = {}
    for row in rows:
        panel, of = row["panel"], contenders(row["panel"], row)
        if panel == "H100-PCIe":
            of["buckets"] = [h100[shape(row)]]
        least = sorted((min(us), name) for name, us in of.items())
        check(f"{row}: the fastest of {least}",
              [row["fastest"], row["second"]] == [name for _, name in least[:2]])
        same(f"time of {row}", row["time_us"], least[0][0])
        same(f"second of {row}", row["second_us"], least[1][0])
        same(f"lead of {row}", row["lead"], least[1][0] / least[0][0], 1e-5)
        key = panel, row["dtype"], row["fastest"]
        leads.setdefault(key, []).append((float(row["lead"]), row))
    counts = {at: sum(len(of) for key, of in leads.items() if key[:2] == at)
              for at in {key[:2] for key in leads}}
    check("all shapes", sum(counts.values()) == len({(row["panel"], row["dtype"], *shape(row))
                                                     for row in rows}) == len(rows))

    def won(*key):
        return [lead for lead, _ in leads[key]]
    h100_won, lost = won("H100-PCIe", "float16", "buckets"), leads["H100-PCIe", "float16",
                                                                 "torch.topk"]
    says(caption, r"on an H100 PCIe, with k from 4 on, in (\d+) of (\d+) shapes, by up to ([\d.]+) "
         r"times; the other "
         r"(\d+) have k = n/4", len(h100_won), counts["H100-PCIe", "float16"], max(h100_won),
         len(lost))
    check("k = n/4", all(4 * shape(row)[1] == shape(row)[0] for _, row in lost))
    h200 = [leads["H200", dtype, "buckets"] for dtype in ("float32", "float16")]
    check("as many of both types", counts["H200", "float32"] == counts["H200", "float16"])
    says(caption, r"in (\d+) \(float32\) and (\d+) \(float16\) of (\d+) shapes on an H200",
         *map(len, h200), counts["H200", "float16"])
    says(caption, r"by more than 1.2 times only with up to (\d+) rows",
         max(shape(row)[2] for of in h200 for lead, row in of if lead > 1.2))
    cpu = won("CPU", "float32", "buckets")
    says(caption, r"in (\d+) of (\d+) on one thread of a Xeon, by more than 1.1 times in (\d+)",
         len(cpu), counts["CPU", "float32"], sum(lead > 1.1 for lead in cpu))
    gvr = won("B200", "float32", "gvr_v2")
    says(caption, r"gvr_v2 is ([\d.]+) to ([\d.]+) times as fast .* in all (\d+) shapes", min(gvr),
         max(gvr), counts["B200", "float32"])
    check("gvr_v2 wins all", len(gvr) == counts["B200", "float32"])
    says(runs, r"on an H100 PCIe in (\d+) of (\d+) shapes with 256 rows and k from 4 on, .* on an "
         r"H200 in (\d+) of "
         r"(\d+) with k = 256", len(h100_won), counts["H100-PCIe", "float16"],
         sum(map(len, h200)), 2 * counts["H200", "float16"])
    peers = {}
    for row in table("runs/cpu-xeon-emr/peers.csv"):
        if row["exact"] == "1" and int(row["n"]) >= 1024:
            mine = "ours" if row["contender"].startswith("ours") else "others"
            peers.setdefault((row["n"], row["k"]), {}).setdefault(
                row["contender"] if mine == "ours" else mine, []).append(
                    float(row["time_us_median"]))
    says(caption, r"is nearer to ours than ([\d.]+) times from n = 1024 on",
         min(min(of["others"]) / of["ours"][0] for of in peers.values()))


def check_card(docs):
    """The card of #3009: faster than every Blackwell but B200 and B300."""
    runs = table("runs/flashinfer/exact-blackwell.csv")
    fastest = max(4e-6 * int(row["n"]) * int(row["m"]) / float(row["time_us_median"])
                  for row in runs)
    others = max(DEVICES[name]["bandwidth_bytes_per_s"] / 1e12
                 for name in ("RTX-PRO-6000", "RTX-5090"))
    check("the card is faster than other Blackwells", fastest > 1.2 * others)
    says(docs["runs.md"], r"at ([\d.]+) TB/s. The other Blackwell cards .* at most ([\d.]+) TB/s",
         fastest, others)


def check_launches():
    """The launches that the library has are the shortest of the runs."""
    devices = csv.DictReader(ask("devices", "--csv").splitlines())
    known = {row["device"]: row["shortest_kernel_us"] for row in devices
             if row["shortest_kernel_us"]}
    check("three devices have a shortest kernel", len(known) == 3)
    same("launch of an A10G", known["A10G"], min(
        float(row["time_us_median"]) for row in table("runs/graphcore/argmax-a10g.csv")))
    same("launch of an H100", known["H100-PCIe"], launch_of("keyetal/exact"))
    same("launch of a B200", known["B200"], min(map(launch_of, list(SOURCES)[:2])))


def check_sampling(docs):
    """Top-p over k survivors of #3461, over which it took all of the vocabulary before."""
    times = {"before": {}, "after": {}}
    for row in table("runs/flashinfer/sampling.csv"):
        if row["pr"] == "3461" and row["op"] == "from_logits":
            at = (row["device"], row["dtype"], *shape(row))
            times[row["kernel"].rpartition("_")[2]][at] = float(row["time_us_median"])
    saved = [us / times["after"][at] for at, us in times["before"].items()]
    says(docs["runs.md"], r"a call from logits ([\d.]+) times faster in the median \(([\d.]+) to "
         r"([\d.]+)\)", statistics.median(saved), min(saved), max(saved))


def main(figures, docs, quick=""):
    figures, pages = pathlib.Path(figures), {}
    for name in ("runs.md", "choosing.md"):
        pages[name] = (pathlib.Path(docs) / name).read_text(encoding="utf-8")
    caption = (figures / "ours-pays/ours-pays.txt").read_text(encoding="utf-8")
    drawn = table(figures / "ours-pays/ours-pays.csv")
    pays = [row for row in drawn if row["kind"] == "measured"]
    if not quick:
        check_least(pays)
        check_two_stages(pays)
    check_gains(pays)
    check_predicted([row for row in drawn if row["kind"] != "measured"], pages)
    check_two_stage_gains(pays)
    check_pays_texts(pays, pages, caption)
    winners = figures / "ours-winners/ours-winners.csv"
    check_winners(table(winners), pays, winners.with_suffix(".txt").read_text(encoding="utf-8"),
                  pages["runs.md"])
    check_card(pages)
    check_launches()
    check_sampling(pages)


if __name__ == "__main__":
    main(*sys.argv[1:])
