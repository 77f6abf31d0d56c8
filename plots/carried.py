#!/usr/bin/env python3
"""carried.py - how far a profile carries from the card of its runs to other cards.

    plots/carried.py times                    CSV: each set of runs, predicted by the stand-in
    plots/carried.py exact                    CSV: exact kernels, from card to card
    plots/carried.py quirk                    CSV: multiples of 16 on an A10G
    plots/carried.py regret                   CSV: the choice of one machine on another's runs
    plots/carried.py cards                    CSV: what to call for five uses on every card
    plots/carried.py text [--write FILE.md]   the tables of docs/runs.md, or writes them there

A stand-in is the profile of another card (docs/models.md 21). $RECALLMODEL is the command
(./recallmodel).

SPDX-License-Identifier: Apache-2.0
"""
import math
import pathlib
import re
import statistics
import tempfile

import program
from program import ask, ask_json, fill, short, words, write, write_file, write_page, wrong

FLOOR_US = 15  # what a call took at least in the runs of the RTX 4080 SUPER: the launch


def predicted_by(rows, *profile):
    """measured/predicted of each row."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_file(pathlib.Path(folder) / "runs.csv", rows,
                          ("work", "n", "k", "b", "k_b", "m", "time_us"))
        said = ask("predict", *profile, "--runs", path)
    return [float(row["time_us"]) / float(row["predicted_us"]) for row in said
            if row["predicted_us"]]


def predicted(card, dtype, rows):
    """The same, by the stand-in for this card: of other projects' kernels."""
    kernel = "samaga" if card.startswith("TPU") else "graphcore"
    return predicted_by(rows, "--device", card, "--dtype", dtype, "--kernel", kernel)


def rows_of(name, keep, time="time_us_median"):
    for row in program.runs(name):
        if keep(row) and int(row["k"]) < int(row["n"]):
            exact = not row.get("b")
            yield {"work": "exact" if exact else "two-stage", "n": row["n"], "k": row["k"],
                   "b": 1 if exact else row["b"], "k_b": row["k"] if exact else row["k_b"],
                   "m": row["m"], "time_us": row[time]}


def sets():
    """(what was run, the card, its type, the rows) of all runs that a stand-in can be tried on."""
    for kernel in ("torch-compiled-max", "triton-bk", "triton-bkn"):
        yield kernel, "A10G", "f16", list(rows_of(
            "graphcore/argmax-a10g",
            lambda r, k=kernel: r["kernel"] == k and r["assignment"] == "interleaved"))
    yield "graphcore", "RTX-3090", "f16", list(rows_of(
        "graphcore/rtx3090", lambda r: r["kernel"] == "priority_queue"))
    for dtype, name in (("bf16", "bfloat16"), ("f32", "float32")):
        yield "helion", "TPUv7x", dtype, list(rows_of(
            "helion/two-stage", lambda r, n=name: r["dtype"] == n))
    yield "torch.topk", "RTX-3090", "f16", list(rows_of(
        "graphcore/rtx3090", lambda r: r["kernel"] == "torch.topk"))
    yield "torch.topk", "B200", "f32", list(rows_of(
        "flashinfer/exact-blackwell", lambda r: r["kernel"] == "torch.topk" and r["op"] == "top_k"))
    yield "torch.topk", "B300", "bf16", list(rows_of(
        "deepselect/exact-b300", lambda r: r["kernel"] == "torch.topk", "time_us_mean"))
    for dtype, name in (("f16", "float16"), ("bf16", "bfloat16"), ("f32", "float32")):
        yield "torch.topk", "RTX-4080-SUPER", dtype, list(rows_of(
            "xpu-ops/exact", lambda r, n=name: "4080" in r["device"] and r["dtype"] == n
            and float(r["time_us_median"]) > FLOOR_US))


def other_sets():
    """Those that are in no band: torch.topk of 2022, and Intel's own torch.topk."""
    yield "torch.topk of 2022", "RTX-3080", "f32", list(rows_of(
        "torch-2022/exact", lambda r: float(r["time_us_median"]) > FLOOR_US))
    for dtype, name in (("f16", "float16"), ("f32", "float32")):
        yield "torch.topk of Intel", "Arc-B580", dtype, list(rows_of(
            "xpu-ops/exact", lambda r, n=name: r["kernel"] == "torch.topk (parts 1 and 2)"
            and r["dtype"] == n))


