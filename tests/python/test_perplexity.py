"""tools/real_tensors: perplexity.py, needles.py and repetition.py on a tiny Llama.

what `make real-tensors WHAT=perplexity`, `WHAT=needles` and `WHAT=repetition` run, on the tiny
Llama: rows, continuing, stated layers, what was trained, bad options. Against: attention key by key
in NumPy; a greedy answer.
"""
import csv
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import tiny_llama

pytest.importorskip("gguf", reason="make check-rest installs gguf")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from real_tensors import needles, perplexity, repetition  # noqa: E402
from real_tensors.gguf_file import GgufFile  # noqa: E402
from real_tensors.model import Llama, dense_attention  # noqa: E402
from real_tensors.tokens import Tokenizer  # noqa: E402

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
TEXT = "the thing in the other ring, then a 10.\n" * 5


def run(folder, *more):
    (folder / "doc.txt").write_text(TEXT)
    return perplexity.main(["--model", str(tiny_llama.PATH), "--text", str(folder / "doc.txt"),
                            "--out", str(folder / "out.csv"), "--cache", str(folder / "cache"),
                            "--tokens", "60", "--last", "20", "--sink", "1", "--window", "8",
                            *more])


def rows(folder):
    with open(folder / "out.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tail_by_hand(allowed, first=40):
    """The losses behind the tokens from `first` on, of 60; layer 1 reads the keys j with allowed(i,
    logits)."""
    tokens = Tokenizer(GgufFile(tiny_llama.PATH).metadata).encode(TEXT)[:60]
    model = Llama.load(tiny_llama.PATH)

    def attend(layer, q, k, v, *unroped):
        if layer == 0:
            return dense_attention(q, k, v)
        out = np.empty_like(q)
        for h in range(len(q)):
            for i in range(first, 60):
                logits = k[h // 2, :i + 1].astype(float) @ q[h, i - first] / 8 ** 0.5
                weights = np.where(allowed(i, logits), np.exp(logits - logits.max()), 0)
                out[h, i - first] = weights @ v[h // 2, :i + 1] / weights.sum()
        return out

    model.forward(tokens[:first])
    return model.tail_losses(tokens, first, attend)


def best(position, logits):
    """The first key, the last 8, and the 12 best of the others: 20 % of 60."""
    open_keys = np.arange(1, position + 1 - 8)
    read = np.ones(len(logits), bool)
    read[open_keys] = False
    read[open_keys[np.argsort(-logits[open_keys])[:12]]] = True
    return read


def test_rows(tmp_path, capsys):
    assert run(tmp_path, "--methods", "topk,kmeans", "--budgets", "0.2,1") == 0
    found = {(row["method"], row["budget"]): row for row in rows(tmp_path)}
    assert list(found) == [("full", "1"), ("streaming", "0.2"), ("topk", "0.2"), ("kmeans", "0.2"),
                           ("topk", "1"), ("kmeans", "1")]
    dense = tail_by_hand(lambda position, logits: True)
    for method, allowed in (("full", lambda position, logits: True), ("topk", best)):
        losses = tail_by_hand(allowed)
        row = found[method, "1" if method == "full" else "0.2"]
        assert abs(float(row["loss"]) - losses.mean()) < 1e-5
        assert abs(float(row["perplexity"]) / np.exp(losses.mean()) - 1) < 1e-5
        assert abs(float(row["over_full"]) - (losses - dense).mean()) < 1e-5
    assert found["topk", "0.2"]["visited"] == "0.2" and found["streaming", "0.2"]["visited"] == "0"
    assert abs(float(found["kmeans", "1"]["over_full"])) < 1e-5
    assert float(found["streaming", "0.2"]["over_full"]) != 0
    # The same command continues: only what is missing is added, from the same keys and values.
    whole = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text("".join(whole.splitlines(True)[:3]))
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert run(tmp_path, "--methods", "topk,kmeans", "--budgets", "0.2,1") == 0
    assert (tmp_path / "out.csv").read_text() == whole
    assert "doc: kmeans 1: perplexity" in capsys.readouterr().out


def test_stated_layers(tmp_path):
    """A method in one layer alone: in layer 1 of two, it is what it is in all but the first."""
    assert run(tmp_path, "--methods", "topk", "--budgets", "0.2") == 0
    assert run(tmp_path, "--methods", "topk", "--budgets", "0.2", "--layers", "1") == 0
    assert run(tmp_path, "--methods", "topk", "--budgets", "0.2", "--layers", "0,1") == 0
    found = [(row["layers"], row["method"], row["loss"]) for row in rows(tmp_path)]
    assert [name for name, _, _ in found] == ["none", *["all but 0"] * 2, *["1"] * 2, *["0 1"] * 2]
    losses = {(layers, method): loss for layers, method, loss in found}
    for method in ("streaming", "topk"):
        assert losses["1", method] == losses["all but 0", method] != losses["0 1", method]


def test_trained(tmp_path):
    """Centroids of layer 1 from a file; those of the document itself give something else."""
    (tmp_path / "doc.txt").write_text(TEXT)
    tokens = Tokenizer(GgufFile(tiny_llama.PATH).metadata).encode(TEXT)[:60]
    model = Llama.load(tiny_llama.PATH)
    files = []

    def record(layer, q, k, v, q_unroped, k_unroped):
        if layer == 1:
            for name, array in (("queries", q), ("keys", k)):
                np.save(tmp_path / f"{name}.npy", array)
                files.extend([f"--train-{name}", str(tmp_path / f"{name}.npy"),
                              f"--{name}", str(tmp_path / f"{name}.npy")])

    model.forward(tokens, record)
    (tmp_path / "trained").mkdir()
    subprocess.run([PROGRAM, "sparse", "--layers", "1", "--method", "kmeans,saap-roped", "--budget",
                    "0.2", "--window", "8", "--clusters", "4", "--train-steps", "3",
                    "--train-width", "4", *files, "--save", tmp_path / "trained/layer-01.index"],
                   check=True, capture_output=True, timeout=60)
    methods = "kmeans,kmeans-trained,saap-roped"
    assert run(tmp_path, "--methods", methods, "--budgets", "0.4", "--layers", "1", "--trained",
               str(tmp_path / "trained")) == 0
    found = rows(tmp_path)
    assert [row["method"] for row in found[2:]] == methods.split(",")
    assert len({row["loss"] for row in found}) == 5
    # What the layer has nothing for is refused, and the rows stay.
    assert run(tmp_path, "--methods", "saap", "--budgets", "0.4", "--layers", "1", "--trained",
               str(tmp_path / "trained")) == 2
    assert rows(tmp_path) == found


def test_other_columns(tmp_path, capsys):
    (tmp_path / "out.csv").write_text("method,loss\ntopk,1\n")
    assert run(tmp_path) == 2
    assert "it has other columns" in capsys.readouterr().err
    assert (tmp_path / "out.csv").read_text() == "method,loss\ntopk,1\n"


def test_standard_error():
    full = np.zeros(256)
    losses = np.repeat([1.0, 2.0, 3.0, 6.0], 64)
    mean, error = perplexity.over_full(losses, full)
    assert mean == 3 and abs(error - (14 / 3) ** 0.5 / 2) < 1e-12
    assert np.isnan(perplexity.over_full(losses[:100], full[:100])[1])


@pytest.mark.parametrize("arguments, words", [
    (["--methods", "best"], "there is no best; known: full, streaming"),
    (["--budgets", "0.1,2"], "--budgets 2: give shares"),
    (["--layers", "1,2"], "--layers 1,2: give numbers from 0 to 1"),
    (["--layers", "1,"], "--layers 1,: give numbers"),
    (["--methods", "saap"], "saap needs what was trained; give --trained"),
    (["--methods", "kmeans-trained"], "kmeans-trained needs what was trained"),
    (["--last", "60"], "--last 60: give 2 to 59"),
    (["--tokens", "65"], "the model takes 2 to 64"),
    (["--model", "none.gguf"], "none.gguf"),
])
def test_refuses(tmp_path, capsys, arguments, words):
    assert run(tmp_path, *arguments) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


class Words:
    """A tokenizer of characters, which knows what the needles are written with."""

    def encode(self, text):
        return [ord(letter) for letter in text]

    def decode(self, numbers):
        return "".join(map(chr, numbers))


def test_text_with_keys():
    tokens = Words().encode("some words in a row. " * 200)
    text, places = needles.text_with_keys(tokens, Words(), 1500)
    assert len(text) == 1500
    whole = Words().decode(text)
    for i, ((house, key), place) in enumerate(zip(needles.HOUSES, places)):
        sentence = f" The pass key of the {house} house is {key}."
        assert whole[place:].startswith(sentence) and whole.count(sentence) == 1
        assert whole[place - 1] == "."
        assert abs(place / 1500 - (2 * i + 1) / 8) < 0.05
    for house, key in needles.HOUSES:
        whole = whole.replace(f" The pass key of the {house} house is {key}.", "")
    assert whole == Words().decode(tokens[:len(whole)])


class Answers:
    """In place of a model: its most likely tokens are those of a text, one place on."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.length = None

    def truncate(self, length):
        self.length = length

    def forward(self, tokens, attention):
        assert Words().decode(tokens).endswith("The pass key of the red house is 3186")
        return np.arange(len(tokens))

    def logits(self, hidden):
        rows = np.zeros((len(hidden), 128))
        rows[np.arange(len(hidden)), Words().encode(self.wanted)] = 1
        return rows


@pytest.mark.parametrize("wanted, right", [("31864", 5), ("31865", 4), ("91804", 3)])
def test_ask(wanted, right):
    model = Answers(wanted)
    assert needles.ask(model, Words(), "red", "31864", 70, None) == (right, 5)
    assert model.length == 70


def test_needles_continue(tmp_path, monkeypatch):
    """Four rows for each length and method, at once; what is there is not asked for again."""
    asked = []

    def ask(model, tokenizer, house, key, length, attention):
        asked.append(house)
        return 5 - len(asked) % 2, 5

    monkeypatch.setattr(needles, "ask", ask)
    model = types.SimpleNamespace(
        config=types.SimpleNamespace(name="made", context=2000), truncate=lambda length: None,
        forward=lambda tokens: None)
    row = types.SimpleNamespace(name="doc", find=lambda: ("some words in a row. " * 200, ""))
    options = types.SimpleNamespace(out=tmp_path / "out.csv", methods="topk,kmeans", budget=0.05,
                                    dense_layers="0", trained=None, sink=1, window=8)
    needles.run_length(model, Words(), row, 1500, options)
    found = rows(tmp_path)
    assert [each["method"] for each in found[::4]] == ["full", "streaming", "topk", "kmeans"]
    assert [each["house"] for each in found[:4]] == asked[:4] == ["blue", "green", "red", "white"]
    assert [(each["digits"], each["found"]) for each in found[:2]] == [("4", "0"), ("5", "1")]
    whole = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text("".join(whole.splitlines(True)[:13]))
    asked.clear()
    needles.run_length(model, Words(), row, 1500, options)
    assert len(asked) == 4 and (tmp_path / "out.csv").read_text() == whole
    with pytest.raises(needles.Refused, match="--lengths 1950: with the question the model takes"):
        needles.run_length(model, Words(), row, 1950, options)


def repeat(folder, *more):
    (folder / "doc.txt").write_text(TEXT)
    return repetition.main(["--model", str(tiny_llama.PATH), "--text", str(folder / "doc.txt"),
                            "--out", str(folder / "out.csv"), "--tokens", "60", "--prompt", "4",
                            "--last", "20", "--samples", "1", "--parts", "4,2", "--window", "8",
                            "--components", "8", *more])


def best_of_buckets(shape):
    """The last 8 and the K best candidates: the k_b best of each bucket of the others."""
    k, k_b, ratio = (int(shape[name]) for name in ("k", "k_b", "candidates_over_k"))

    def allowed(position, logits):
        n = position + 1 - 8
        b = -(-ratio * k // k_b)
        buckets = [range(i, n, b) for i in range(b)]
        if shape["assignment"] == "contiguous":
            buckets = np.array_split(np.arange(n), b)
        kept = [j for bucket in buckets for j in sorted(bucket, key=lambda j: -logits[j])[:k_b]]
        read = np.arange(len(logits)) >= n
        read[sorted(kept, key=lambda j: -logits[j])[:k]] = True
        return read

    return allowed


def test_repetition_rows(tmp_path):
    assert repeat(tmp_path) == 0
    found = rows(tmp_path)
    # All keys; then for k = n/4 and n/2 the exact top-k, and buckets that can lose a key.
    assert [row["k"] for row in found] == [""] + ["15"] * (1 + 16) + ["30"] * (1 + 8)
    assert [row["k_b"] for row in found].count("") == 3
    losses = {tuple(row[name] for name in repetition.SHAPE): float(row["loss"]) for row in found}
    assert abs(losses["", "", "", ""] - tail_by_hand(lambda i, logits: True, 39).mean()) < 1e-5
    tried = [row for row in found if row["k_b"] in ("2", "4")]
    for row in tried:
        by_hand = tail_by_hand(best_of_buckets(row), 39).mean()
        assert abs(float(row["loss"]) - by_hand) < 1e-5, row
    assert len({row["loss"] for row in tried}) > len(tried) / 2
    # The same command has nothing left to do.
    whole = (tmp_path / "out.csv").read_text()
    assert repeat(tmp_path) == 0 and (tmp_path / "out.csv").read_text() == whole


def test_repetition_is_greedy(monkeypatch):
    """The characters that are right are those of a greedy answer, up to where it leaves the text.
    The 200 texts are drawn tokens, of which the model repeats a few."""
    model = Llama.load(tiny_llama.PATH)
    tokenizer = Tokenizer(GgufFile(tiny_llama.PATH).metadata)
    options = repetition.parse_arguments(["--out", "-", "--tokens", "24", "--prompt", "4",
                                          "--last", "6"])
    monkeypatch.setattr(repetition, "shapes_of",
                        lambda options: [dict.fromkeys(repetition.SHAPE, "")])
    repeated = 0
    for seed in range(200):
        part = np.random.default_rng(seed).choice(tokenizer.encode(TEXT), 24).tolist()
        row, = repetition.run_sample(model, tokenizer, part, 0, options)
        model.truncate(0)  # 14 tokens begin, the prompt is the first 4, and 6 are to be repeated
        model.forward(part[:14] + part[:3])
        answer = model.continue_greedily(part[3], 6)
        same = next((i for i in range(6) if answer[i] != part[4 + i]), 6)
        assert row["characters"] == len(tokenizer.decode(part[4:4 + same]))
        repeated += same > 0
    assert repeated >= 2


def test_lengths():
    """From each place to the next wrong token; letters of a token count together."""
    right, letters = [True, True, False, True], [3, 1, 2, 5]
    assert repetition.lengths(right, letters) == [4, 1, 0, 5]


@pytest.mark.parametrize("arguments, words", [
    (["--tokens", "65"], "the model takes 2 to 64"),
    (["--prompt", "1"], "--prompt and --last"),
    (["--last", "40"], "together at most half of --tokens"),
    (["--parts", "16,0"], "--parts 0: give numbers from 1"),
    (["--samples", "4"], "has only"),
    (["--components", "9"], "components"),
])
def test_repetition_refuses(tmp_path, capsys, arguments, words):
    assert repeat(tmp_path, *arguments) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
