"""Every sentence that select prints, held to its own JSON and to other commands.

long: a method for each label of a line.

usage: check_sentences.py PROGRAM QUESTIONS

Asks random questions as text and as JSON. Each line of the answer above the tables must have a
known form, and what it says must follow from the numbers: a line of an unknown form is a fault, so
that a new sentence needs a check here. The distribution of a row is that of `recallmodel
distribution`.
"""
import concurrent.futures
import json
import math
import random
import re
import subprocess
import sys

from random_questions import RARE, question

program, questions = sys.argv[1], int(sys.argv[2])
DTYPES = {"f32": 4, "f16": 2, "bf16": 2}


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


DEVICES = json.loads(run("devices", "--json").stdout)["devices"]
LAUNCHES = {row["device"]: row["shortest_kernel_us"] or 0.0 for row in DEVICES}
CACHES = {row["device"]: row["on_chip_bytes"] for row in DEVICES}


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
        self.by_profile = "9 in 10" in answer["contender_columns"]
        self.dtype = re.search(r", (f16|bf16|f32)", text)[1]
        self.with_distribution = answer["n"] % 4 == 0  # of a quarter

    def expect(self, right, what):
        if not right:
            self.faults.append(f"{what}\n  {' '.join(map(str, self.options))}\n{self.text[:1500]}")

    def option(self, name):
        return self.options[self.options.index(name) + 1] if name in self.options else None

    def least(self, value):
        """A bound with its launch."""
        return value + LAUNCHES.get(self.answer["device"], 0.0) if self.bound else value

    # ---- the question, with all that is assumed

    def question(self, text):
        a = self.answer
        self.expect(max(map(len, text.split("\n"))) <= 100, f"too wide: {text}")
        self.expect("\n" not in text or len(text) > 100, "two lines, where one holds it")
        text = text.replace("\n", " ")
        found = re.fullmatch(r"n = (\d+), k = (\d+)(?:, m = (\d+))?, "
                             r"(f16|bf16|f32)( \(assumed\))?, "
                             r"(?:recall (\S+?)( \(assumed\))?(?: in (\S+) % of rows)?|"
                             r"at most (.*?)), "
                             r"(no device|[^,]+)(?:, \d+ threads?, warm)?", text)
        self.expect(found, f"an unknown question: {text}")
        if not found:
            return
        self.expect((int(found[1]), int(found[2])) == (a["n"], a["k"]) and
                    found[3] == (str(a["m"]) if a["m"] > 1 else None), "another shape")
        self.expect(bool(found[5]) == (self.option("--dtype") is None) and
                    self.option("--dtype") in (None, found[4]), "the type")
        self.expect(found[9] is None or near(value_of(found[9]), a["budget"]), "the budget")
        self.expect(found[6] is None or float(found[6]) == a["recall_target"], "the target")
        self.expect(found[6] is None or bool(found[7]) == (self.option("--recall") is None),
                    "that the target is assumed")
        self.expect((found[8] is None) == (a["confidence"] is None) or a["budget"], "the rows")
        self.expect(found[10] == (a["device"] or "no device"), "the device")

    # ---- the decision

    def said(self, text, value, what):
        """Is this a value of the objective? "19.6 us", "1840 candidates", "1.31 million"."""
        words = text.split()
        unit = UNITS.get(words[1], SCALES.get(words[1], 1.0)) if words[1:] else 1.0
        self.expect(near(words[0], value / unit), f"{what}: {text} is not {value}")

    def headline(self, text):
        """That of JSON. It follows from the contenders."""
        a = self.answer
        self.expect(text == a["headline"], f"JSON has another headline: {a['headline']}")
        self.expect(len(text) <= 100, f"{len(text)} columns: {text}")
        if a["cause"] == "nothing":
            return self.nothing(text)
        found = re.fullmatch(r"Use buckets, b = (\d+), k_b = (\d+), (only if|if) your exact top-k "
                             rf"takes longer than ({VALUE}): (\S+) % lost\.", text)
        if found:
            self.expect(a["exact_objective"] is None, "if, where exact top-k is known")
            self.expect(self.bound == (found[3] == "only if"), "a bound, or a time")
            high = self.stand_in["high_ratio"] if self.stand_in else 1.0
            self.said(found[4], self.least(high * self.choice["objective"]), "exact must exceed")
            return self.buckets_are(found[1], found[2], found[5])
        found = re.fullmatch(r"Use exact top-k: nothing lost, its time is not known\. (.*)\.", text)
        if found:
            self.expect(a["deploy"] == "exact" and a["exact_objective"] is None, "it is known")
            return self.others(found[1], "exact")
        found = re.fullmatch(rf"Use (buckets|exact top-k)(?:, ([^:]*?))?: "
                             rf"(about |at least |at most about |)({VALUE}), "
                             r"(?:nothing|(\S+) %) lost\. (.*)\.", text)
        self.expect(found, f"an unknown headline: {text}")
        if not found:
            return
        kind = {"buckets": "bucketed", "exact top-k": "exact"}[found[1]]
        own = a["deploy"] == "threshold" and kind == "exact"  # the library's, on a CPU
        self.expect(kind == a["deploy"] or own, f"it is {a['deploy']}")
        value = {"bucketed": self.choice and self.least(self.choice["objective"]),
                 "exact": a["exact_objective"]}.get(
                     a["deploy"], a["threshold"] and self.least(a["threshold"]["objective"]))
        self.said(found[4], value, "the first")
        self.expect(found[3].strip() == ("" if self.unit != "us" else
                                         "at most about" if a["contenders"][0]["at_most"] else
                                         "at least" if self.bound and kind != "exact" else "about"),
                    "about, at least or at most")
        if kind == "bucketed":
            shape = re.fullmatch(r"b = (\d+), k_b = (\d+)", found[2])
            self.buckets_are(shape[1], shape[2], found[5])
        else:
            self.expect(a["contenders"][0]["name"] == found[2] and
                        a["contenders"][0]["callable"], "its name")
        self.others(found[6], kind)

    def buckets_are(self, b, k_b, loss):
        a, c = self.answer, self.choice
        self.expect(a["deploy"] == "bucketed" and (int(b), int(k_b)) == (c["b"], c["k_b"]) and
                    self.lost(loss), "the buckets")

    def lost(self, text):
        """Is it what the buckets lose, in per cent, as far as JSON has it?"""
        loss = 100 * (1 - self.choice["recall"])
        return near(text, loss, 0.06) if loss > 1e-9 else text == "-" or float(text) < 1e-9

    def nothing(self, text):
        """Nothing stays within the budget: of which the upper end or the least is said."""
        a = self.answer
        self.expect(a["deploy"] == a["verdict"] == "none" and a["call"] is None, "something does")
        found = re.fullmatch(rf"Nothing stays within ({VALUE})(?:: (.+) (?:takes|has)( at least)? "
                             rf"(.*?)(?:, but its upper end, ({VALUE}), is above ({VALUE}))?)?\.",
                             text)
        self.expect(found, f"an unknown sentence: {text}")
        if not found:
            return
        self.said(found[1], a["budget"], "the budget")
        names = {"exact": None, "threshold": "the threshold", "buckets": "the nearest, buckets,"}
        if self.by_profile:
            named = min((one for one in a["contenders"] if one["callable"]),
                        key=lambda one: one["time_us"], default=None)
            self.expect(bool(named) == bool(found[2]), "what comes nearest")
            if named:
                self.said(found[4], named["time_us"], "what comes nearest")
                self.expect(found[2] == (names[named["kind"]] or (
                    "exact top-k" if named["profile"] is None else named["name"])), "its name")
                self.expect(bool(found[5]) == (named["time_us"] <= a["budget"]), "its upper end")
                if found[5]:
                    self.said(found[5], named["high_us"], "its upper end")
                    self.expect(named["carried"] and named["high_us"] > a["budget"] and
                                found[6] == found[1], "it is not above")
        elif found[4]:
            self.expect(bool(found[3]) == (self.bound and found[2] != "exact top-k"), "at least")
            self.expect(value_of(found[4] + " x") > a["budget"] * 0.994, "it is within")

    def others(self, text, kind):
        """What the headline says of the others."""
        a, c = self.answer, self.choice
        if a["budget"] is not None:
            found = re.fullmatch(rf"(?:The most recall within|Within|Upper end ({VALUE}), within) "
                                 r"(.*)", text)
            self.expect(found, f"an unknown end: {text}")
            self.said(found[2], a["budget"], "the budget")
            first = a["contenders"][0]
            self.expect(not found[1] or first["carried"], "an upper end that does not count")
            if first["carried"] and (first["high_us"] or 0) > first["time_us"]:
                self.expect(found[1], "the upper end decides, and is not said")
                self.said(found[1], first["high_us"], "the upper end")
                self.expect(first["high_us"] <= a["budget"] * 1.0001, "over the budget")
            self.expect(text.startswith("The most") <= (kind == "bucketed"), "the most")
            return
        if kind != "bucketed" and c is None:
            want = {"runs": "No timed buckets keep the recall",
                    "options": "No allowed b keeps the recall",
                    "kernel": "The kernel's buckets miss the recall",
                    "ties": "The kernel takes other equal elements"}.get(
                        a["cause"], "No buckets keep the recall")
            self.expect(text == want, f"not: {want}")
            self.forbidden()
            return
        if not self.by_profile:
            found = re.fullmatch(rf"Exact takes ({VALUE}): time both|Buckets take at least "
                                 rf"({VALUE})|Exact has (.*)|Buckets have (.*)", text)
            self.expect(found, f"an unknown end: {text}")
            self.expect(text.startswith("Buckets") == (kind != "bucketed"), "itself")
            self.expect(self.bound == bool(found[1] or found[2]), "a bound")
            if found[1]:
                self.said(found[1], a["exact_objective"], "exact")
            elif found[2]:
                self.said(found[2], self.least(c["objective"]), "buckets")
            elif found[3]:
                self.said(found[3], a["exact_objective"], "exact")
                self.expect(a["exact_objective"] > c["objective"], "exact has less")
            else:
                self.said(found[4], c["objective"], "buckets")
                self.expect(a["contenders"][0]["objective"] <= c["objective"], "buckets have less")
            return
        first, buckets = a["contenders"][0], [one for one in a["contenders"]
                                              if one["kind"] == "buckets"][0]
        if kind == "bucketed":
            self.expect(text == "Exact top-k takes longer" and a["verdict"] == "buckets", "longer")
            return
        want = ("No known buckets run on it" if not buckets["callable"] else
                "Buckets take longer" if self.surely(first, buckets) else
                "Buckets may take less: time both" if c["objective"] < first["time_us"] else
                "Buckets may take as long")
        self.expect(text == want, f"not: {want}")
        self.expect(a["too_close"] == (a["deploy"] != "bucketed" and "may" in want), "too close")

    def forbidden(self):
        """The reason is the kernel's or an option's only if others keep the recall."""
        free = ["--n", self.option("--n"), "--k", self.option("--k"), "--recall",
                self.option("--recall"), "--json", "--brief", "--kb-max", self.answer["k_b_max"]]
        if self.option("--confidence"):
            free += ["--confidence", self.option("--confidence")]
        any_ = json.loads(run("select", *free).stdout)["choice"]
        self.expect((any_ is None) == (self.answer["cause"] == "recall"), "what forbids buckets")

    # ---- what to do next

    def next(self, text):
        a, c = self.answer, self.choice
        deployed = c is not None and a["deploy"] == "bucketed"
        form = ("give a (?:--budget of (.*)|larger --budget)" if a["cause"] == "nothing" else
                f"pad the rows to n = {a['contenders'][0]['padded_n']}: the kernel takes longer "
                "of shorter ones" if a["contenders"][0]["padded_n"] else
                "pad each row by one element: .*" if deployed and "quirk" in a else
                r"time its shapes there: recallmodel calibrate --plan, then gpu/time_calls\.py|"
                r"time them (?:here|on that card): recallmodel tune --n \d+ --k \d+ --m \d+ "
                r"--recall \S+(?: --confidence \S+)?(?: --dtype (?:f32|b?f16))?|"
                r"time your exact top-k there, and give it as --exact-us T"
                if a["budget"] is None and (
                    a["beyond"] or (c and (a["too_close"] or (deployed and self.stand_in))) or
                    (deployed and self.bound and a["exact_objective"])) else
                r"(?:pad the rows to n = (\d+), or )?(?:leave --.* out.*|take another kernel; .*|"
                r"call it; only a larger --kb-max than \d+ or less recall has buckets)"
                if c is None and not a["beyond"] and a["budget"] is None else
                "give --device NAME .*|time them here: recallmodel tune .*" if not a["device"] else
                "time your exact top-k, and give it as --exact-us T"
                if deployed and a["cause"] == "no_exact" else
                rf"on your rows: recallmodel simulate --file ROWS\.npy --k {a['k']} --b "
                rf"{c and c['b']} --kb {c and c['k_b']}" if deployed else
                "call it; --verbose has what else is known")
        found = re.fullmatch(form, text)
        self.expect(found, f"not '{form}' but: {text}")
        if found and a["cause"] == "nothing" and found[1]:
            number, unit = (found[1] + " us").split(" ")[:2]
            more = list(self.options)
            more[more.index("--budget") + 1] = repr(float(number) * {**UNITS, **SCALES}[unit])
            said = json.loads(run("select", *more, "--json", "--brief").stdout)
            self.expect(said["cause"] != "nothing", "nothing stays within that either")
        if found and "pad the rows" in text and found.lastindex:
            padded = list(self.options)
            padded[padded.index("--n") + 1] = found[1]
            padded += ["--valid", self.option("--n"), "--json", "--brief"]
            said = json.loads(run("select", *padded).stdout)
            self.expect(said["choice"] is not None, "padding does not help")

    def contenders(self, table):
        """Each row is one of JSON, in its order, and the verdict follows from them."""
        rows, a = self.answer["contenders"], self.answer
        for line, one in zip(table, [{"shown": a["contender_columns"]}, *rows]):
            self.expect(line[1:].split() == " ".join(one["shown"]).split(), f"JSON shows {one}")
        if not self.by_profile:
            return self.values(table)
        self.expect(len(table) == 1 + min(len(rows), 8), "how many contenders")
        for row, one in zip(table[1:], rows):
            shape = one["b"] and f"{one['kind']} b {one['b']}, k_b {one['k_b']}"
            found = re.fullmatch(rf"([* ]) {re.escape(shape or 'exact, ' + one['name'])} +"
                                 rf"{TIME} +(-|([\d.e+-]+)(?: (us|ms|s))? to {TIME}) +(0|\S+ %) +"
                                 r"(\S.*)", row)
            self.expect(found and (len(row) <= 104 or "another type" in row),
                        f"not that of JSON, or too wide: {row}")
            if not found:
                continue
            self.expect((found[1] == "*") == (one is rows[0] and a["verdict"] != "none"), "the *")
            self.expect(near(found[2], one["time_us"] / UNITS[found[3]]), f"the time: {row}")
            band = one["low_us"] is not None and one["low_us"] < one["high_us"]
            self.expect(band == (found[4] != "-") and
                        (not band or (near(found[5],
                                           one["low_us"] / UNITS[found[6] or found[8]]) and
                                      near(found[7], one["high_us"] / UNITS[found[8]]))),
                        f"the band: {row}")
            self.expect(near(found[9].split()[0], 100 * one["loses"], 0.06) if one["loses"]
                        else found[9] == "0", f"the loss: {row}")
            known = found[10].split(", ")
            self.expect(known[0] == (one["card"] or one["profile"] or "as you measured"),
                        f"where it was measured: {row}")
            self.expect(("not callable" in known) == (not one["callable"]), f"callable: {row}")
            self.expect(not one["callable"] or ("carried" in known) == one["carried"],
                        f"carried: {row}")
            self.expect(not one["callable"] or ("larger k or n" in known) == one["at_most"],
                        f"larger k or n: {row}")
            self.expect(not one["callable"] or
                        ("beyond runs" in known) == (one["beyond"] and not one["at_most"]),
                        f"beyond its runs: {row}")
            self.expect(not one["at_most"] or (one["kind"] == "exact" and one["beyond"]),
                        f"only exact kernels: {row}")
            self.expect([word for word in known if word.startswith("padded to ")] ==
                        [f"padded to {one['padded_n']}"] * (one["padded_n"] is not None),
                        f"padded: {row}")
        keys = [(not one["callable"], one["time_us"]) for one in rows[1:]]
        self.expect(keys == sorted(keys), "the contenders are not in order")
        if a["budget"] is None:
            want = self.by_the_rule(rows)
            self.expect(want == a["verdict"], f"by the rule it is {want}")

    def values(self, table):
        """Of an objective that no profile predicts: the values of buckets, exact and threshold."""
        a, c, t = self.answer, self.choice, self.answer["threshold"]
        want = {}
        if c:
            want[f"buckets b {c['b']}, k_b {c['k_b']}"] = self.least(c["objective"])
        if t:
            want[f"threshold b {t['b']}, k_b {t['k_b']}"] = self.least(t["objective"])
        if a["exact_objective"] is not None:
            name = next(one["name"] for one in a["contenders"] if one["kind"] == "exact")
            named = self.option("--exact-us") or self.option("--exact-kernel")
            self.expect(bool(name) == bool(named), "who has the exact top-k")
            want[f"exact, {name}" if name else "exact top-k"] = a["exact_objective"]
        head = "at least" if self.bound else "time" if self.unit == "us" else self.unit
        self.expect(re.fullmatch(rf"  contender +{head} +loses +known from", table[0]), "the head")
        seen = []
        for row in table[1:]:
            found = re.fullmatch(r"([* ]) (\S+ b \d+, k_b \d+|exact\S* \S+) +(\S.*?) {2,}"
                                 r"(\S+(?: %)?) +(\S.*)", row)
            self.expect(found, f"an unknown row: {row}")
            if not found or found[3] == "-":
                self.expect(found and found[5] == "not known" and a["exact_objective"] is None, row)
                continue
            seen.append(found[2])
            self.expect(found[2] in want, f"nothing has: {row}")
            if found[2] in want:
                self.said(found[3], want[found[2]], row)
            self.expect(self.lost(found[4].split()[0]) if found[2].startswith("buckets")
                        else found[4] == "0", row)
            self.expect(found[1] == " " or len(seen) == 1, "the *")
        self.expect(sorted(seen) == sorted(want), f"{seen}, not {list(want)}")

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

    # ---- the lines

    def distribution_is(self):
        """Is the recall that the share of rows reaches that of `recallmodel distribution`?"""
        c, rest = self.choice, self.answer["quantile"]
        said = run("distribution", "--n", self.answer["n"], "--k", self.answer["k"], "--b", c["b"],
                   "--kb", c["k_b"], "--quantile", f"{rest:.9g}", "--json")
        if said.returncode:
            return
        dist, = json.loads(said.stdout)["distributions"]
        recalls = [one["recall"] for one in dist["quantiles"] if abs(one["share"] - rest) < 1e-9]
        self.expect(c["recall_quantile"] in recalls, f"distribution says {recalls}")

    def line(self, label, text):
        a, c = self.answer, self.choice
        check = getattr(self, "line_" + label.replace(" ", "_"), None)
        self.expect(check, f"a line without a check: {label}")
        if check:
            check(text, a, c)

    def line_buckets(self, text, a, c):
        found = re.fullmatch(rf"b = {c['b']}, k_b = {c['k_b']}: recall ((?:1 - )?\S+) in the mean, "
                             r"sd (\S+); (.*) reach ((?:1 - )?\S+|what is not known)", text)
        self.expect(found, f"an unknown line: {text}")
        if not found:
            return
        self.expect(recall_is(found[1], c["recall"]), "the mean")
        self.expect(near(found[2], c["recall_sd"], 0.06), "the sd")
        if found[4] == "what is not known":
            self.expect(c["recall_quantile"] is None, "it is known")
            return
        self.expect(recall_is(found[4], c["recall_quantile"]), "the quantile")
        self.expect(abs(float(found[3].split()[0]) / 100 - (1 - a["quantile"])) < 1e-6,
                    "the share of rows")
        if self.with_distribution:
            self.distribution_is()

    def line_beyond(self, text, a, c):
        found = re.fullmatch(r"the runs of the profile in (.*?); the error may be larger", text)
        if found:
            self.expect(found[1] == c["beyond"], "what is beyond")
            if "--beyond-runs" in self.options and not self.stand_in:
                self.expect(near(c["objective"], c["high_us"]), "not the upper end")
            return
        found = re.fullmatch(rf"(b = \d+, k_b = \d+) may take {TIME} to {TIME}; no run of the "
                             rf"profile has such (.*)", text)
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

    def line_floor(self, text, a, c):
        """A bound of the memory's rate says so where all rows fit into the cache."""
        found = re.fullmatch(rf"{TIME}: the memory of (\S+) allows no less(, with a launch)?"
                             r"(?:, if the rows come from memory, not from its cache of (\S+) MB)?",
                             text)
        self.expect(found and found[3] == a["device"], f"an unknown line: {text}")
        if not found:
            return
        cache, size = CACHES.get(a["device"]) or 0.0, a["n"] * a["m"] * DTYPES[self.dtype]
        self.expect(bool(found[5]) == (size <= cache), "rows that fit into the cache")
        self.expect(not found[5] or near(found[5], cache / 1e6), "the cache")
        if self.stand_in:
            self.expect(near(found[1], self.stand_in["floor_us"] / UNITS[found[2]]), "the floor")
            self.expect(c["predicted_us"] * self.stand_in["high_ratio"] >=
                        self.stand_in["floor_us"], "the floor is above the range")

    def line_exact(self, text, a, c):
        found = re.fullmatch(r"(\S+): beyond its runs in (\S.*), so the error may be larger", text)
        self.expect(found and "--exact-kernel" in self.options and
                    found[1] == "gvr_v2_b200", "which kernel is beyond its runs")
        if found:
            said = run("predict", "--device", found[1], "--n", a["n"], "--k", a["k"], "--m",
                       a["m"], "--csv").stdout
            self.expect(said.splitlines()[1].split(",")[9] == "false", "it is within its runs")

    def line_quirk(self, text, a, c):
        q = a["quirk"]
        self.expect(q and text == f"on {a['device']}, {q['kernels']} take {q['median_ratio']:.2g} "
                    f"times as long, up to {q['high_ratio']:.2g}, where {q['when']} (runs of "
                    f"{q['runs']}): {q['mend']}", "the quirk")
        self.expect(c["k_b"] == 1 and a["n"] % 16 == c["b"] % 16 == 0, "it does not meet it")

    def line_device(self, text, a, c):
        """On another CPU than the one of the profile (tests/programs/measure/test_cpu_loop.sh)."""
        self.expect(text == f"{a['device']} is not this CPU, which recallmodel tune measures"
                    and a["kernel"] == "cpu" and a["device"] not in self.options,
                    f"an unknown line: {text}")

    def line_threshold(self, text, a, c):
        found = re.fullmatch(r"a second read collects (\d+) elements; recallmodel exact says how",
                             text)
        self.expect(found and int(found[1]) == round(a["threshold"]["reaching_mean"]),
                    "how many it collects")

    def line_parallel(self, text, a, c):
        found = re.fullmatch(r"(\S+) buckets in all rows, each for a thread; fewer than 3840 do "
                             r"not fill a GPU", text)
        self.expect(found and near(found[1], c["b"] * a["m"], 1e-5), "the buckets in all rows")