def quantile(values, share):
    """Between the two nearest of the sorted values."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def summary(ratios):
    """Errors and ratios; of fewer than 20 runs the worst, and the least and the most."""
    errors = [abs(1 / ratio - 1) for ratio in ratios]
    low = 0.05 if len(ratios) >= 20 else 0.0
    return {"runs": len(ratios), "median_error": statistics.median(errors),
            "p95_error": quantile(errors, 1 - low), "p05_ratio": quantile(ratios, low),
            "median_ratio": statistics.median(ratios), "p95_ratio": quantile(ratios, 1 - low)}


def times():
    pools, rows = {}, []
    for what, card, dtype, runs in sets():
        ratios = predicted(card, dtype, runs)
        rows.append({"kernel": what, "device": card, "dtype": dtype, **summary(ratios)})
        pool = ("TPU" if card.startswith("TPU") else
                "GPU, exact" if what == "torch.topk" else "GPU, buckets")
        pools.setdefault(pool, []).extend(ratios)
    for what, card, dtype, runs in other_sets():
        rows.append({"kernel": what, "device": card, "dtype": dtype,
                     **summary(predicted(card, dtype, runs))})
    return rows + [{"kernel": "all", "device": pool, "dtype": "", **summary(ratios)}
                   for pool, ratios in pools.items()]


# ---- exact kernels, from card to card

SGLANG = (("sglang_fast_decode", "sglang/decode", "fast_topk_transform_fused"),
          ("sglang_fast_prefill", "sglang/prefill", "fast_topk_transform_fused"),
          ("sglang_v1_decode", "sglang/decode", "topk_transform_v1"),
          ("sglang_v1_prefill", "sglang/prefill", "topk_transform_v1"),
          ("sglang_v2_decode", "sglang/decode", "topk_transform_v2"))
SGLANG_CARDS = "H100-SXM", "H200", "B200", "B300", "GB200"


def architectures():
    return {device["device"]: device["architecture"] for device in ask_json("devices")["devices"]}


def carried_exact(profile, runs, kernel, card, to):
    """{(n, k, m): [(measured, predicted)]} of the runs on `to`, by the profile of another card."""
    found = {}
    name = f"{profile}_{card.lower().replace('-', '_')}"
    for row in ask("predict", "--device", name, "--carry-to", to, "--runs", runs,
                   "--runs-kernel", kernel):
        if row["predicted_us"] and row["device"] == to and row["kernel"] == kernel:
            shape_of = row["n"], row["k"], row["m"]
            found.setdefault(shape_of, []).append((float(row["time_us_mean"]),
                                                   float(row["predicted_us"])))
    return found


def pairs():
    """(architecture or "two architectures", kernel, from, to, predictions) of each pair."""
    of = architectures()
    for profile, runs, kernel in SGLANG:
        for card in SGLANG_CARDS:
            for to in SGLANG_CARDS:
                if to != card:
                    yield (of[card] if of[card] == of[to] else "two architectures", profile, card,
                           to, carried_exact(profile, runs, kernel, card, to))


CPUS = "cpu-epyc-zen4", "cpu-xeon-emr"


def is_plain(row):
    """Of one thread, float32 and warm, as the profile of a CPU takes them; not disturbed."""
    return (row["threads"] == "1" and row["dtype"] == "float32" and row["input"] == "normal"
            and row["assignment"] == "interleaved" and row["cache"] == "warm"
            and (row["work"] == "exact" or int(row["b"]) >= 16)
            and float(row["time_us_high"]) <= 1.5 * float(row["time_us_low"]))


def cpus():
    """{kernel: measured/predicted}: each CPU's runs by the profile of the other."""
    found = {"topk, exact": [], "topk, buckets": []}
    for cpu, other in zip(CPUS, reversed(CPUS)):
        rows = [{**row, "time_us": row["time_us_median"]}
                for name in ("cpu-small", "cpu-calibrate") for row in program.runs(f"{cpu}/{name}")
                if row["work"] in ("exact", "two-stage") and is_plain(row)]
        for kernel, of in found.items():
            exact = kernel.endswith("exact")
            of.extend(predicted_by([r for r in rows if (r["work"] == "exact") == exact],
                                   "--device", other))
    return found


def exact():
    """A row a kernel and architecture, and one for all kernels of it."""
    ratios = {("two CPUs", kernel): of for kernel, of in cpus().items()}
    for where, kernel, _, _, found in pairs():
        for name in (kernel, "all"):
            ratios.setdefault((where, name), []).extend(
                measured / said for runs in found.values() for measured, said in runs)
    return [{"between": where, "kernel": kernel, **summary(of)}
            for (where, kernel), of in sorted(ratios.items())]


