"""The numbers that the captions of the figures of SAAP say are those of their CSV files.

usage: saap_captions.py FOLDER, which has saap-01/saap-01.csv and so on
SPDX-License-Identifier: Apache-2.0
"""
import math
import pathlib
import statistics
import sys

sys.path.insert(0, "plots")
from figure import Figure
from program import read

folder = pathlib.Path(sys.argv[1])
failed, checked = [], 0


def rows(figure, **wanted):
    """The rows that have these texts, of a figure's CSV or of FIGURE/FILE beside it."""
    table = read(folder / f"{figure}.csv") if "/" in figure else Figure(figure).rows(folder)
    found = [row for row in table
             if all(row[name] == value for name, value in wanted.items())]
    assert found, f"{figure} has no row with {wanted}"
    return found


def numbers(figure, column, **wanted):
    return [float(row[column]) for row in rows(figure, **wanted)]


def number(figure, column, **wanted):
    found = numbers(figure, column, **wanted)
    assert len(found) == 1, f"{figure}: {len(found)} rows with {wanted}"
    return found[0]


def file_says(file, name, text):
    global checked
    checked += 1
    if text not in " ".join(pathlib.Path(file).read_text(encoding="utf-8").split()):
        failed.append(f"{name} does not say '{text}'")


def says(figure, text):
    file_says(f"paper_figures/{figure}/{figure}.txt", f"the caption of {figure}", text)


def page_says(text):
    file_says("docs/real-data.md", "docs/real-data.md", text)


def point(value):
    """Two significant digits, without the 0 before the point."""
    return f"{value:.2g}".replace("0.", ".", 1)


def span(values, digits=1):
    texts = [f"{x:.{digits}f}" for x in (min(values), max(values))]
    return " to ".join(text[1:] if text.startswith("0.") else text for text in texts)


def error_at(column, value, figure, **wanted):
    """The error of a line where a column is `value`, interpolated on logarithmic axes."""
    line = sorted((math.log(float(row[column])), math.log(float(row["error"])))
                  for row in rows(figure, **wanted)
                  if float(row["visited"]) > 0)
    for (x, y), (later, below) in zip(line, line[1:]):
        if x <= math.log(value) <= later:
            return math.exp(y + (below - y) * (math.log(value) - x) / (later - x))
    raise AssertionError(value)


def mean_cosine(rope, what):
    table = rows("saap-01", rope=rope, what=what)
    total = sum(float(row["y"]) for row in table)
    return sum(float(row["x"]) * float(row["y"]) for row in table) / total


def figure_1():
    cosines = [mean_cosine(rope, "query and key") for rope in ("before", "after")]
    assert [f"{x:.2f}" for x in cosines] == ["-0.26", "-0.26"], cosines
    says("saap-01", "their cosine is -.26 in the mean, before and after RoPE")
    says("saap-01", "that of two keys is {} and {}".format(
        *(point(mean_cosine(rope, "key and key")) for rope in ("before", "after"))))
    uneven = {}
    for rope in ("before", "after"):
        for what in ("keys", "queries"):
            share = numbers("saap-01", "y", rope=rope, what=f"{what} in bucket")
            uneven[rope, what] = f"{len(share) * sum(x * x for x in share):.1f}"
    says("saap-01", "imbalance {} before RoPE, {} after".format(
        uneven["before", "keys"], uneven["after", "keys"]))
    empty = [sum(x == 0 for x in numbers("saap-01", "y", rope=rope, what="queries in bucket"))
             for rope in ("before", "after")]
    says("saap-01", "({} and {}; no query of the 8191 falls into {} and {} of the buckets)".format(
        uneven["before", "queries"], uneven["after", "queries"], *empty))


def figure_2():
    def of(rope, sampling):
        return span(numbers("saap-02", "imbalance", rope=rope, sampling=sampling))
    says("saap-02", "few buckets after it (imbalance {}) and many before it ({})".format(
        of("after", "one time range"), of("before", "one time range")))
    says("saap-02", "less even before RoPE ({}) than after it ({})".format(
        of("before", "one prompt"), of("after", "one prompt")))


