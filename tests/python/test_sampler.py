"""How buckets change the token that a sampler draws.

Against: whole rows of normal scores, bucketed by position, through the chain in plain NumPy, and
tokens that are drawn; the command, digit for digit.
"""
import json
import os
import subprocess

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
N, K, SD, ROWS, SHOWN = 32000, 50, 3.0, 1000, 300
CHAINS = ("top-k", "top-k,top-p=0.9", "top-k,top-p=0.5", "temperature=1.25,top-p=0.4,top-k",
          "top-k,typical=0.8,top-p=0.95,min-p=0.02,temperature=0.8")


def fewest(weight, order, enough):
    """Those first in this order that weigh enough: a mask."""
    count = int((numpy.cumsum(weight[order]) < enough * (1 - 1e-12)).sum()) + 1
    kept = numpy.zeros(len(weight), bool)
    kept[order[:count]] = True
    return kept


def plain(chain, score, alive, row):
    """The weights of tokens after a chain, `alive` those that top-k may take; row: all scores."""
    temperature, kept = 1.0, numpy.ones(len(score), bool)
    whole = True
    for step in chain.split(","):
        name, _, value = step.partition("=")
        if name == "temperature":
            temperature = float(value)
        weight = numpy.where(kept, numpy.exp(score / temperature), 0)
        falling = numpy.arange(len(score))
        if name == "top-k":
            kept &= alive
            kept[numpy.flatnonzero(kept)[K:]] = False
            whole = False
        elif name == "top-p":
            mass = numpy.exp(row / temperature).sum() if whole else weight.sum()
            kept &= fewest(weight, falling, float(value) * mass)
        elif name == "min-p":
            kept &= weight >= float(value) * weight.max()
        elif name == "typical":
            p = weight[kept] / weight.sum()
            surprise = numpy.full(len(score), numpy.inf)
            surprise[kept] = abs(-numpy.log(p) + (p * numpy.log(p)).sum())
            kept &= fewest(weight, numpy.argsort(surprise, kind="stable"),
                           float(value) * weight.sum())
    return numpy.where(kept, numpy.exp(score / temperature), 0)


def drawn(weight, u, order):
    """The token at which the sum of the weights in this order passes u of all."""
    sums = numpy.cumsum(weight[order])
    return order[min(int(numpy.searchsorted(sums, u * sums[-1], side="right")), len(order) - 1)]


def simulate(b, k_b, seed):
    """By chain: total variation, and whether the token differs by noise, rank and position."""
    random = numpy.random.default_rng(seed)
    values = numpy.empty((len(CHAINS), 4, ROWS))
    for r in range(ROWS):
        row = SD * random.standard_normal(N)
        top = numpy.argpartition(-row, SHOWN)[:SHOWN]
        top = top[numpy.argsort(-row[top])]
        row -= row[top[0]]
        held = numpy.zeros(b, int)
        alive = numpy.empty(SHOWN, bool)
        for j, place in enumerate(top):
            held[place % b] += 1
            alive[j] = held[place % b] <= k_b
        noise, u = random.exponential(size=SHOWN), random.random()
        for c, chain in enumerate(CHAINS):
            exact = plain(chain, row[top], numpy.ones(SHOWN, bool), row)
            other = plain(chain, row[top], alive, row)
            values[c, 0, r] = 0.5 * abs(exact / exact.sum() - other / other.sum()).sum()
            values[c, 1, r] = numpy.argmax(exact / noise) != numpy.argmax(other / noise)
            for i, order in enumerate((numpy.arange(SHOWN), numpy.argsort(top)), 2):
                values[c, i, r] = drawn(exact, u, order) != drawn(other, u, order)
    return values


# |z| > 5 by chance: 6e-7 a number, of 40. The seeds are fixed.
@pytest.mark.parametrize("b, k_b", [(22, 4), (468, 1)])
def test_whole_rows(b, k_b):
    values = simulate(b, k_b, 100 * b)
    for chain, of_chain in zip(CHAINS, values):
        got = rcm.token_change(K, b, k_b, chain=chain, n=N, score_sd=SD)
        for name, one in zip(("total_variation", "differs", "differs_by_rank",
                              "differs_by_position"), of_chain):
            want = getattr(got, name)
            error = numpy.hypot(max(one.std(), 1 / ROWS) / ROWS**0.5, got.error)
            assert abs(one.mean() - want) < 5 * error, (chain, name, one.mean(), want, error)
            assert error < 0.2 * want + 0.003
        above = (of_chain[0] > got.quantile + 1e-12).mean()
        assert above < 0.05 + 5 * (0.05 * 0.95 / ROWS)**0.5, (chain, above)


