"""The best blocks, then the top-k inside them: the command, and fractions."""
import collections
import csv
import fractions
import io
import json
import os
import subprocess

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def rows(*arguments):
    done = subprocess.run([PROGRAM, "blocks", *map(str, arguments), "--csv"], check=True,
                          capture_output=True, text=True, timeout=100)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def lost_by_fractions(n, k, size, kept):
    """E[lost] of the best blocks by a recurrence over (whole blocks, short block, ranks seen)."""
    whole, rest = divmod(n, size)
    dist, lost = {(0, 0): fractions.Fraction(1)}, fractions.Fraction(0)
    for m in range(1, k + 1):
        further = fractions.Fraction(k - m, max(n - m, 1))
        after = collections.defaultdict(fractions.Fraction)
        for (d, short), p in dist.items():
            into_whole = p * (whole - d) * size / (n - m + 1)
            into_short = p * (0 if short else rest) / (n - m + 1)
            if d + short >= kept:
                lost += into_whole * (1 + (size - 1) * further)
                lost += into_short * (1 + (rest - 1) * further)
            after[d + 1, short] += into_whole
            after[d, 1] += into_short
            after[d, short] += p - into_whole - into_short
        dist = after
    return lost


def test_blocks():
    table = rows("--n", 4096, "--k", 200, "--block", 16)
    kept = numpy.array([int(row["blocks"]) for row in table])
    for name, function in (("recall", rcm.blocks_recall), ("loss", rcm.blocks_loss),
                           ("recall_sd", rcm.blocks_sd)):
        numpy.testing.assert_array_equal(function(4096, 200, kept, block=16),
                                         [float(row[name]) for row in table], err_msg=name)
    assert rcm.blocks_smallest(4096, 200, 0.95, block=16) in kept
    assert rcm.blocks_smallest(4096, 200, [0.5, 1], block=16).tolist()[1] == 200
    for n, k, size, kept in ((64, 16, 8, 5), (67, 30, 8, 6), (50, 40, 7, 6), (400, 40, 8, 25)):
        loss = lost_by_fractions(n, k, size, kept) / k
        assert abs(rcm.blocks_loss(n, k, kept, block=size) / float(loss) - 1) < 1e-12
    with pytest.raises(ValueError, match="blocks 1 of 8 keys hold fewer than k = 9"):
        rcm.blocks_recall(100, 9, 1)
    assert numpy.isnan(rcm.blocks_recall(100, [9, 8], 1)).tolist() == [True, False]


def test_groups_of_experts():
    """The table of the command, drawn rows (5 standard errors), and what is not in the domain."""
    shape = ("--n", 160, "--k", 6, "--block", 20)
    of_row = (*shape, "--score-sd", 2)
    for scores in ("sigmoid", "softmax", "uniform"):
        asked = shape if scores == "uniform" else of_row
        for row in rows(*asked, "--blocks", "2,4", "--by", "two-best", "--scores", scores):
            for by, recall, weight in (("best", "recall", "weight_lost"),
                                       ("two-best", "recall_two_best", "weight_lost_two_best")):
                found = rcm.routing(160, 6, int(row["blocks"]), block=20, by=by, scores=scores,
                                    score_sd=2)
                assert found.recall == pytest.approx(float(row[recall]), abs=1e-6)
                assert found.weight_lost == float(row[weight])
    done = subprocess.run([PROGRAM, "blocks", *map(str, of_row), "--by", "best", "--blocks", "3",
                           "--rows", "10000", "--json"], check=True, capture_output=True, text=True,
                          timeout=100)
    drawn = json.loads(done.stdout)["drawn"]
    for by, name in (("best", "best"), ("two-best", "two_best")):
        found = rcm.routing(160, 6, 3, block=20, by=by, score_sd=2)
        for value, key in ((1 - found.recall, "loss"), (found.weight_lost, "weight_lost")):
            error = drawn[f"{key}_{name}_error"]
            assert abs(drawn[f"{key}_{name}"] - value) <= 5 * error and error < 0.01
    assert drawn["loss_ungrouped"] == 0 and drawn["load_largest"] == drawn["load_largest_exact"]
    with pytest.raises(ValueError, match="block 30 does not divide n = 160; give a divisor"):
        rcm.routing(160, 6, 3, block=30)
    with pytest.raises(ValueError, match="by 'mean' is not known; give one of best, two-best"):
        rcm.routing(160, 6, 3, block=20, by="mean")
    with pytest.raises(ValueError, match="score_sd is 17"):
        rcm.routing(160, 6, 3, block=20, score_sd=17)