def figure_3():
    def of(method="topk", keys="all", first=False, **more):
        return [float(row["mass"]) for row in rows("saap-03", method=method, of=keys, **more)
                if (row["layer"] == "0") == first]

    def two(value):
        return f"{value:.2f}".lstrip("0")
    least = math.floor(100 * min(of(k="256"))) / 100
    says("saap-03", f"have {two(least)} or more in every head from layer 1 on")
    says("saap-03", f"is the exception ({span(of(first=True, k='256'), 2)})")
    outside = of(keys="outside", k="256")
    median = statistics.median
    says("saap-03", f"is {two(median(outside))} in place of {two(median(of(k='256')))}, the least "
                    f"{two(min(outside))}")
    found = [of(method, "outside") for method in ("kmeans", "kmeans-unroped")]
    says("saap-03", "have {} in the median after RoPE and {} before it".format(
        *(two(median(x)) for x in found)))
    says("saap-03", "{} and {} of what the 256 largest have".format(
        *(two(median([a / b for a, b in zip(x, outside)])) for x in found)))


def figure_4():
    def losses(method):
        found = [number("saap-04", "over_full", document="essay", layers="all but 0",
                        method=method, budget=share) for share in ("0.05", "0.2")]
        return [f"{x:.3f}".replace("0.", ".", 1) for x in found]
    text = "loses {} nats a token at 5 % of the keys, {} at 20 % (k-means with the same " \
        "centroids {} and {}, k-means after RoPE on the essay's own keys {} and {})"
    saap, same, own = map(losses, ("saap", "kmeans-unroped-trained", "kmeans"))
    says("saap-04", text.format(*saap, *same, *own))
    says("saap-04", "SAAP after RoPE {} and {};".format(*losses("saap-roped")))
    page_says("SAAP loses {} nats at 5 % of the keys and {} at 20 %, k-means after RoPE on the "
              "essay's own keys {} and {}.".format(*saap, *own))


def figure_5():
    def of(method, layer):
        return number("saap-05", "error", method=method, layer=layer, budget="0.05")
    both = "saap", "kmeans-unroped trained"
    errors = [f"{of(method, layer):.3f}"[1:] for layer in ("2", "15", "28") for method in both]
    assert errors[0] > errors[1] and errors[2] > errors[3] and errors[4] < errors[5]
    says("saap-05", "two of the heads ({} and {}, {} and {}), a little less in one ({} and {})"
         .format(*errors))
    says("saap-05", f"in the other ({of(both[0], '8'):.4f} and {of(both[1], '8'):.2f})".replace(
        "0.", "."))


def figure_6():
    def at(way, method, figure):
        return error_at("visited", .05, figure, way=way, method=method)
    files = {"saap-06": ("far pairs", "residual", "near pairs too"),
             "saap-06/again": ("far pairs", "residual", "near pairs too",
                               "residual, near pairs too")}
    before = [span([at(way, "saap", file) for way in ways], 3) for file, ways in files.items()]
    says("saap-06", "errors of {} where 5 % of the keys are visited, in a second run (again.csv) {}"
         .format(*before))
    after = [f".{1000 * at(way, 'saap-roped', file):03.0f}" for file in files
             for way in ("near pairs too", "far pairs")]
    says("saap-06", "{} in place of {}, in the second run {} in place of {}".format(*after))
    linear = [f".{1000 * at(way, 'saap-roped', 'saap-06/again'):03.0f}" for way in (
        "residual", "far pairs", "residual, near pairs too", "near pairs too")]
    says("saap-06", "the linear path then has {} in place of {}, with near pairs {} in place of {}"
         .format(*linear))


def figure_7():
    def saap(window, budget):
        return point(number("saap-07", "error", method="saap", sink="1", window=window,
                            budget=budget))
    says("saap-07", f"(saap: {saap('511', '0.05')} and {saap('63', '0.1')})")


def figure_8():
    def ratio(column, method):
        return number("saap-08", column, method=method, chosen="together", budget="0.05") / \
            number("saap-08", column, method=method, chosen="independent", budget="0.05")
    methods = "kmeans", "kmeans-unroped", "saap"
    says("saap-08", "by {} % (k-means after RoPE), {} % (before) and {} % (saap)".format(
        *(f"{100 * ratio('error', method) - 100:.0f}" for method in methods)))
    assert all(abs(ratio("bytes_read", method) - 1 / 3) < 0.01 for method in methods)


