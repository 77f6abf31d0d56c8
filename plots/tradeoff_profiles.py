"""tradeoff_profiles.py - predicted trade-off curves of shipped profiles, for plots/tradeoff.py.

The profiles are those that `recallmodel devices` lists. One without stages of its own, or without
a shape of the grid below in the range of its runs, has no curves.

SPDX-License-Identifier: Apache-2.0
"""
import statistics

from program import ask_json

ACROSS = 4  # panels of a profile
SIZES = [2**e for e in range(10, 31, 2)]
KS = 256, 64, 1024, 1
BATCHES = 1, 16, 64, 256
EXACT = "scale_us", "exact_us", "exact_low_us", "exact_high_us"
LOSS = 1e-6  # of 1 - recall: less is not drawn


def predict(profile, n, k, m):
    """The answer for one shape, with those predictions that lie within the runs; None: none do."""
    answer = ask_json("predict", "--device", profile["device"], "--dtype", profile["dtype"],
                 "--kernel", profile["kernel"], "--n", n, "--k", k, "--m", m)
    if not answer or "predictions" not in answer:
        return None
    answer["predictions"] = [p for p in answer["predictions"]
                             if p["predicted_us"] and p["within_runs"]]
    times = [p["predicted_us"] for p in answer["predictions"]]
    if len(times) < 3:
        return None
    # Without a band the runs have no exact top-k, and its time is far outside of them. The panel
    # then has the same range about the median.
    if not answer.get("exact_high_us"):
        answer["exact_us"] = None
    answer["scale_us"] = answer["exact_us"] or statistics.median_low(times)
    return answer


def shapes(profile):
    """The answers for ACROSS sizes n, of the first k and m that have some."""
    for m in BATCHES:
        for k in KS:
            answers = [answer for n in SIZES if 4 * k <= n
                       for answer in [predict(profile, n, k, m)] if answer]
            if answers:
                last = len(answers) - 1
                count = min(ACROSS, len(answers))
                places = {round(i * last / max(1, count - 1)) for i in range(count)}
                return [answers[i] for i in sorted(places)]
    return []


def mark(answer):
    """The predictions by recall, with frontier, and with the recall from which on one is chosen."""
    rows = sorted(answer["predictions"], key=lambda p: (p["predicted_us"], -p["recall"]))
    most = 0.0
    for row in rows:
        row["frontier"] = int(row["recall"] > most)
        row["recall_from"] = most if row["frontier"] else "NaN"
        most = max(most, row["recall"])
    return sorted(rows, key=lambda p: (p["recall"], p["predicted_us"]))


def figure():
    rows, line = [], 0
    for profile in ask_json("devices")["profiles"]:
        answers = shapes(profile)
        line += bool(answers)
        for place, answer in enumerate(answers):
            for row in mark(answer):
                if 1 - row["recall"] > LOSS or row["frontier"]:
                    rows.append(
                        {"row": line, "panel": ACROSS * (line - 1) + place + 1}
                        | {c: profile[c] for c in ("device", "kernel", "dtype")}
                        | {c: answer[c] for c in ("n", "k", "m")}
                        | {c: row[c] for c in ("b", "k_b", "recall", "predicted_us")}
                        | {c: row[c] or "NaN" for c in ("low_us", "high_us")}
                        | {c: answer.get(c) or "NaN" for c in EXACT}
                        | {c: row[c] for c in ("frontier", "recall_from")})
    return rows


def caption(rows, recall=0.99):
    panels = {}
    for row in rows:
        if (float(row["recall"]) >= recall and row["frontier"] == "1"
                and row["exact_us"] != "NaN"):
            panels.setdefault(row["panel"], row)  # the first by recall: the fastest
    faster = sum(float(r["predicted_us"]) < float(r["exact_us"]) for r in panels.values())
    surely = sum(float(r["high_us"]) < float(r["exact_low_us"]) for r in panels.values())
    names = dict.fromkeys(f"{r['device']} ({r['kernel']}, {r['dtype']})" for r in rows)
    return (f"Profiles: {'; '.join(names)}. At a recall of at least {recall:g} approximating is "
            f"predicted to be the faster in {faster} of {len(panels)} panels with exact top-k, "
            f"and by more than both bands in {surely}.")