def exact_regret():
    """Of two kernels for one n, k and m the one that a card's profiles prefer, on another card."""
    regrets, found = {}, {}
    for where, kernel, card, to, times_of in pairs():
        for at, runs in times_of.items():
            kernels = found.setdefault((where, card, to, at), {})
            kernels[kernel] = tuple(min(run[i] for run in runs) for i in (0, 1))
    for (where, *_), kernels in found.items():
        if len(kernels) > 1:
            pick = min(kernels.values(), key=lambda times: times[1])
            regrets.setdefault(where, []).append(pick[0] / min(t[0] for t in kernels.values()))
    return regrets


def memory_table():
    """What the fastest of 13 exact kernels reads of the rate of the data sheet, by k."""
    sheet = {device["device"]: device["bandwidth_bytes_per_s"]
             for device in ask_json("devices")["devices"]}
    shares = {}
    for row in program.runs("bits-knn/exact"):
        rate = 4e6 * int(row["n"]) * int(row["m"]) / float(row["time_us_median"])
        at = shares.setdefault(row["device"], {}).setdefault(int(row["k"]), [])
        at.append(rate / sheet[row["device"]])
    ks = (32, 256, 2048)
    lines = [joined_row("card", "TB/s", *(f"k = {k}" for k in ks)), "|" + "---|" * 5]
    for card, of in sorted(shares.items()):
        lines.append(joined_row(card, f"{sheet[card] / 1e12:.3g}",
                                *(f"{percent(max(of[k]))} %" for k in ks)))
    return lines


# ---- what no rate of a card tells

def quirk():
    """On an A10G: the time of buckets with n and b multiples of 16 over those that are one or two
    elements longer or shorter, a row a kernel and one for the two that are slower there."""
    times_of = {}
    for row in program.runs("graphcore/argmax-a10g"):
        if row["assignment"] == "interleaved":
            times_of.setdefault(row["kernel"], {})[int(row["n"]), int(row["b"])] = float(
                row["time_us_median"])
    ratios = {}
    for kernel, of in times_of.items():
        aligned = {at for at in of if at[0] % 16 == 0 and at[1] % 16 == 0}
        for n, b in aligned:
            near = [time for (other, c), time in of.items()
                    if 0 < abs(other - n) <= 2 and abs(c - b) <= 1 and (other, c) not in aligned]
            if n >= 4096 and n // b >= 8 and near:
                ratios.setdefault(kernel, []).append(of[n, b] / statistics.median(near))
    slower = [ratio for kernel, of in ratios.items() if statistics.median(of) > 1.2
              for ratio in of]
    return [{"kernel": kernel, "cells": len(of), "least": min(of),
             "median": statistics.median(of), "most": max(of)}
            for kernel, of in [*ratios.items(), ("those that are slower", slower)]]


# ---- the choice of one machine on the runs of another

RECALLS = 0.8, 0.9, 0.95, 0.99  # as in calibrate --cross-validate
SLACK = 1 + 1e-12  # of the loss, as in select


def cells(runs):
    """{(n, k): {(b, k_b): (recall, time)}}"""
    found = {}
    for (n, k, b, k_b), time in runs.items():
        found.setdefault((n, k), {})[b, k_b] = time
    for (n, k), times_of in found.items():
        lists = (program.joined(sorted({at[i] for at in times_of})) for i in (0, 1))
        b, k_b = lists
        for row in ask("recall", "--n", n, "--k", k, "--b", b, "--kb", k_b):
            at = int(row["b"]), int(row["k_b"])
            if at in times_of:
                times_of[at] = float(row["recall"]), times_of[at]
    return found


def regrets(chooser, judge):
    """Of the fastest by one set of runs: its time over that of the fastest, by the other."""
    found = []
    for at, configurations in judge.items():
        for recall in RECALLS:
            reach = [c for c, (r, _) in configurations.items() if 1 - r <= (1 - recall) * SLACK
                     and c in chooser.get(at, ())]
            if len(reach) > 1:
                pick = min(reach, key=lambda c: chooser[at][c][1])
                found.append(configurations[pick][1] / min(configurations[c][1] for c in reach))
    return found


def by_profile(profile, judge):
    """The cells of `judge` with the times that a profile predicts."""
    found = {}
    for (n, k), configurations in judge.items():
        b, k_b = (program.joined(sorted({c[i] for c in configurations})) for i in (0, 1))
        for row in ask("predict", "--device", profile, "--n", n, "--k", k, "--b", b, "--kb", k_b):
            at = int(row["b"]), int(row["k_b"])
            if at in configurations and row["predicted_us"]:
                found.setdefault((n, k), {})[at] = (configurations[at][0],
                                                    float(row["predicted_us"]))
    return found