def needles():
    def found(method):
        return sum(numbers("saap-needles", "found", method=method))
    three = [found(method) for method in ("topk", "bucketed", "sparq")]
    assert three == three[:1] * 3, three
    says("saap-needles", f"All keys find {found('full'):.0f} of 16; exact top-k, bucketed and "
                         f"SparQ {three[0]:.0f} of 16, with at most one digit wrong")
    assert min(min(numbers("saap-needles", "digits", method=method))
               for method in ("topk", "bucketed", "sparq")) == 4
    says("saap-needles", "k-means {:.0f} after RoPE and {:.0f} before it, Quest {:.0f}, the dense "
         "part alone none".format(*map(found, ("kmeans", "kmeans-unroped", "quest"))))
    assert max(numbers("saap-needles", "digits", method="streaming")) == 0
    trained = "saap", "kmeans-unroped-trained"
    assert not any(map(found, trained))
    says("saap-needles", "find none ({:.0f} and {:.0f} of 80 digits are right)".format(*(
        sum(numbers("saap-needles", "digits", method=method)) for method in trained)))
    says("saap-needles", "they find {:.0f} and {:.0f}, k-means after RoPE {:.0f}".format(*(
        sum(numbers("saap-needles/budget-20", "found", method=method))
        for method in (*trained, "kmeans"))))
    for method in ("kmeans", "kmeans-unroped"):
        digits = numbers("saap-needles", "digits", method=method, length="8128")
        says("saap-needles", "it has {:.0f}, {:.0f} and {:.0f} digits of".format(*digits))


def int8():
    full = number("saap-choices/int8", "error", method="full", bits="8")
    says("saap-choices", f"have an error of {full:.1e} (thin line)".replace("e-0", "e-"))
    other = []
    for row in rows("saap-choices/int8", bits="16"):
        if row["method"] != "full" and float(row["error"]) > 0.001:
            error = number("saap-choices/int8", "error", method=row["method"], bits="8",
                           budget=row["budget"])
            if abs(error / float(row["error"]) - 1) > 0.05:
                other.append(row["method"])
    assert other == ["kmeans"], other
    ratios = [number("saap-choices/int8", "bytes_read", method=method, bits="8", budget="0.05") /
              number("saap-choices/int8", "bytes_read", method=method, bits="16", budget="0.05")
              for method in ("topk", "bucketed", "sparq", "kmeans", "kmeans-unroped", "quest")]
    texts = [f"{x:.2f}".lstrip("0") for x in ratios]
    assert texts[0] == texts[1] and texts[3] == texts[4], texts
    sentence = "exact top-k and bucketed read {0} of the bytes, SparQ {2}, k-means {3} and Quest"
    says("saap-choices", f"{sentence} {{5}}".format(*texts))
    page_says(f"read {texts[0]} (exact top-k) to {texts[5]} (Quest) of the bytes")
    page_says(f"if an error of {full:.1e}, that with all".replace("e-0", "e-"))


SIZES = "32", "128", "512", "2048"


def clusters():
    def two(value):
        return f"{value:#.2g}".removeprefix("0")

    def of(method, number, column="visited", value=0.05, centroids="own"):
        return error_at(column, value, "saap-choices", method=method, clusters=number,
                        centroids=centroids, distance="euclidean")
    after, before = ([two(of(method, size)) for size in SIZES]
                     for method in ("kmeans", "kmeans-unroped"))
    says("saap-choices", "errors are {}, {}, {} and {} after RoPE, own keys".format(*after))
    says("saap-choices", "and {}, {}, {} and {} before it".format(*before))
    few, more = (two(of("kmeans", size, "bytes_read", 2e5)) for size in SIZES[1:3])
    says("saap-choices", f"even at 200 kB ({few} and {more} after RoPE)")
    few, more = (of("kmeans", size, "bytes_read", 4e5) for size in SIZES[1:3])
    assert more < few
    says("saap-choices", f"at 400 kB ({two(more)}, and {two(few)} of C = 128)")
    for method in ("kmeans", "kmeans-unroped"):
        for read in (4e5, 8e5):
            assert of(method, "2048", "bytes_read", read) > of(method, "512", "bytes_read", read)
        for centroids in ("own", "trained"):
            for read in (2.5e5, 3e5, 4e5, 8e5):
                few, more = (of(method, size, "bytes_read", read, centroids) for size in SIZES[1:3])
                assert (more < few) == ((method, centroids) != ("kmeans-unroped", "trained"))
    uneven = [float(rows("saap-choices", method="kmeans-unroped", centroids="trained",
                         distance="euclidean", clusters=size)[0]["imbalance"]) for size in SIZES]
    assert uneven == sorted(uneven)
    says("saap-choices", f"grows from {uneven[0]:.1f} to {uneven[-1]:.1f}")