def test_lost_mass_is_not_the_change():
    """Against 8000 whole rows of each shape, simulated as above: the change and the lost mass, with
    their standard errors. The draws of the latter have that of 4096 rows."""
    for b, k_b, chain, want, error, lost, lost_error in (
            (22, 4, "top-k", 0.01680, 0.00015, 0.01680, 0.00015),
            (22, 4, "top-k,top-p=0.9", 0.00707, 0.00011, 0.00613, 0.00012),
            (22, 4, "top-k,top-p=0.5", 0.00356, 0.00016, 0.00001, 0.00001),
            (468, 1, "top-k", 0.02388, 0.00021, 0.02388, 0.00021),
            (468, 1, "top-k,top-p=0.9", 0.01815, 0.00022, 0.01776, 0.00022),
            (468, 1, "top-k,top-p=0.5", 0.01129, 0.00031, 0.00425, 0.00023)):
        got = rcm.token_change(K, b, k_b, chain=chain, n=N, score_sd=SD)
        assert abs(got.total_variation - want) < 5 * numpy.hypot(error, got.error), chain
        assert abs(got.lost_mass - lost) < 5 * 1.7 * lost_error, chain
        assert got.total_variation > got.lost_mass - 3 * got.error
        assert got.total_variation <= got.differs <= 2 * got.total_variation


def test_as_the_command():
    chain = "temperature=0.8,top-k,top-p=0.9,min-p=0.05"
    done = subprocess.run([PROGRAM, "recall", "--n", "32000", "--k", "50", "--b", "30", "--kb", "3",
                           "--score-sd", "2", "--chain", chain, "--quantile", "0.1", "--json"],
                          check=True, capture_output=True, text=True, timeout=100)
    shape = json.loads(done.stdout)["configurations"][0]
    got = rcm.token_change(50, 30, 3, chain=chain, n=N, score_sd=2, rest=0.1)
    assert shape["token_change"].pop("chain") == chain
    assert {name: pytest.approx(getattr(got, name), rel=1e-12)
            for name in shape["token_change"]} == shape["token_change"]
    assert shape["lost_mass"] == pytest.approx(got.lost_mass, rel=1e-9)


def test_own_rows():
    """As probabilities, and as scores; and equal tokens, of which any is as good."""
    logits = 2 * numpy.random.default_rng(3).standard_normal((50, 400))
    arguments = dict(k=20, b=9, k_b=4, chain="top-k,top-p=0.7")
    by_scores = rcm.token_change(**arguments, rows=logits)
    weights = numpy.exp(logits)
    by_share = rcm.token_change(**arguments, rows=weights / weights.sum(axis=1, keepdims=True),
                                probabilities=True)
    assert by_share.total_variation == pytest.approx(by_scores.total_variation, rel=1e-9)
    equal = rcm.token_change(20, 9, 4, rows=numpy.zeros((2, 400)))
    assert equal.total_variation == pytest.approx(1 - rcm.recall(400, 20, b=9, k_b=4), rel=0.05)
    assert equal.differs == pytest.approx(2 * equal.total_variation, rel=0.1)


@pytest.mark.parametrize("arguments, text", [
    (dict(chain="top_p=0.5"), "chain 'top_p=0.5' has the step 'top_p'"),
    (dict(chain="typical=0.5,top-k"), "typical before top-k"), (dict(score_sd=None), "give either"),
    (dict(rows=numpy.zeros((1, 9))), "give either"), (dict(score_sd=99), "is not in 0"),
    (dict(rest=1.5), "rest = 1.5"), (dict(n=None, score_sd=None, rows=numpy.full((1, 60),
                                                                               -numpy.inf)), "row"),
    (dict(chain=None), "chain must be a text"), (dict(chain="top-k=5"), "give it as k$"),
    (dict(n=None), "give n"), (dict(k=0), "k"), (dict(b=10**9), "b")])
def test_faults(arguments, text):
    with pytest.raises((ValueError, TypeError), match=text):
        rcm.token_change(**{**dict(k=5, b=5, k_b=1, n=100, score_sd=1), **arguments})
