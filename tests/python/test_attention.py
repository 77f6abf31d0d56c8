"""Sparse attention in Python: NumPy, key by key; the command; wrong input.

Against: NumPy, key by key; the error that the command prints.
"""
import csv
import io
import os
import signal
import subprocess
import time

import numpy
import pytest

import recallmodel as rcm
from interrupting import cpu_seconds, listening

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def made(seed=1, query_heads=4, key_heads=2, n=400, n_q=20, d=16, d_v=12):
    """Keys, queries and values, and the first two before another rotation."""
    rng = numpy.random.default_rng(seed)

    def normal(*shape):
        return rng.standard_normal(shape, dtype=numpy.float32)

    return dict(queries=2 * normal(query_heads, n_q, d), keys=normal(key_heads, n, d),
                values=normal(key_heads, n, d_v), queries_unroped=2 * normal(query_heads, n_q, d),
                keys_unroped=normal(key_heads, n, d))


def dense(queries, keys, values, allowed, late=0, layer=None):
    """Attention over the keys j <= position with allowed(logits, position)[j], in float64; those
    logits are of the query so many positions before, if it is known, and of another layer, if its
    queries and keys are given."""
    heads, n_q, d = queries.shape
    out = numpy.zeros((heads, n_q, values.shape[2]))
    old_queries, old_keys = layer or (queries, keys)
    for h in range(heads):
        k, v, old = (x[h * len(keys) // heads].astype(float) for x in (keys, values, old_keys))
        for i in range(n_q):
            position = keys.shape[1] - n_q + i
            logits = k @ queries[h, i].astype(float) / d ** 0.5
            chooses = old @ old_queries[h, i - late if i >= late else i].astype(float)
            read = (numpy.arange(len(k)) <= position) & allowed(chooses, position)
            weights = numpy.where(read, numpy.exp(logits), 0)
            out[h, i] = weights @ v / weights.sum()
    return out


def test_output():
    x = made()

    def choose(wanted):
        def allowed(logits, position):
            read = numpy.arange(len(logits))
            read = (read < 2) | (read > position - 30)
            open_keys = numpy.flatnonzero(~read[:position + 1])
            read[open_keys[numpy.argsort(-logits[open_keys])[:wanted]]] = True
            return read
        return allowed

    for method, budget, wanted in (("full", 1, 400), ("topk", 0.1, 40), ("streaming", 0.1, 0),
                                   ("previous-query", 0.1, 40), ("hisa", 1, 400),
                                   ("quest", 1, 400), ("kmeans-unroped", 1, 400)):
        got = rcm.sparse_attention(**x, method=method, budget=budget, sink=2, window=30)
        want = dense(x["queries"], x["keys"], x["values"], choose(wanted),
                     late=method == "previous-query")
        assert got.output.dtype == numpy.float32
        assert numpy.abs(got.output - want).max() < 1e-5, method
        # The shares are those of a mean over the 20 positions, whose open keys are 349 to 368.
        visited = 0.1 if wanted == 40 else 0 if wanted == 0 else (349 + 19 / 2) / 400
        assert abs(got.visited - visited) < 1e-12, method
        assert abs(got.selectivity - got.visited - 32 / 400) < 1e-12, method


def test_old_selections(tmp_path):
    """Of the query some positions before, and of the layer before in the same file."""
    layers = [made(seed) for seed in (1, 2, 3)]
    command = [PROGRAM, "sparse", "--csv", "--budget", "0.1", "--sink", "2", "--window", "30",
               "--layers", "4,7,9", "--dense-layers", "4"]
    for axis in ("queries", "keys", "values"):
        numpy.save(tmp_path / f"{axis}.npy", numpy.stack([x[axis] for x in layers]))
        command += [f"--{axis}", str(tmp_path / f"{axis}.npy")]

    def top(logits, position):
        read = numpy.arange(len(logits))
        read = (read < 2) | (read > position - 30)
        open_keys = numpy.flatnonzero(~read[:position + 1])
        read[open_keys[numpy.argsort(-logits[open_keys])[:40]]] = True
        return read

    def alone(queries, keys, **_):
        return queries, keys

    def together(queries, keys, **_):
        """Scores that the heads of a key head share, as queries, with unit vectors as keys: the
        sum of their softmax over the open keys."""
        n, (heads, n_q, d) = keys.shape[1], queries.shape
        weights = numpy.zeros((heads, n_q, n))
        for h, i in numpy.ndindex(heads, n_q):
            opened = slice(2, n - n_q + i - 29)
            logits = keys[h * len(keys) // heads, opened].astype(float) @ queries[h, i] / d ** 0.5
            weights[h, i, opened] = numpy.exp(logits) / numpy.exp(logits).sum()
        group = heads // len(keys)
        summed = weights.reshape(-1, group, n_q, n).sum(1)
        return summed.repeat(group, axis=0), numpy.stack([numpy.eye(n)] * len(keys))

    def error(late=0, scored=None):
        """Over the layers 7 and 9; layer 4 reads all keys."""
        parts = []
        for before, x in zip(layers, layers[1:]):
            options = {"late": late, "layer": scored and scored(**before)}
            read = dense(x["queries"], x["keys"], x["values"], top, **options)
            full = dense(x["queries"], x["keys"], x["values"], lambda logits, position: True)
            parts.append((((read - full) ** 2).sum(), (full ** 2).sum()))
        return numpy.divide(*numpy.sum(parts, 0))

    for arguments, options in ((["previous-query"], {"late": 1}),
                               (["previous-query", "--lag", "3"], {"late": 3}),
                               (["previous-layer"], {"scored": alone}),
                               (["previous-layer", "--share"], {"scored": together})):
        done = subprocess.run(command + ["--method", *arguments], check=True, capture_output=True,
                              text=True, timeout=60)
        row = next(csv.DictReader(io.StringIO(done.stdout)))
        assert abs(error(**options) / float(row["error"]) - 1) < 1e-4, arguments
    for read_in_full in "none", "9":
        command[command.index("--dense-layers") + 1] = read_in_full
        done = subprocess.run(command + ["--method", "previous-layer"], capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 2 and "none before it" in done.stderr, done.stderr
    with pytest.raises(ValueError, match="needs the layer before"):
        rcm.sparse_attention(**layers[0], method="previous-layer", budget=0.1)


def test_int8_keys():
    """Keys of 8 bits are those that are rounded before."""
    x = made()
    scale = numpy.abs(x["keys"]).max(axis=2, keepdims=True) / numpy.float32(127)
    rounded = {**x, "keys": numpy.rint(x["keys"] / scale) * scale}
    for method in ("full", "topk"):
        given, got, want = (rcm.sparse_attention(**y, method=method, budget=0.1, **options)
                            for y, options in ((x, {}), (x, {"int8_keys": True}), (rounded, {})))
        assert numpy.abs(got.output - want.output).max() < 1e-5, method
        assert numpy.abs(got.output - given.output).max() > 1e-3, method
        assert got.bytes_read < given.bytes_read


def test_is_the_command(tmp_path):
    x = made(2)
    for name, array in x.items():
        numpy.save(tmp_path / f"{name}.npy", array)
    full = dense(x["queries"], x["keys"], x["values"], lambda logits, position: True)
    for method, name in (("bucketed", "k_b"), ("kmeans-unroped", "clusters"), ("sparq", None)):
        given = {name: 5} if name else {}
        command = [PROGRAM, "sparse", "--csv", "--method", method, "--budget", "0.2", "--window",
                   "16", "--dense-layers", "none"]
        command += [f"--{name.replace('_', '')}", "5"] if name else []
        for axis in x:
            command += [f"--{axis.replace('_', '-')}", str(tmp_path / f"{axis}.npy")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        row = next(csv.DictReader(io.StringIO(done.stdout)))
        got = rcm.sparse_attention(**x, method=method, budget=0.2, window=16, **given)
        error = ((got.output - full) ** 2).sum() / (full ** 2).sum()
        assert abs(error - float(row["error"])) < 1e-5, method
        assert abs(got.visited - float(row["visited"])) < 1e-9, method
        again = rcm.sparse_attention(**x, method=method, budget=0.2, window=16, threads=1, **given)
        assert numpy.array_equal(got.output, again.output)


def test_index(tmp_path):
    """What the command trains and saves gives its numbers here, too."""
    files, x = [], made(3)
    for name, array in x.items():
        numpy.save(tmp_path / f"{name}.npy", array)
        files += [f"--{name.replace('_', '-')}", str(tmp_path / f"{name}.npy")]
    elsewhere = made(4, n_q=100)
    for name in ("keys", "queries", "keys_unroped", "queries_unroped"):
        numpy.save(tmp_path / f"train-{name}.npy", elsewhere[name])
        files += [f"--train-{name.replace('_', '-')}", str(tmp_path / f"train-{name}.npy")]
    index = tmp_path / "of layer 7.index"
    methods = "kmeans,kmeans-unroped,saap,saap-roped"
    done = subprocess.run([PROGRAM, "sparse", "--csv", "--layers", "7", "--method", methods,
                           "--budget", "0.2", "--window", "16", "--clusters", "6", *files,
                           "--train-steps", "3", "--train-width", "4", "--save", str(index)],
                          check=True, capture_output=True, text=True, timeout=60)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert ",".join(row["method"] for row in rows) == methods
    full = dense(x["queries"], x["keys"], x["values"], lambda logits, position: True)
    for row in rows:
        got = rcm.sparse_attention(**x, method=row["method"], budget=0.2, window=16, index=index,
                                   layer=7)
        error = ((got.output - full) ** 2).sum() / (full ** 2).sum()
        assert abs(error - float(row["error"])) < 1e-5, row["method"]
        assert abs(got.visited - float(row["visited"])) < 1e-9, row["method"]
    own = rcm.sparse_attention(**x, method="kmeans", budget=0.2, window=16, clusters=6)
    assert abs(own.visited - float(rows[0]["visited"])) > 1e-6
    for given, words in ((dict(index=index), "unknown layer"),
                         (dict(index=index, layer=8), "layer 8"),
                         (dict(index=tmp_path / "none", layer=7), "none cannot be read"),
                         (dict(index=index, layer=-1), "layer must not")):
        with pytest.raises(ValueError, match=words):
            rcm.sparse_attention(**x, method="saap", **given)


@pytest.mark.parametrize("change, words", [
    (dict(method="none"), "give one of full, streaming"),
    (dict(budget=0), "budget must be in"),
    (dict(window=-1), "window must not be negative"),
    (dict(method="saap"), "needs query models"),
    (dict(method="lsh-argmax-query"), "queries of all positions"),
    (dict(method="kmeans", clusters=0), "clusters 0 is outside \\[1, 1048576\\]"),
    (dict(method="bucketed", k_b=0), "^k_b 0 is outside"),
    (dict(inside=1.5), "^inside 1.5 is outside \\(0, 1\\]"),
    (dict(method="bucketed", assignment="odd"), "give one of interleaved"),
    (dict(colour=1), "there is no option colour"),
    (dict(values=numpy.zeros((2, 399, 12))), "values has 2 heads of 399 positions"),
    (dict(queries=numpy.zeros((3, 20, 16))), "3 query heads are not a multiple of 2"),
    (dict(queries=numpy.zeros((4, 20, 15))), "queries has d = 15"),
    (dict(queries=numpy.zeros((4, 401, 16))), "401 queries, but 400 keys"),
    (dict(keys=numpy.full((2, 400, 16), numpy.nan)), "keys has a number that is not finite"),
    (dict(queries=numpy.zeros((4, 20))), "give \\[heads, positions, d\\]"),
    (dict(keys_unroped=numpy.zeros((2, 400, 8))), "keys_unroped has the shape"),
    (dict(keys_unroped=None), "give both or none"),
])
def test_wrong_input(change, words):
    with pytest.raises(ValueError, match=words):
        rcm.sparse_attention(**{**made(), **change})


def test_methods():
    names = rcm.attention_methods()
    assert names[:4] == ("full", "streaming", "random", "topk") and "kmeans-unroped" in names
    with pytest.raises(TypeError, match="queries must be floats"):
        rcm.sparse_attention(**{**made(), "queries": numpy.zeros((4, 20, 16), int)})


ENDLESS = """import numpy, recallmodel as rcm, time
x = numpy.random.default_rng(1).standard_normal((1, 200000, 32), dtype="float32")
print("ready", flush=True)
try:
    rcm.sparse_attention(x[:, -N_Q:], x, x, METHOD, budget=0.5, OPTIONS)
except KeyboardInterrupt:
    print("interrupted", rcm.sparse_attention(x[:, -2:], x[:, :300], x[:, :300]).output.shape)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc")
@pytest.mark.parametrize("method, n_q, options", [
    ("kmeans", 16, "clusters=4096, iterations=10**6"), ("kmeans", 16, "clusters=100000"),
    ("lsh-magicpig", 16, "bits=32, tables=1000"), ("full", 10**5, "")],
    ids=["iterations", "seeds", "hashes", "full"])
def test_interrupt(method, n_q, options):
    """Ctrl-C ends what would take minutes, and the next call works."""
    program = ENDLESS.replace("METHOD", repr(method)).replace("OPTIONS", options)
    program = program.replace("N_Q", str(n_q))
    with listening(program) as process:
        process.stdout.readline()
        begun = cpu_seconds(process)
        while process.poll() is None and cpu_seconds(process) < begun + 0.5:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, error = process.communicate(timeout=60)
        took = time.monotonic() - sent
    assert process.returncode == 0 and "interrupted (1, 2, 32)" in out, (out, error)
    assert took < 10, took  # well below one second where nothing else runs