def blocks_of(text):
    """(question, headline, the table of contenders, what is next, the notes) of --verbose."""
    parts = text.split("\n\n")
    question, headline = re.fullmatch(r"(.*?)\n((?:Use|Nothing) .*)", parts[0], re.DOTALL).groups()
    at = next(i for i, part in enumerate(parts) if part.startswith("Next: "))
    notes = [part for part in (parts[2], parts[at + 1]) if re.match(r"  \S+ ?\S* {2,}\S", part)]
    return (question, headline.replace("\n", " "), parts[1].splitlines(),
            parts[at].replace("\n", " ").removeprefix("Next: "), "\n" + "\n".join(notes))


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
               else question(random.Random(f"sentences {number}"), LAUNCHES))
    text, said = run("select", *options, "--verbose"), run("select", *options, "--json")
    if text.returncode or said.returncode:
        why = [line for line in text.stderr.splitlines() if " is taken as " not in line]
        right = text.returncode == said.returncode == 2 and len(why) == 1
        return [] if right else [f"{options}: {text.stderr} {said.stderr}"], 0
    plain = run("select", *options).stdout
    check = Check(options, text.stdout, json.loads(said.stdout))
    check.expect(text.stdout.startswith(plain), "--verbose changes what comes first")
    asked, headline, table, after, notes = blocks_of(text.stdout)
    check.question(asked)
    check.headline(headline)
    check.contenders(table)
    check.next(after)
    lines = lines_of(notes)
    for label, words in lines:
        if label != "memory":
            check.line(label, words)
    return check.faults, 4 + len(lines)


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
