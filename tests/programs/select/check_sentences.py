"""Every sentence that select prints, held to its own JSON and to other commands.

long: a method for each label of a line.

usage: check_sentences.py PROGRAM QUESTIONS

Asks random questions as text and as JSON. Each line of the answer above the tables must have a
known form, and what it says must follow from the numbers: a line of an unknown form is a fault, so
that a new sentence needs a check here. The law of a row is that of `recallmodel law`.
"""
import concurrent.futures
import itertools
import json
import math
import random
import re
import subprocess
import sys

program, questions = sys.argv[1], int(sys.argv[2])
DTYPES = {"f32": 4, "f16": 2, "bf16": 2}


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


DEVICES = json.loads(run("devices", "--json").stdout)["devices"]
LAUNCHES = {row["device"]: row["shortest_kernel_us"] or 0.0 for row in DEVICES}
CACHES = {row["device"]: row["on_chip_bytes"] for row in DEVICES}
WARM = r"; if the rows come from memory: they may still lie in its cache of (\S+) MB"


# What random questions hardly ever meet: an exact kernel that is faster, a quirk.
RARE = ("--n 131072 --k 2048 --m 64 --recall 0.95 --device h100-pcie",
        "--n 65536 --k 1024 --m 8 --recall 0.9 --device h100-pcie",
        "--n 10751 --k 438 --recall 0.95 --device cpu-epyc-zen4 --exact-us 300",
        "--n 65536 --k 512 --m 32 --recall 0.9 --kb-max 1 --align 16 --device a10g")