def thousand():
    def of(column, clusters, method):
        return number("saap-choices/1024", column, clusters=clusters, method=method,
                      budget="0.03125")
    errors = [point(of("error", clusters, method)) for clusters in ("1024", "128")
              for method in ("kmeans", "kmeans-unroped")]
    says("saap-choices", "3.1 % of the keys the error is {} after RoPE and {} before it (C = 128: "
         "{} and {}), for {:.0f} kB ({:.0f}; 1024.csv".format(*errors, *(
             of("bytes_read", clusters, "kmeans") / 1e3 for clusters in ("1024", "128"))))


def spherical():
    def ratios(method, centroids):
        errors = [[error_at("visited", 0.05, "saap-choices", method=method, clusters=size,
                            centroids=centroids, distance=distance) for size in SIZES]
                  for distance in ("inner product", "euclidean")]
        return [f"{a / b:.2f}".removeprefix("0") for a, b in zip(*errors)]

    def four(texts):
        return "{}, {}, {} and {}".format(*texts)
    own, after, after_trained = (ratios(method, centroids) for method, centroids in (
        ("kmeans-unroped", "own"), ("kmeans", "own"), ("kmeans", "trained")))
    says("saap-choices", f"its error is {four(own)} times that of k-means")
    says("saap-choices", f"the ratios are {four(ratios('kmeans-unroped', 'trained'))}, which")
    says("saap-choices", f"worse throughout: {four(after)} times, and "
                           f"{four(after_trained)} times with other")
    page_says(f"error is {min(own)} to {max(own)} of that of k-means")
    both = sorted(after + after_trained, key=float)
    page_says(f"leave it out: {both[0]} to {both[-1]} times the error")


def pair():
    kmeans, = rows("saap-pair", method="kmeans-unroped")
    of_bytes = number("saap-pair", "bytes_read", method="full") / float(kmeans["bytes_read"])
    ratio = float(kmeans["ratio"])
    says("saap-pair", f"reads {of_bytes:.0f} times fewer bytes and is {ratio:.1f} times as fast")
    says("saap-pair", f"in three runs): {100 - 100 / ratio:.0f} % of the time saved")
    says("saap-pair", f"visits {kmeans['knob']} buckets with an imbalance of "
                      f"{float(kmeans['imbalance']):.2f}")
    # What the paper prints.
    assert abs(2048 / 171e3 + 32 / 1024 * 1.04 - 0.044) < 0.0005 and 1 - 18 / 50 == 0.64
    assert f"{50 / 18:.1f} {1 / (2048 / 171e3 + 32 / 1024 * 1.04):.0f}" == "2.8 22"
    assert abs(float(kmeans["selectivity"]) - 0.044) < 0.0005


def reformer():
    def of(method, column):
        return numbers("saap-choices/reformer", column, method=method)
    times = [theirs / ours for ours, theirs in zip(of("lsh-argmax", "error"),
                                                   of("lsh-argmax-query", "error"))]
    says("saap-choices", f"error is {min(times):.1f} to {max(times):.0f} times as large")
    assert set(of("lsh-argmax-query", "knob")) == {1, 2}, of("lsh-argmax-query", "knob")


def ours():
    """Where SparQ's line of error against bytes crosses that of k-means, on logarithmic axes."""
    shares = [0.145 + 0.001 * i for i in range(200)]
    first = next(x for x in shares if error_at("bytes_share", x, "ours-sparse", method="sparq") <
                 error_at("bytes_share", x, "ours-sparse", method="kmeans"))
    error = error_at("bytes_share", first, "ours-sparse", method="sparq")
    says("ours-sparse", f"is ahead down to an error of {error:.3f}, and".replace("0.", "."))


for check in (figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, figure_7, figure_8,
              needles, int8, clusters, thousand, spherical, pair, reformer, ours):
    check()
print(f"{checked} sentences of captions checked")
for line in failed:
    print("FAIL: " + line)
sys.exit(bool(failed))