def shape(row):
    return tuple(int(row[c]) for c in ("n", "k", "b", "k_b"))


def regret():
    """Each machine state's choice on each other's runs."""
    cpu = {}
    for row in program.runs("carried/cpu-xeon"):
        name = f"Xeon, {row['dtype']}, {row['threads']} thread" + "s" * (row["threads"] != "1")
        cpu.setdefault(name, {})[shape(row)] = float(row["time_us_median"])
    h100 = {}
    for row in program.runs("keyetal/two-stage"):
        name = f"H100 PCIe, m = {row['m']}"
        h100.setdefault(name, {})[shape(row)] = float(row["time_us_median"])
    rows = []

    def add(chooser, judge, values):
        rows.append({"chosen_by": chooser, "judged_by": judge, "cells": len(values),
                     "mean": math.exp(statistics.mean(map(math.log, values))),
                     "p95": quantile(values, 0.95), "most": max(values)})

    for group in (cpu, h100):
        of = {name: cells(runs) for name, runs in group.items()}
        for chooser in of:
            for judge in of:
                if judge != chooser:
                    add(chooser, judge, regrets(of[chooser], of[judge]))
        if group is cpu:
            for judge, judged in of.items():
                add("profile of the EPYC", judge,
                    regrets(by_profile("cpu-epyc-zen4", judged), judged))
    return rows


# ---- what select says of five uses on every card

USES = (  # in words, n, k, m, recall; the scores are float32
    ("sampling", 151936, 50, 64, 0.99), ("decode", 131072, 2048, 8, 0.95),
    ("prefill", 65536, 2048, 1024, 0.95), ("search", 1000000, 100, 16, 0.95),
    ("one long row", 4194304, 1024, 1, 0.95))


def each_answer():
    """What select says of each use for each card."""
    for device in ask_json("devices")["devices"]:
        for use, n, k, m, recall in USES:
            answer = ask_json("select", "--n", n, "--k", k, "--m", m, "--recall", recall,
                              "--dtype", "f32", "--device", device["device"])
            first = (answer["contenders"] or [{}])[0]
            choice = answer["choice"] or {}
            yield {"device": device["device"], "use": use, "n": n, "k": k, "m": m,
                   "recall": recall, "verdict": answer["verdict"], "call": first.get("name", ""),
                   **{name: first.get(name, "") for name in ("time_us", "low_us", "high_us")},
                   "b": choice.get("b", ""), "k_b": choice.get("k_b", ""),
                   "buckets_us": choice.get("predicted_us", ""), "cause": answer["cause"]}


def advice(row):
    """"flashinfer 23.4", in us; of our exact top-k "23.4", of buckets "512 x 4: 19.4"."""
    if row["verdict"] == "buckets":
        name = f"{row['b']} x {row['k_b']}: "
    elif row["call"] == "recallmodel":
        name = ""
    else:
        name = row["call"].replace("torch.topk", "torch").replace("topk_", "").split(".")[0] + " "
    us = row["time_us"]
    return name + (f"{us:.0f}" if us >= 1000 else f"{us:.3g}")


# ---- the tables of docs/runs.md


def joined_row(*cells):
    return "| " + " | ".join(cells) + " |"


def percent(value):
    return f"{100 * value:.0f}"


def times_table():
    """Of the sets of at least ten runs, and of all together."""
    lines = ["| measured | on | type | runs | median error % | measured over predicted |",
             "|" + "---|" * 6]
    for row in times():
        where = row["device"] if row["kernel"] != "all" else f"**{row['device']}**"
        if row["runs"] >= 10:
            lines.append(joined_row(row["kernel"], where, row["dtype"], str(row["runs"]),
                                    percent(row["median_error"]), band(row)))
    return lines


def band(row):
    return f"{row['p05_ratio']:.2f} to {row['p95_ratio']:.2f}"


def kernel_of(profile):
    """The name of a profile of an exact kernel without its card and type."""
    return re.sub(r"_(h100_\w+|[^_]+)$", "", re.sub(r"_f(16|32)$", "", profile["device"]))


def between(values):
    """"3.2 to 4.5", in per cent; "-" if there is none."""
    least, most = (f"{100 * of(values):.1f}" for of in (min, max)) if values else "--"
    return least if least == most else f"{least} to {most}"