def question(random_):
    """The options of a question to select."""
    n = int(2 ** random_.uniform(6, 24))
    k = int(2 ** random_.uniform(0, min(13, random_.uniform(3, 20)))) % (n // 2) + 1
    if n > 4096 and random_.random() < 0.2:
        k = random_.choice([512, 1024, 2048])  # what the exact kernels of serving stacks have
    options = ["--n", n, "--k", k]
    if random_.random() < 0.7:
        options += ["--m", int(2 ** random_.uniform(0, 9))]
    device = random_.choice([None, None, "h100-pcie", "cpu-epyc-zen4", "v100s", "h200", "b200",
                             "mi300x", "rtx4090", "tpuv6e", "a100-pcie-40gb", "h100",
                             "h100-nvl", "b300", "a10g"])
    if random_.random() < 0.15:
        options += ["--budget", random_.choice([5, 20, 100, 1000, 10 ** 4])]
    else:
        options += ["--recall", random_.choice(["0.8", "0.9", "0.95", "0.99", "0.999"])]
        if random_.random() < 0.2:
            options += ["--confidence", random_.choice(["0.9", "0.99"])]
    if device:
        options += ["--device", device]
        if random_.random() < 0.15:
            options += ["--dtype", random_.choice(["f32", "f16", "bf16"])]
        if random_.random() < 0.15:
            options += ["--objective", "roofline"]
        elif random_.random() < 0.1:
            options += ["--beyond-runs"]
        if random_.random() < 0.2:
            options += ["--exact-us", random_.choice([3, 30, 300])]
        elif random_.random() < 0.1:
            options += ["--exact-kernel", "gvr_v2"]
    elif random_.random() < 0.5:
        options += ["--objective", random_.choice(["basic", "serial", "parallel"])]
    if random_.random() < 0.1:
        options += ["--align", 128]
    return options


# ---- numbers as they are printed


def near(text, value, share=0.006):
    """Is the number in the text the value, as far as its digits go? Whole numbers are rounded."""
    rounded = 0.5000001 if isinstance(text, str) and text.isdigit() else 1e-12
    return abs(float(text) - value) <= share * abs(value) + rounded


UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
TIME = r"([\d.e+-]+) (ns|us|ms|s)"
SCALES = {"million": 1e6, "billion": 1e9}
VALUE = r"[\d.e+-]+ (?:million |billion )?[a-z]+(?: steps)?"


def value_of(text):
    """An objective: "71.6 us", "1840 candidates", "1.31 million operations"."""
    words = text.split()
    number = float(words[0])
    if words[1] in UNITS:
        return number * UNITS[words[1]]
    return number * SCALES.get(words[1], 1.0)


def recall_is(text, value):
    """format_recall: as many nines as are true, never rounded up to the next."""
    if text == "1" or text.startswith("1 - "):
        return value >= 1 - 1e-6
    shown = float(text)
    loss, shown_loss = 1 - value, 1 - shown
    return abs(loss - shown_loss) <= 0.51 * 10 ** -len(text.split(".")[1]) + 1e-9


class Check:
    """The lines of one answer."""

    def __init__(self, options, text, answer):
        self.options, self.answer = options, answer
        self.text = text
        self.faults = []
        self.unit = answer["objective_unit"]
        self.choice = answer["choice"]
        self.stand_in = answer["stand_in"]
        self.bound = answer["objective"] == "roofline"
        self.with_law = answer["n"] % 4 == 0  # a quarter of the questions ask the law, too

    def expect(self, right, what):
        if not right:
            self.faults.append(f"{what}\n  {' '.join(map(str, self.options))}\n{self.text[:1500]}")

    def option(self, name):
        return self.options[self.options.index(name) + 1] if name in self.options else None

    def range_is(self, text, value, kind):
        """"62 us to 130 us" of a stand-in, or one value."""
        if " to " not in text:
            self.expect(near(text.split()[0], value / (value_of(text) / float(text.split()[0]))),
                        f"{kind}: {text} is not {value}")
            return
        low, high = (value_of(part) for part in text.split(" to "))
        if kind == "exact":
            self.expect(low < value < high, f"exact: {text} does not hold {value}")
            return
        want = max(self.stand_in["low_ratio"] * value, self.stand_in["floor_us"] or 0.0)
        self.expect(near(low, want) or kind == "threshold", f"{kind}: {text}, not from {want}")
        self.expect(near(high, self.stand_in["high_ratio"] * value), f"{kind}: {text} of {value}")

    def least(self, value):
        """A bound with its launch."""
        return value + LAUNCHES.get(self.answer["device"], 0.0) if self.bound else value

    # ---- the decision

    def headline(self, text):
        """That of JSON. Where it is a decision, it follows from the contenders."""
        a, c = self.answer, self.choice
        self.expect(text == a["headline"], f"JSON has another headline: {a['headline']}")
        found = re.fullmatch(rf"Use exact top-k, (.+?): about {TIME}, nothing lost\. (Buckets take "
                             r"longer|Buckets may take as long|Buckets may take less: time both|"
                             r"No known kernel of buckets runs on this card)\.", text)
        if found:
            first, buckets = a["contenders"][0], [one for one in a["contenders"]
                                                  if one["kind"] == "buckets"][0]
            self.expect(a["deploy"] == a["verdict"] == first["kind"] and first["callable"] and
                        first["kind"] in ("exact", "threshold") and
                        found[1] == first["name"] and
                        near(found[2], first["time_us"] / UNITS[found[3]]), "the first")
            want = ("No known kernel of buckets runs on this card" if not buckets["callable"] else
                    "Buckets take longer" if self.surely(first, buckets) else
                    "Buckets may take less: time both" if c["objective"] < first["time_us"] else
                    "Buckets may take as long")
            self.expect(found[4] == want, f"not: {want}")
            self.expect(a["too_close"] == (a["deploy"] == "exact" and "may" in want), "too close")
            return
        found = re.fullmatch(rf"Use buckets, b = (\d+), k_b = (\d+): about {TIME}, (\S+) % lost\. "
                             r"Exact top-k takes longer\.", text)
        if found:
            self.expect(a["deploy"] == "bucketed" and a["verdict"] == "buckets" and
                        (int(found[1]), int(found[2])) == (c["b"], c["k_b"]) and
                        near(found[3], c["objective"] / UNITS[found[4]]) and
                        near(found[5], 100 * (1 - c["recall"]), 0.06), "the buckets")
            return
        self.expect(text.rstrip(".").lower() == a["reason"].lower(), "the headline is no reason")
        self.expect(not a["contenders"] or a["budget"] is not None or c is None or
                    a["exact_objective"] is None or a["verdict"] == "threshold",
                    "there is a decision, and it is not said")

    def contenders(self, table):
        """Each row is one of JSON, in its order, and the verdict follows from them."""
        rows, a = self.answer["contenders"], self.answer
        self.expect(len(table) == 1 + min(len(rows), 8), "how many contenders")
        for row, one in zip(table[1:], rows):
            shape = one["b"] and f"{one['kind']} b {one['b']}, k_b {one['k_b']}"
            found = re.fullmatch(rf"([* ]) {re.escape(shape or 'exact, ' + one['name'])} +"
                                 rf"{TIME} +(-|{TIME} to {TIME}) +(-|\S+ %) +(\S.*)", row)
            self.expect(found, f"not that of JSON: {row}")
            if not found:
                continue
            self.expect((found[1] == "*") == (one is rows[0] and a["verdict"] != "none"), "the *")
            self.expect(near(found[2], one["time_us"] / UNITS[found[3]]), f"the time: {row}")
            band = one["low_us"] is not None and one["low_us"] < one["high_us"]
            self.expect(band == (found[4] != "-") and
                        (not band or (near(found[5], one["low_us"] / UNITS[found[6]]) and
                                      near(found[7], one["high_us"] / UNITS[found[8]]))),
                        f"the band: {row}")
            self.expect(near(found[9].split()[0], 100 * one["loses"], 0.06) if one["loses"]
                        else found[9] == "-", f"the loss: {row}")
            known = found[10].split(", ")
            self.expect(known[0] == (one["card"] or one["profile"] or "as you measured"),
                        f"where it was measured: {row}")
            self.expect(("not callable" in known) == (not one["callable"]), f"callable: {row}")
            self.expect(not one["callable"] or ("carried" in known) == one["carried"],
                        f"carried: {row}")
            self.expect(not one["callable"] or ("larger k or n" in known) == one["at_most"],
                        f"larger k or n: {row}")
            self.expect(not one["at_most"] or one["kind"] == "exact", f"only exact kernels: {row}")
        keys = [(not one["callable"], one["time_us"]) for one in rows[1:]]
        self.expect(keys == sorted(keys), "the contenders are not in order")
        if a["budget"] is None:
            want = self.by_the_rule(rows)
            self.expect(want == a["verdict"], f"by the rule it is {want}")

    @staticmethod
    def surely(one, other):
        """Is it faster by more than the errors of both?"""
        up = 2.15 if one["high_us"] is None else one["high_us"] / one["time_us"]
        down = 0.41 if other["low_us"] is None else other["low_us"] / other["time_us"]
        return (math.log(other["time_us"] / one["time_us"]) >
                math.hypot(math.log(up), math.log(down)))

    def by_the_rule(self, rows):
        """Lossless wins, unless buckets are surely faster than each that is lossless."""
        rows = sorted((one for one in rows if one["callable"]), key=lambda one: one["time_us"])
        lossless = [one for one in rows if not one["loses"]]
        for one in rows:
            if one["loses"] and all(self.surely(one, other) for other in lossless):
                return "buckets"
        return lossless[0]["kind"] if lossless else "none"

    # ---- the sentence

    def sentence(self, text):
        a, c = self.answer, self.choice
        text = text.rstrip(".")
        if self.stand_in:
            self.expect(re.search(r"; by (the profile of \S+, not measured on \S+|its profile of "
                                  r"\S+, not measured for \S+)$", text),
                        "a stand-in that is not named")
            text = re.sub(r"; by (the|its) profile of .*$", "", text)
        else:
            self.expect("not measured on" not in text, "a stand-in that is none")
        close = "they may take as long, and exact top-k loses nothing"
        self.expect((close in text) == (a["too_close"] and a["budget"] is None), "too close")
        self.expect(not a["too_close"] or a["deploy"] == "exact", "too close, and not exact")
        if a["budget"] is not None:
            return self.budget(text)
        beyond = re.search(r"; this lies beyond the runs of the profile in (.*), and its time is "
                           r"the upper end of its band$", text)
        if "--beyond-runs" in self.options and a["deploy"] == "bucketed" and not self.stand_in:
            self.expect((beyond[1] if beyond else "") == c["beyond"], "beyond the runs")
            self.expect(near(c["objective"], c["high_us" if beyond else "predicted_us"]),
                        "the objective beyond the runs")
        else:
            self.expect(not beyond or self.stand_in, "beyond the runs")
        text = text[:beyond.start()] if beyond else text
        shape = f"b = {c['b']}, k_b = {c['k_b']}" if c else None
        text = text.removesuffix(": " + close)
        exact = r"exact top-k(?: by [^:;()]+?)?"
        if a["deploy"] == "bucketed":
            self.expect(text.startswith(shape + ": "), "another shape is named")
            return self.bucketed(text[len(shape) + 2:], exact)
        if a["deploy"] == "threshold":
            return self.threshold(text, exact)
        return self.exact(text, exact)

    def bucketed(self, text, exact):
        a, value = self.answer, self.least(self.choice["objective"])
        found = re.fullmatch(rf"(at least )?(.*?)( \(.*?\))?; this (pays|can only pay) if your "
                             rf"exact "
                             rf"top-k of this shape takes longer than ({VALUE})", text)
        if found:
            self.expect(a["exact_objective"] is None, "only if, where exact top-k is known")
            self.expect(bool(found[1]) == self.bound == (found[4] == "can only pay"),
                        "a bound is called a time, or the other way round")
            high = self.stand_in["high_ratio"] if self.stand_in else 1.0
            self.range_is(found[2], value, "buckets")
            self.expect(near(value_of(found[5]), high * value), "the time that exact must exceed")
            return
        found = re.fullmatch(rf"(.*?)( at least \(.*?\))?, (at most |about )?([\d.]+) times "
                             rf"(faster|fewer|cheaper) than {exact} \((.*)\)", text)
        self.expect(found, f"an unknown sentence: {text}")
        if found:
            self.range_is(found[1], value, "buckets")
            self.range_is(found[6], a["exact_objective"], "exact")
            self.expect(near(found[4], a["exact_objective"] / value, 0.03), "the gain")
            self.expect(bool(found[2]) == self.bound, "a bound")
            self.expect((found[3] or "").strip() == ("at most" if self.bound else
                                                     "about" if self.stand_in else ""), "about")
            self.expect(a["exact_objective"] >= value, "slower buckets are deployed")

    def exact(self, text, exact):
        a, c = self.answer, self.choice
        none = (r"([Nn]o buckets with k_b up to \d+ that drop any element keep recall \S+.*"
                r"|[Tt]he kernel (\S+) runs no buckets that keep recall .*"
                r"|[Nn]o b that .* keeps recall \S+.*): do not approximate(, or pad the rows to "
                r"n = "
                r"(\d+))?")
        runs = (r"(?:.*; )?[Nn]o buckets within the runs of the profile keep recall \S+(?: in "
                r"[^:]+? of rows)? \(those that do lie beyond them in (.*)\): time some first")
        found = re.fullmatch(runs, text)
        if found:
            self.expect(c is None and a["beyond"] and a["beyond"]["beyond"] == found[1],
                        "what lies beyond the runs")
            return
        found = re.fullmatch(none, text) or re.fullmatch(rf"(?i:{exact}): (?:.*?); {none}", text)
        if found:
            self.expect(c is None, "no buckets, and there are some")
            self.forbidden(found)
            return
        found = re.fullmatch(rf"(?i:{exact}): (.*?); (?:the (?:fastest|best) buckets that keep "
                             rf"recall [\d.]+(?: in [^:]+? of rows)? (?:take|have) (.*?)|buckets "
                             rf"that "
                             rf"keep recall [\d.]+(?: in [^:]+? of rows)? take at least ({VALUE}) "
                             rf"\(.*?\)"
                             rf"(?:, at most ([\d.]+) times faster)?)(?:: do not approximate)?",
                             text)
        self.expect(found, f"an unknown sentence: {text}")
        if found:
            value = self.least(c["objective"])
            self.range_is(found[1], a["exact_objective"], "exact")
            if found[2]:
                self.range_is(found[2], value, "buckets")
            else:
                self.expect(self.bound and near(value_of(found[3]), value), "the bound")
                self.expect(a["exact_objective"] <= 1.1 * value * 1.001, "a bound that pays")

    def forbidden(self, found):
        """The reason is the kernel's or an option's only if others keep the recall."""
        free = ["--n", self.option("--n"), "--k", self.option("--k"), "--recall",
                self.option("--recall"), "--json", "--kb-max", self.answer["k_b_max"]]
        if self.option("--confidence"):
            free += ["--confidence", self.option("--confidence")]
        any_ = json.loads(run("select", *free).stdout)["choice"]
        plain = found[1].lower().startswith("no buckets")
        self.expect((any_ is None) == plain, "what forbids the buckets")
        if found[4]:
            padded = list(self.options)
            padded[padded.index("--n") + 1] = found[4]
            padded += ["--valid", self.option("--n"), "--json"]
            said = json.loads(run("select", *padded).stdout)
            self.expect(said["choice"] is not None, "padding does not help")

    def threshold(self, text, exact):
        a, t = self.answer, self.answer["threshold"]
        found = re.fullmatch(
            rf"Exact top-k (?:by threshold with b = (\d+), k_b = (\d+): (?:at least )?(.*?)"
            rf"(?: \(.*?\))?, nothing is lost, and the row is read twice; (?i:{exact}): (.*?)|"
            rf"of this project's library: (.*?), and nothing is lost; your own exact top-k: (.*?))"
            rf"(?:; the best buckets that keep recall [\d.]+(?: in [^:]+? of rows)?: (?:at least )?"
            rf"(.*))?", text)
        self.expect(found, f"an unknown sentence: {text}")
        if not found:
            return
        value, own = found[3] or found[5], found[4] or found[6]
        if found[1]:
            self.expect((int(found[1]), int(found[2])) == (t["b"], t["k_b"]), "its shape")
        self.range_is(value, self.least(t["objective"]), "threshold")
        if own == "not known":
            self.expect(a["exact_objective"] is None, "exact is known")
        else:
            self.range_is(own, a["exact_objective"], "exact")
            self.expect(a["exact_objective"] >= t["objective"], "exact takes less")
        self.expect(bool(found[7]) == (self.choice is not None), "the best buckets")
        if found[7]:
            self.range_is(found[7], self.least(self.choice["objective"]), "buckets")
            self.expect(self.choice["objective"] >= t["objective"] or  # by the rule: contenders()
                        (a["contenders"] and a["verdict"] == "threshold"), "the buckets take less")

    def exact_most(self):
        """What exact top-k takes at most: the upper end, where its time was carried."""
        exact = min((one for one in self.answer["contenders"]
                     if one["kind"] == "exact" and one["callable"]),
                    key=lambda one: one["time_us"], default=None)
        return (exact["high_us"] if exact and exact["carried"] and exact["high_us"]
                else self.answer["exact_objective"])

    def budget(self, text):
        a, c = self.answer, self.choice
        within = rf"within ({VALUE})"
        found = re.fullmatch(rf"Exact top-k: (.*), {within}: do not approximate", text)
        if found:
            self.range_is(found[1], a["exact_objective"], "exact")
            self.expect(self.exact_most() <= a["budget"], "exact is over the budget")
            return
        if re.fullmatch(rf"Nothing that one can call on this card stays {within}", text):
            self.expect(c and all(each["time_us"] > a["budget"] or not each["callable"] or
                                  (each["carried"] and each["high_us"] > a["budget"])
                                  for each in a["contenders"]), "something is within")
            return
        found = re.fullmatch(rf"(?:Neither buckets with k_b up to \d+ nor exact top-k|No "
                             rf"buckets with k_b up to \d+) stay {within}", text)
        if found:
            high = self.stand_in["high_ratio"] if self.stand_in else 1.0
            self.expect(c is None or self.least(c["objective"]) * high > a["budget"],
                        "something is within")
            self.expect("nor exact" not in text or a["exact_objective"] is None or
                        self.exact_most() > a["budget"], "exact is within")
            return
        found = re.fullmatch(rf"(Exact top-k by threshold with )?b = (\d+), k_b = (\d+): recall "
                             rf"(\S+) (?:in|with) (at least )?(.*?)( \(bound.*\))?, the most "
                             rf"{within}", text)
        self.expect(found, f"an unknown sentence: {text}")
        if found:
            point = a["threshold"] if found[1] else c
            self.expect((int(found[2]), int(found[3])) == (point["b"], point["k_b"]), "the shape")
            self.expect(recall_is(found[4], 1.0 if found[1] else c["recall"]), "the recall")
            self.expect(bool(found[5]) == bool(found[7]) == self.bound, "a bound is called a time")
            least = self.least(point["objective"])
            self.range_is(found[6], least, "buckets")
            high = self.stand_in["high_ratio"] if self.stand_in else 1.0
            self.expect(high * least <= a["budget"] * 1.0001, "over the budget")

    # ---- the lines

    def law_is(self):
        """Is the recall that the share of rows reaches that of `recallmodel law`?"""
        c, rest = self.choice, self.answer["quantile"]
        said = run("law", "--n", self.answer["n"], "--k", self.answer["k"], "--b", c["b"], "--kb",
                   c["k_b"], "--quantile", f"{rest:.9g}", "--json")
        if said.returncode:
            return
        law, = json.loads(said.stdout)["laws"]
        recalls = [one["recall"] for one in law["quantiles"] if abs(one["share"] - rest) < 1e-9]
        self.expect(c["recall_quantile"] in recalls, f"law says {recalls}")

    def line(self, label, text):
        a, c = self.answer, self.choice
        check = getattr(self, "line_" + label.replace(" ", "_"), None)
        self.expect(check, f"a line without a check: {label}")
        if check:
            check(text, a, c)

    def line_recall(self, text, a, c):
        found = re.fullmatch(r"((?:1 - )?\S+) in the mean, sd (\S+); (?:(19 of 20|\S+ %) (?:of "
                             r")?rows|the) "
                             r"(?:reach ((?:1 - )?\S+)|recall of single rows is not known)", text)
        self.expect(found, f"an unknown line: {text}")
        if not found:
            return
        self.expect(recall_is(found[1], c["recall"]), "the mean")
        self.expect(near(found[2], c["recall_sd"], 0.06), "the sd")
        if found[4] is None:
            self.expect(c["recall_quantile"] is None, "it is known")
            return
        self.expect(recall_is(found[4], c["recall_quantile"]), "the quantile")
        share = 0.95 if found[3] == "19 of 20" else float(found[3].split()[0]) / 100
        self.expect(abs(share - (1 - a["quantile"])) < 1e-6, "the share of rows")
        if self.with_law:
            self.law_is()

    def line_buckets(self, text, a, c):
        shape, _, rest = text.partition(": recall ")
        self.expect(shape == f"b = {c['b']}, k_b = {c['k_b']}", "the shape")
        self.line_recall(rest, a, c)

    def line_time(self, text, a, c):
        if text.startswith("not predicted: no run of the profile"):
            self.expect(c["predicted_us"] is None, "it is predicted")
            return
        found = re.fullmatch(rf"{TIME} predicted \((.*?)\); (?:{TIME} to {TIME} by 9 in 10 "
                             rf"(held-out "
                             rf"errors|errors beyond the runs|times where profiles were carried "
                             rf"to other cards)|its error "
                             rf"is not known)", text)
        self.expect(found, f"an unknown line: {text}")
        if not found:
            return
        self.expect(near(found[1], c["predicted_us"] / UNITS[found[2]]), "the time")
        if found[4]:
            self.expect(near(found[4], c["low_us"] / UNITS[found[5]]) and
                        near(found[6], c["high_us"] / UNITS[found[7]]), "the band")
            self.expect(c["low_us"] <= c["predicted_us"] * 1.0001 or self.stand_in, "the band")
        else:
            self.expect(c["low_us"] is None, "its error is known")

    def line_beyond(self, text, a, c):
        found = re.fullmatch(r"the runs of the profile in (.*?)(; the error may be larger|: the "
                             r"time of the buckets is the upper end of their band)", text)
        if found:
            self.expect(found[1] == c["beyond"], "what is beyond")
            self.expect(found[2][0] == ";" or (near(c["objective"], c["high_us"]) and
                                               not self.stand_in), "not the upper end")
            return
        found = re.fullmatch(rf"(b = \d+, k_b = \d+) may take {TIME} to {TIME}; no run of the "
                             rf"profile has such (.*): time it, or --beyond-runs", text)
        self.expect(found, f"an unknown line: {text}")
        if not found:
            return
        there = a["beyond"]
        self.expect(found[1] == f"b = {there['b']}, k_b = {there['k_b']}" and
                    found[6] == there["beyond"] and
                    near(found[2], there["low_us"] / UNITS[found[3]]) and
                    near(found[4], there["high_us"] / UNITS[found[5]]), "what lies beyond")
        self.expect(c is None or there["high_us"] < c["objective"], "it is not faster for certain")
        if a["budget"] is None:
            asked = json.loads(run("select", *self.options, "--beyond-runs", "--json").stdout)
            self.expect((asked["choice"]["b"], asked["choice"]["k_b"]) ==
                        (there["b"], there["k_b"]), "--beyond-runs chooses another")

    def line_profile(self, text, a, c):
        self.expect(re.fullmatch(r"of \S+, (f16|bf16|f32); used for \S+, (f16|bf16|f32)", text),
                    f"an unknown line: {text}")

    def warm(self, text):
        """A bound of the memory's rate says so where all rows fit into the cache."""
        a, cache = self.answer, CACHES.get(self.answer["device"]) or 0.0
        size = a["n"] * (a["m"] or 1) * (4 if self.option("--dtype") == "f32" else 2)
        found = re.search(WARM, text)
        if self.option("--dtype") or self.stand_in:  # the type is known here
            self.expect(bool(found) == (size <= cache), "rows that fit into the cache")
        self.expect(not found or near(found[1], cache / 1e6), "the cache")

    def line_floor(self, text, a, c):
        found = re.fullmatch(rf"{TIME}: the rates of (\S+) allow no less(, with a launch)?"
                             rf"(?:{WARM})?", text)
        self.warm(text)
        self.expect(found and found[3] == a["device"] and
                    near(found[1], self.stand_in["floor_us"] / UNITS[found[2]]), "the floor")
        self.expect(c["predicted_us"] * self.stand_in["high_ratio"] >= self.stand_in["floor_us"],
                    "the floor is above the range")

    def line_settle(self, text, a, c):
        self.expect(re.fullmatch(r'in two minutes: gpu/time_calls.py mine:my_topk --dtype \S+ '
                                 r'--select '
                                 r'"--n \d+ --k \d+ --m \d+ --recall \S+ --device \S+.*"', text),
                    f"an unknown line: {text}")

    def line_device(self, text, a, c):
        self.expect(re.fullmatch(r"none, so this counts candidates, and a CPU .*", text) and
                    not a["device"], "the device")

    def line_bound(self, text, a, c):
        self.warm(text)
        self.expect(self.bound and text.startswith("the least time that the rates of the device"),
                    "a bound")

    def line_exact(self, text, a, c):
        if text.startswith("not known by this profile"):
            self.expect(a["exact_objective"] is None, "exact is known")
            return
        found = re.fullmatch(r"(\S+): beyond its runs in (\S.*), so the error may be larger", text)
        if found:
            self.expect("--exact-kernel" in self.options and
                        found[1] == a["exact_kernel"]["name"], "which kernel is beyond its runs")
            said = run("predict", "--device", found[1], "--n", a["n"], "--k", a["k"], "--m",
                       a["m"] or 1, "--csv").stdout
            self.expect(said.splitlines()[1].split(",")[9] == "false", "it is within its runs")
            return
        found = re.fullmatch(rf"({VALUE}), predicted by this profile, with which a bound is not "
                             rf"compared; --objective time compares times", text)
        if found:
            asked = [part for name in ("--n", "--k", "--m", "--device", "--dtype")
                     if self.option(name) for part in (name, self.option(name))]
            head, row = (line.split(",") for line in run("predict", *asked, "--kb", 1, "--csv")
                         .stdout.splitlines()[:2])
            exact_us = float(row[head.index("exact_us")])
            self.expect(self.bound and a["exact_objective"] is None
                        and near(found[1].split()[0], exact_us /
                                 (value_of(found[1]) / float(found[1].split()[0]))),
                        "the exact time of the profile")
            return
        found = re.fullmatch(rf"({VALUE})(?:(?: predicted \(.*| *, (?:predicted; --exact-us T "
                             rf"compares "
                             rf"with your own|as you measured).*)?)", text)
        self.expect(found and near(found[1].split()[0], a["exact_objective"] /
                                   (value_of(found[1]) / float(found[1].split()[0]))),
                    f"exact: {text}")

    def line_quirk(self, text, a, c):
        q = a["quirk"]
        self.expect(q and text == f"on {a['device']}, {q['kernels']} take {q['median_ratio']:.2g} "
                    f"times as long, up to {q['high_ratio']:.2g}, where {q['when']} (runs of "
                    f"{q['runs']}): {q['mend']}", "the quirk")
        self.expect(c["k_b"] == 1 and a["n"] % 16 == c["b"] % 16 == 0, "it does not meet it")

    def line_threshold(self, text, a, c):
        t = a["threshold"]
        found = re.fullmatch(rf"(?:a|(at least )?({VALUE}): exact top-k, b = (\d+), k_b = (\d+); a)"
                             rf" second read collects (\d+) elements?"
                             rf"(; recallmodel exact says how)?",
                             text)
        self.expect(found, f"an unknown line: {text}")
        if not found:
            return
        self.expect(int(found[5]) == round(t["reaching_mean"]), "how many it collects")
        if found[2]:
            self.expect(near(found[2].split()[0], self.least(t["objective"]) /
                             (value_of(found[2]) / float(found[2].split()[0]))), "its time")
            self.expect((int(found[3]), int(found[4])) == (t["b"], t["k_b"]), "its shape")
            self.expect(bool(found[1]) == self.bound, "a bound")

    def line_library(self, text, a, c):
        found = re.fullmatch(rf"({VALUE}): the exact top-k of this project's library", text)
        self.expect(found and near(value_of(found[1]), a["threshold"]["objective"]), "the library")

    def line_parallel(self, text, a, c):
        found = re.fullmatch(r"(\S+) buckets in all rows(, each for a thread|: too few to fill "
                             r"a GPU; "
                             r"--device chooses by time)", text)
        count = c["b"] * a["m"]
        self.expect(found and near(found[1], count, 1e-5) and
                    (count >= 3840) == found[2].endswith("thread"), "the buckets in all rows")

    def line_k_b(self, text, a, c):
        self.expect(text.startswith("at most 4: ") and a["k_b_max"] <= 4, "the most k_b")

    def line_real_rows(self, text, a, c):
        self.expect(text.startswith("348 of 360 choices"), "the real rows")  # test_real_rows.sh


def blocks_of(text, answer):
    """(headline, the table of contenders or None, the notes): without the question and the call."""
    parts = text.split("\n\n")
    if not answer["contenders"]:
        return sentence_of(parts[0]), None, lines_of(parts[0])
    notes = parts[2] if len(parts) > 2 and re.match(r"\n?  \S", parts[2]) else ""
    return sentence_of(parts[0]), parts[1].splitlines(), lines_of("\n" + notes.lstrip("\n"))


def sentence_of(head):
    return " ".join(itertools.takewhile(lambda line: not line.startswith("  "),
                                        head.splitlines()[1:]))


def lines_of(head):
    """(label, words) of the lines below the sentence."""
    lines = []
    for line in head.splitlines()[1:]:
        begins = re.fullmatch(r"  (\S.*?) {2,}(\S.*)", line)
        if begins:
            lines.append([begins[1], begins[2]])
        elif line.startswith(" " * 10) and lines:
            lines[-1][1] += " " + line.strip()
        elif lines:
            lines.append(["memory", line])
    return lines


def ask(number):
    options = (RARE[number].split() if number < len(RARE)
               else question(random.Random(f"sentences {number}")))
    text, said = run("select", *options), run("select", *options, "--json")
    if text.returncode or said.returncode:
        right = text.returncode == said.returncode == 2 and len(text.stderr.splitlines()) == 1
        return [] if right else [f"{options}: {text.stderr} {said.stderr}"], 0
    answer = json.loads(said.stdout)
    check = Check(options, text.stdout, answer)
    headline, table, lines = blocks_of(text.stdout, answer)
    check.headline(headline)
    check.sentence(answer["reason"][0].upper() * (answer["reason"][0] != "b") +
                   answer["reason"][answer["reason"][0] != "b":])
    if table:
        check.contenders(table)
    for label, words in lines:
        if label != "memory":
            check.line(label, words)
    return check.faults, 1 + len(lines)


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(ask, range(questions)))
faults = [fault for found, _ in results for fault in found]
for fault in faults[:10]:
    print(fault)
answered = sum(1 for _, lines in results if lines)
print(f"{questions} questions, {answered} answered, {sum(lines for _, lines in results)} "
      f"sentences, "
      f"{len(faults)} faults")
sys.exit(bool(faults) or answered < 0.8 * questions)
