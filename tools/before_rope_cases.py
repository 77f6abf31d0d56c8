"""before_rope_cases.py - what tools/before_rope.py measures with: RoPE, shares of variance, runs of
the command that are remembered, and means over groups.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import json
import math
import pathlib

import numpy

from saap_figures import sparse

GRID = (0.05, 0.065, 0.1, 0.2, 0.25)
SHARES = (0.05, 0.2)  # at which errors are compared
BOTH = ("kmeans", "kmeans-unroped", "kmeans-oracle", "kmeans-unroped-oracle")


def rotate(x, positions, theta, pairs=slice(None)):
    """RoPE of x [heads, n, d], pairs (i, i + d/2); of some pairs alone if that is said."""
    half = x.shape[-1] // 2
    angle = numpy.zeros((len(positions), half))
    frequency = theta ** (-numpy.arange(half) / half)
    angle[:, pairs] = positions[:, None] * frequency[None, pairs]
    cosine, sine = numpy.cos(angle), numpy.sin(angle)
    a, b = x[..., :half], x[..., half:]
    return numpy.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1)


def at_share(rows, measure, share):
    """ln(measure) at a share of visited keys; None where the knobs do not reach both sides."""
    points = sorted({(float(r["visited"]), float(r[measure])) for r in rows
                     if float(r["visited"]) > 0 and float(r[measure]) > 0})
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= share <= x1:
            w = 0.0 if x0 == x1 else math.log(share / x0) / math.log(x1 / x0)
            return math.log(y0) * (1 - w) + math.log(y1) * w
    return None


def between(bucket, values):
    """The share of the variance of values that lies between buckets."""
    size = numpy.bincount(bucket)
    means = numpy.bincount(bucket, weights=values) / numpy.maximum(size, 1)
    return (size * (means - values.mean()) ** 2).sum() / ((values - values.mean()) ** 2).sum()


def share_between(keys, queries, buckets):
    """The share of the variance of a query's logits that lies between the buckets [key heads][keys]
    of the keys that are open for all queries: the mean over queries and heads."""
    group, count = len(queries) // len(keys), len(buckets[0])
    shares = []
    for head, own in enumerate(queries):
        logits = own @ keys[head // group, 1:1 + count].T
        shares += [between(buckets[head // group], row) for row in logits.astype(float)]
    return float(sum(shares) / len(shares))


def times(keys, queries):
    """128 runs of neighbouring open keys, for each head of keys."""
    count = keys.shape[1] - 1 - 128 - queries.shape[1]
    return [numpy.arange(count) * 128 // count] * len(keys)


def time_share(keys, queries):
    return share_between(keys, queries, times(keys, queries))


class Cases:
    """Runs the command on arrays, and remembers its answers."""

    def __init__(self, work, cache):
        self.work, self.cache = pathlib.Path(work), cache and pathlib.Path(cache)
        if self.cache:
            self.cache.mkdir(parents=True, exist_ok=True)

    def remember(self, key, make):
        """What make() returns, or what it returned before for this key."""
        text = json.dumps(key)
        path = self.cache and self.cache / (hashlib.sha256(text.encode()).hexdigest()[:24] +
                                            ".json")
        if path and path.exists():
            return json.loads(path.read_text(encoding="utf-8"))[1]
        made = make()
        if path:
            part = path.with_suffix(".part")
            part.write_text(json.dumps([text, made]), encoding="utf-8")
            part.rename(path)
        return made

    def files(self, arrays):
        options = []
        for name, array in arrays().items():
            path = self.work / f"{name}.npy"
            numpy.save(path, numpy.ascontiguousarray(array, dtype=numpy.float32))
            options += [f"--{name}", path]
        return options

    def run(self, key, arrays, *options, methods=BOTH):
        """{method: {share: {measure: ln}}} of the tensors that arrays() returns. `key` names
        them."""
        options = ("--method", ",".join(methods), *options)
        rows = self.remember(
            [key, [str(o).replace(str(self.work), "") for o in options]],
            lambda: sparse(*self.files(arrays), "--budget", ",".join(map(str, GRID)), *options))
        rows = [r for r in rows if float(r["budget"]) in GRID]
        return {m: {s: {x: at_share([r for r in rows if r["method"] == m], x, s)
                        for x in ("error", "mass")} for s in SHARES} for m in methods}


def mean_and_error(groups):
    """The mean of the means of groups, and its standard error over groups."""
    means = [sum(g) / len(g) for g in groups if g]
    if not means:
        return math.nan, math.nan, 0
    mean = sum(means) / len(means)
    if len(means) == 1:
        return mean, math.nan, 1
    spread = sum((x - mean) ** 2 for x in means) / (len(means) - 1)
    return mean, math.sqrt(spread / len(means)), len(means)


def number(x, digits=4):
    return "" if x is None or math.isnan(x) else f"{x:.{digits}g}"


def summary(results, **what):
    """Rows of a file from {(group, unit): answer of run()}: a row for each share."""
    rows = []
    for share in SHARES:
        def column(method, measure, share=share):
            groups = {}
            for (group, _), answer in results.items():
                value = answer[method][share][measure] if method in answer else None
                if value is not None:
                    groups.setdefault(group, []).append(value)
            return groups

        def ratio(before, after, share=share):
            groups = {}
            for (group, _), answer in results.items():
                pair = [answer[m][share]["error"] if m in answer else None
                        for m in (before, after)]
                if None not in pair:
                    groups.setdefault(group, []).append(pair[0] - pair[1])
            return groups
        row = {**what, "share": share}
        names = (("after", "kmeans"), ("before", "kmeans-unroped"),
                 ("after_oracle", "kmeans-oracle"), ("before_oracle", "kmeans-unroped-oracle"))
        for name, method in names:
            row[name] = number(math.exp(mean_and_error(column(method, "error").values())[0]))
        for name, (x, y) in {"ratio": ("kmeans-unroped", "kmeans"),
                             "oracle_ratio": ("kmeans-unroped-oracle", "kmeans-oracle")}.items():
            mean, error, count = mean_and_error(ratio(x, y).values())
            row[name] = number(math.exp(mean))
            row[f"{name}_low"] = number(math.exp(mean - error))
            row[f"{name}_high"] = number(math.exp(mean + error))
            row.setdefault("groups", count)
        for name, method in names[:2]:
            row[f"{name}_mass"] = number(
                math.exp(mean_and_error(column(method, "mass").values())[0]))
        row["units"] = sum(len(g) for g in ratio("kmeans-unroped-oracle",
                                                 "kmeans-oracle").values())
        rows.append(row)
    return rows