def kernels_table():
    """A row a kernel: the errors of its profiles on n, or k, that the fit did not see."""
    found = {}
    for profile in ask_json("devices")["profiles"]:
        if profile["card"] != profile["device"] and not profile["device"].startswith("cpu"):
            found.setdefault(kernel_of(profile), []).append(profile)
    lines = ["| kernel | n left out: median | 95 % | k left out: median |", "|" + "---|" * 4]
    for kernel, profiles in sorted(found.items()):
        cells = [between([profile[f"held_out_{which}_error"] for profile in profiles
                          if profile[f"held_out_{which}_error"]])
                 for which in ("median", "p95", "k_median")]
        lines.append(joined_row(kernel, *cells))
    return lines


ARCHITECTURES = "Blackwell 10", "Hopper", "two architectures"


def exact_table():
    rows, regrets = {(row["between"], row["kernel"]): row for row in exact()}, exact_regret()
    lines = [joined_row("kernel", *ARCHITECTURES), "|" + "---|" * 4]
    for kernel in [*(row[0] for row in SGLANG), "all"]:
        of = [rows[where, kernel] for where in ARCHITECTURES]
        lines.append(joined_row(kernel if kernel != "all" else "**all**",
                                *(f"{percent(row['median_error'])}, {band(row)}" for row in of)))
    lines.append(joined_row("runs", *(str(rows[where, "all"]["runs"]) for where in ARCHITECTURES)))
    lines.append(joined_row("of two", *(
        f"{math.exp(statistics.mean(map(math.log, of))):.3f}, {max(of):.2f} ({len(of)})"
        for of in (regrets[where] for where in ARCHITECTURES))))
    said = "; ".join(f"{name} {percent(row['median_error'])}, {band(row)} ({row['runs']} runs)"
                     for name in ("exact top-k", "buckets")
                     for row in [rows["two CPUs", f"topk, {name.split()[0]}"]])
    return [*lines, "", fill(f"Between two CPUs, an EPYC and a Xeon: {said}.")]


def carrying(row):
    """What kind of step there is between two machines, in words."""
    if row["chosen_by"].startswith("H100"):
        return f"{row['chosen_by']}, to {row['judged_by'].split(', ')[1]}"
    return ("a Xeon, to other types and threads" if row["chosen_by"].startswith("Xeon")
            else "the profile of an EPYC, to a Xeon")


def regret_table():
    """A row a kind of step, with the least and the most of its pairs."""
    lines = ["| carried from | pairs | cells each | mean | 95 % | most |", "|" + "---|" * 6]
    found = {}
    for row in regret():
        found.setdefault(carrying(row), []).append(row)
    for kind, rows in found.items():
        cells = [tuple(f"{of(row[what] for row in rows):.{digits}f}" for of in (min, max))
                 for what, digits in (("mean", 3), ("p95", 2), ("most", 2))]
        lines.append(joined_row(kind, str(len(rows)), str(rows[0]["cells"]), *(
            least if least == most else f"{least} to {most}" for least, most in cells)))
    return lines


def cards_table():
    """A row for all cards with the same advice; a sentence names those without."""
    cells, rows = {}, {}
    for row in each_answer():
        known = row["call"] and row["cause"] != "no_exact"
        cells.setdefault(row["device"], []).append(advice(row) if known else None)
    for device, of in cells.items():
        rows.setdefault(tuple(of), []).append(device)
    without = rows.pop((None,) * len(USES))
    lines = [joined_row("card", *(use[0] for use in USES)), "|" + "---|" * (1 + len(USES))]
    for of, devices in rows.items():
        lines.append(joined_row(", ".join(devices), *(cell or "-" for cell in of)))
    return [*lines, "", fill(f"No time of exact top-k is known on {', '.join(without)}.")]


TABLES = {"exact-kernels": kernels_table, "exact-memory": memory_table,
          "carried-times": times_table, "carried-exact": exact_table,
          "carried-regret": regret_table, "carried-cards": cards_table}
FIGURES = {"times": times, "exact": exact, "quirk": quirk, "regret": regret,
           "cards": each_answer}


def texts():
    return {name: "\n".join(table()) for name, table in TABLES.items()}


def main(arguments):
    if len(arguments) == 1 and arguments[0] in FIGURES:
        write({c: short(v) if isinstance(v, float) else v for c, v in row.items()}
              for row in FIGURES[arguments[0]]())
    elif arguments == ["text"]:
        print("\n\n".join(texts().values()))
    elif len(arguments) == 3 and arguments[:2] == ["text", "--write"]:
        write_page(arguments[2], texts())
    else:
        wrong(f"give {', '.join(FIGURES)} or text [--write FILE.md]")


if __name__ == "__main__":
    main(words())
