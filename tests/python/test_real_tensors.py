"""tools/real_tensors on a tiny Llama: reader, tokenizer, RoPE, forward pass, files.

what `make real-tensors` runs, on a Llama with random weights that is committed
(`tiny_llama.gguf`): the reader, the tokenizer, RoPE with each scaling, the forward pass in one
piece and in pieces, attention of the caller's own, the files, what is left out or refused,
Ctrl-C and the same command again. Against: loops over single numbers that unpack the bytes and
rotate interleaved pairs (1e-5); the formulas of the scalings; damaged files.
"""
import json
import math
import pathlib
import struct
import sys

import numpy as np
import pytest

import tiny_llama
from plain_llama import D, dot, plain_forward, plain_weights, times, to_halves, turn_interleaved

pytest.importorskip("gguf", reason="make check-rest installs gguf")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from real_tensors import __main__ as command  # noqa: E402
from real_tensors import masses, rope, writing  # noqa: E402
from real_tensors.gguf_file import GgufError, GgufFile  # noqa: E402
from real_tensors.model import Llama, attention_logits, dense_attention  # noqa: E402
from real_tensors.tokens import Tokenizer  # noqa: E402

FORWARD_MAX_ERROR = 1e-5
TEXT = "the thing in the other ring, then a 10.\n" * 3


@pytest.fixture(scope="module")
def plain():
    weights = plain_weights()
    tokens = Tokenizer(GgufFile(tiny_llama.PATH).metadata).encode(TEXT)[:40]
    return (weights, tokens, *plain_forward(weights, tokens))


@pytest.fixture
def model():
    return Llama.load(tiny_llama.PATH)


def assert_near(found, wanted):
    wanted = np.asarray(wanted)
    assert np.shape(found) == wanted.shape
    assert np.abs(found - wanted).max() <= FORWARD_MAX_ERROR * max(1.0, np.abs(wanted).max())


def test_the_committed_file_is_what_the_script_writes(tmp_path):
    tiny_llama.write_gguf(tmp_path / "again.gguf", tiny_llama.METADATA, tiny_llama.tiny_tensors())
    assert (tmp_path / "again.gguf").read_bytes() == tiny_llama.PATH.read_bytes()


def test_reader(plain):
    gguf = GgufFile(tiny_llama.PATH)
    for key, wanted in tiny_llama.METADATA.items():
        found = gguf.metadata[key]
        assert found == (list(wanted) if isinstance(wanted, tuple) else pytest.approx(wanted, 1e-6)
                         if isinstance(wanted, float) else wanted), key
    assert {gguf.type_name(name) for name in gguf.shapes} == set(tiny_llama.TYPES)
    for name, wanted in plain[0].items():
        assert gguf.tensor(name).dtype == np.float32
        np.testing.assert_allclose(gguf.tensor(name), wanted, rtol=1e-6, atol=1e-7, err_msg=name)


def test_reader_refuses(tmp_path):
    whole = tiny_llama.PATH.read_bytes()
    path = tmp_path / "bad.gguf"
    for cut in (0, 3, 20, 100, 1000, 2000):
        path.write_bytes(whole[:cut])
        with pytest.raises(GgufError):
            GgufFile(path)
    path.write_bytes(whole[:-100])
    with pytest.raises(GgufError, match="cut short or damaged"):
        Llama.load(path)
    path.write_bytes(whole[:4] + struct.pack("<I", 9) + whole[8:])
    with pytest.raises(GgufError, match=r"not a GGUF file.*\b9\b"):
        GgufFile(path)
    for change, message in (({"general.architecture": "gpt2"}, "only llama"),
                            ({"general.alignment": 0}, "not a GGUF file"),
                            ({"llama.attention.head_count_kv": 3}, "4 query heads, 3 key heads"),
                            ({"llama.attention.head_count_kv": 0}, "give the sizes"),
                            ({"llama.attention.head_count": 0}, "32 components in 0 heads"),
                            ({"llama.attention.head_count_kv": 4}, "attn_k.weight is .16, 32."),
                            ({"llama.rope.dimension_count": 4}, "part of the head")):
        tiny_llama.write_gguf(path, {**tiny_llama.METADATA, **change}, tiny_llama.tiny_tensors())
        with pytest.raises(GgufError, match=message):
            Llama.load(path)


def test_tokenizer():
    tokenizer = Tokenizer(GgufFile(tiny_llama.PATH).metadata)
    number = {token: i for i, token in enumerate(tiny_llama.TOKENS)}

    def tokens(text):
        return [tiny_llama.TOKENS[i] for i in tokenizer.encode(text)]

    assert tokens("the thing") == ["the", "\u0120", "th", "ing"]
    assert tokens("in the") == ["in", "\u0120the"]
    assert tokens("a  10.\n") == ["a", "\u0120", "\u0120", "1", "0", ".", "\u010a"]
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT
    assert number["the"] == tokenizer.encode("the")[0]
    with pytest.raises(ValueError, match="no token"):
        tokenizer.encode("Z")
    assert tokens(" 42 a") == ["\u0120", "4", "2", "\u0120a"]


def test_forward_against_plain_loops(model, plain):
    weights, tokens, states, seen = plain
    written = {}

    def record(layer, *tensors):
        written[layer] = [tensor.copy() for tensor in tensors]

    hidden = model.forward(tokens, record)
    assert_near(hidden, states)
    rows = [times(weights["token_embd.weight"], x) for x in states]
    assert_near(model.logits(hidden), rows)
    for layer, (q, k, v) in enumerate(seen):
        assert_near(written[layer][0], to_halves(q))
        assert_near(written[layer][1], to_halves(k))
        assert_near(written[layer][2], np.array(v).transpose(1, 0, 2))
    for at, loss in enumerate(model.losses(hidden[:-1], tokens[1:])):
        sums = math.fsum(math.exp(x) for x in rows[at])
        assert abs(loss - (math.log(sums) - rows[at][tokens[at + 1]])) < 1e-5


def test_forward_in_pieces_and_truncate(model, plain):
    _, tokens, states, _ = plain
    pieces = [model.forward(tokens[a:b]) for a, b in ((0, 1), (1, 17), (17, 18), (18, 40))]
    assert_near(np.concatenate(pieces), states)
    model.truncate(10)
    assert model.length == 10
    assert_near(model.forward(tokens[10:]), states[10:])
    whole = model.losses(np.array(states[10:-1], np.float32), tokens[11:])
    np.testing.assert_allclose(model.tail_losses(tokens, 10), whole, atol=1e-5)
    with pytest.raises(ValueError, match="41"):
        model.truncate(41)


def test_attention_of_the_callers_own(model, plain):
    """The callable sees what its contract says, and what it returns is used."""
    _, tokens, states, _ = plain
    calls = []

    def own(layer, q, k, v, q_unroped, k_unroped):
        calls.append((layer, q.shape, k.shape))
        at = np.arange(k.shape[1])
        turned = rope.rotate(k_unroped, at, model.config.frequencies)
        np.testing.assert_array_equal(turned, k)
        turned = rope.rotate(q_unroped, at[-q.shape[1]:], model.config.frequencies)
        np.testing.assert_array_equal(turned, q)
        return None if layer == 0 else dense_attention(q, k, v, block=3)

    model.forward(tokens[:30])
    assert_near(model.forward(tokens[30:], own), states[30:])
    assert calls == [(0, (4, 10, D), (2, 40, D)), (1, (4, 10, D), (2, 40, D))]
    model.truncate(30)
    changed = model.forward(tokens[30:], lambda layer, q, *more: np.zeros_like(q))
    assert np.abs(changed - np.array(states[30:])).max() > 0.1


def test_greedy(model, plain):
    tokens = plain[1][:12]
    model.forward(tokens[:-1])
    found = model.continue_greedily(tokens[-1], 3)
    for token in found:
        model.truncate(0)
        assert token == int(model.logits(model.forward(tokens))[-1].argmax())
        tokens = [*tokens, token]


def test_attention_logits_hide_the_future():
    draw = np.random.default_rng(3)
    q, k = draw.standard_normal((4, 3, D)), draw.standard_normal((2, 7, D))
    logits = attention_logits(q.astype(np.float32), k.astype(np.float32))
    for h, i, j in np.ndindex(4, 3, 7):
        wanted = dot(q[h, i], k[h // 2, j]) / math.sqrt(D) if j <= 4 + i else -math.inf
        assert logits[h, i, j] == pytest.approx(wanted, abs=1e-5)


def test_attention_of_large_logits():
    """The weights are those relative to the largest logit, so that none overflows."""
    q = np.full((1, 2, D), 100.0, np.float32)
    k = np.stack([np.full((1, D), sign * 100.0, np.float32) for sign in (1, -1)], 1)
    v = np.arange(2.0 * D, dtype=np.float32).reshape(1, 2, D)
    np.testing.assert_array_equal(dense_attention(q, k, v)[0], [v[0, 0], v[0, 0]])


def test_masses():
    logits = np.log(np.arange(1.0, 301.0)) * np.ones((2, 2, 1))
    logits[:, 0, 299] = -np.inf
    sums = (299 * 300 / 2, 300 * 301 / 2)
    wanted = [np.mean([1 / x for x in sums]),
              np.mean([sum(range(172, 300)) / sums[0], sum(range(173, 301)) / sums[1]]),
              np.mean([sum(range(236, 300)) / sums[0], sum(range(237, 301)) / sums[1]]),
              np.mean([sum(range(44, 300)) / sums[0], sum(range(45, 301)) / sums[1]]), 1.0]
    np.testing.assert_allclose(masses.attention_masses(logits), wanted, rtol=1e-12)


# ---- RoPE


def test_frequencies():
    plain = rope.rope_frequencies(64, 1e5)
    wavelengths = [round(2 * math.pi / f, 2) for f in plain[:4]]
    assert wavelengths == [6.28, 9.0, 12.9, 18.49]
    np.testing.assert_allclose(rope.rope_frequencies(64, 1e5, "linear", factor=4), plain / 4)


def test_frequencies_of_llama3():
    plain = rope.rope_frequencies(128, 5e5)
    found = rope.rope_frequencies(128, 5e5, "llama3", factor=8, low=1, high=4, original=8192)
    kinds = set()
    for f, got in zip(plain, found):
        wavelength = 2 * math.pi / f
        if wavelength < 8192 / 4:
            kind, wanted = "kept", f
        elif wavelength > 8192:
            kind, wanted = "divided", f / 8
        else:
            smooth = (8192 / wavelength - 1) / (4 - 1)
            kind, wanted = "between", (1 - smooth) * f / 8 + smooth * f
        kinds.add(kind)
        assert got == pytest.approx(wanted, rel=1e-12)
    assert kinds == {"kept", "divided", "between"}


def test_frequencies_of_yarn():
    plain = rope.rope_frequencies(128, 1e6)
    found = rope.rope_frequencies(128, 1e6, "yarn", factor=4, original=32768)
    turns = [32768 * f / (2 * math.pi) for f in plain]
    first = max(i for i in range(64) if turns[i] >= 32)
    last = min(i for i in range(64) if turns[i] <= 1)
    for i, (f, got) in enumerate(zip(plain, found)):
        ramp = min(max((i - first) / (last - first), 0), 1)
        assert got == pytest.approx(f * (1 - ramp) + f / 4 * ramp, rel=1e-12), i
    assert rope.rope_magnitude("yarn", 4) == pytest.approx(1 + 0.1 * math.log(4))
    assert rope.rope_magnitude("linear", 4) == rope.rope_magnitude() == 1.0


def test_frequencies_are_those_of_the_c_code():
    """The numbers of tests/attention/test_rope.c, worked out with 40 digits."""
    llama = rope.rope_frequencies(128, 5e5, "llama3", factor=8, low=1, high=4, original=8192)
    yarn = rope.rope_frequencies(128, 1e4, "yarn", factor=16, original=4096)
    for found, wanted in (
            (llama[28], 0.0032114459947525909), (llama[29], 0.0021665707635033587),
            (llama[34], 0.00017850781276799641), (llama[63], 3.0689259889145111e-07),
            (yarn[20], 0.056234132519034911), (yarn[21], 0.046940859997959404),
            (yarn[45], 0.00015177160473182493), (yarn[63], 7.2173874043091138e-06),
            (rope.rope_magnitude("yarn", 16), 1.2772588722239782)):
        assert found == pytest.approx(wanted, rel=1e-14)


def test_rotation():
    draw = np.random.default_rng(5)
    x = draw.standard_normal((2, 6, D)).astype(np.float32)
    at = np.array([0, 1, 2, 5, 100, 8191])
    frequencies = rope.rope_frequencies(D, 1000.0)
    turned = rope.rotate(x, at, frequencies, "interleaved")
    for h, i in np.ndindex(2, 6):
        np.testing.assert_allclose(turned[h, i], turn_interleaved(x[h, i].tolist(), int(at[i])),
                                   atol=1e-6)
    halves = np.concatenate([x[..., 0::2], x[..., 1::2]], -1)
    turned_halves = rope.rotate(halves, at, frequencies)
    np.testing.assert_array_equal(turned_halves[..., :4], turned[..., 0::2])
    np.testing.assert_array_equal(turned_halves[..., 4:], turned[..., 1::2])
    for pairing in rope.PAIRINGS:
        there = rope.rotate(x, at, frequencies, pairing, magnitude=1.3)
        assert np.linalg.norm(there) == pytest.approx(1.3 * np.linalg.norm(x), rel=1e-6)
        back = rope.rotate(there, at, frequencies, pairing, magnitude=1.3, inverse=True)
        np.testing.assert_allclose(back, x, atol=1e-6)


@pytest.mark.parametrize("arguments, message", [
    ((7, 1e4), "even"), ((8, 1.0), "theta"), ((8, math.nan), "theta"), ((8, 1e4, "ntk"), "known"),
    ((8, 1e4, "linear"), "needs factor"), ((8, 1e4, "yarn"), "needs factor")])
def test_rope_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        rope.rope_frequencies(*arguments)


def test_scaling_of_a_file(tmp_path):
    """Linear and YaRN scaling from the metadata, Llama 3's from a tensor of divisors."""
    path, tensors = tmp_path / "scaled.gguf", tiny_llama.tiny_tensors()
    for kind in ("linear", "yarn"):
        tiny_llama.write_gguf(path, {
            **tiny_llama.METADATA, "llama.rope.scaling.type": kind,
            "llama.rope.scaling.factor": 2.0,
            "llama.rope.scaling.original_context_length": 32}, tensors)
        config = Llama.load(path).config
        wanted = rope.rope_frequencies(D, 1000.0, kind, factor=2.0, original=32)
        np.testing.assert_array_equal(config.frequencies, wanted)
        assert config.magnitude == rope.rope_magnitude(kind, 2.0)
    divisors = np.array([1, 1, 2, 8], "<f4")
    tiny_llama.write_gguf(path, tiny_llama.METADATA,
                          [*tensors, ("rope_freqs.weight", (4,), "F32", divisors.tobytes())])
    wanted = rope.rope_frequencies(D, 1000.0) / divisors
    np.testing.assert_array_equal(Llama.load(path).config.frequencies, wanted)


# ---- the command


def run(folder, *more):
    (folder / "doc.txt").write_text(TEXT)
    return command.main(["--model", str(tiny_llama.PATH), "--text", str(folder / "doc.txt"),
                         "--out", str(folder / "out"), "--tokens", "40", "--layers", "all",
                         "--queries", "5", "--all-queries", "--continue", "4", *more])


def test_command_writes(tmp_path, capsys, plain):
    _, tokens, states, seen = plain
    assert run(tmp_path) == 0
    out = tmp_path / "out/doc"
    for layer, (q, k, v) in enumerate(seen):
        place = out / f"layer-{layer:02d}"
        facts = json.loads((place / "layer.json").read_text())
        assert facts["theta"] == 1000 and facts["n"] == 40 and facts["n_q"] == 5
        arrays = {name: np.load(place / name) for name in facts["files"]}
        assert len(arrays) == 8
        assert all(a.dtype == np.float32 and a.flags.c_contiguous for a in arrays.values())
        assert_near(arrays["keys.npy"], to_halves(k))
        assert_near(arrays["queries-all.npy"], to_halves(q))
        assert_near(arrays["values.npy"], np.array(v).transpose(1, 0, 2))
        frequencies = rope.rope_frequencies(D, 1000.0)
        for name in ("keys", "queries-all"):
            turned = rope.rotate(arrays[f"{name}-unroped.npy"], np.arange(40), frequencies)
            np.testing.assert_array_equal(turned, arrays[f"{name}.npy"])
        for name in ("queries.npy", "queries-unroped.npy"):
            whole = arrays[name.replace("queries", "queries-all")]
            np.testing.assert_array_equal(arrays[name], whole[:, -5:])
        logits = attention_logits(arrays["queries.npy"], arrays["keys.npy"])
        np.testing.assert_array_equal(arrays["logits.npy"], logits)
    facts = json.loads((out / "document.json").read_text())
    losses = np.load(out / "losses.npy")
    assert facts["perplexity"] == pytest.approx(math.exp(losses.mean()))
    assert f"doc: perplexity {facts['perplexity']:.2f}" in capsys.readouterr().out
    assert np.load(out / "tokens.npy").tolist() == list(tokens)
    rows = [times(plain[0]["token_embd.weight"], x) for x in states[-5:]]
    assert_near(np.load(out / "vocabulary.npy"), rows)
    assert not list(tmp_path.rglob("*.partial"))


def test_command_writes_two_texts(tmp_path, model):
    """The continuation is that of the first half, also in the second of two documents."""
    (tmp_path / "more.txt").write_text("other " + TEXT)
    assert run(tmp_path, "--text", str(tmp_path / "more.txt")) == 0
    tokenizer = Tokenizer(GgufFile(tiny_llama.PATH).metadata)
    for name, text in (("doc", TEXT), ("more", "other " + TEXT)):
        tokens = tokenizer.encode(text)[:40]
        facts = json.loads((tmp_path / "out" / name / "document.json").read_text())
        model.truncate(0)
        losses = model.losses(model.forward(tokens)[:-1], tokens[1:])
        assert facts["perplexity"] == pytest.approx(math.exp(losses.mean()))
        model.truncate(19)
        assert facts["prompt"] == tokenizer.decode(tokens[:20])
        wanted = model.continue_greedily(tokens[19], 4)
        assert facts["continuation"] == tokenizer.decode(wanted)


def test_command_stops(tmp_path, capsys, monkeypatch):
    """Ctrl-C in the middle of a document, and the same command again."""
    def stop(*more):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Llama, "losses", stop)
        assert run(tmp_path) == 130
    assert "the same command continues" in capsys.readouterr().err
    out = tmp_path / "out/doc"
    assert (out / "layer-01/layer.json").exists() and not (out / "document.json").exists()
    assert run(tmp_path) == 0
    with monkeypatch.context() as patch:
        patch.setattr(writing, "save", stop)
        assert run(tmp_path, "--queries", "6") == 130
    assert not (out / "layer-00/layer.json").exists() and not (out / "document.json").exists()
    assert run(tmp_path) == 0
    files = set(json.loads((out / "document.json").read_text())["files"])
    assert files == {path.name for path in out.glob("*.npy")}


def test_command_continues(tmp_path, capsys):
    """What is complete is kept; what is missing is written again."""
    assert run(tmp_path) == 0
    out = tmp_path / "out/doc"
    kept, removed = out / "layer-00/keys.npy", out / "layer-01/keys.npy"
    before = removed.read_bytes()
    kept.write_bytes(b"not touched")
    (out / "layer-01/layer.json").unlink()
    removed.unlink()
    assert run(tmp_path) == 0
    assert removed.read_bytes() == before and kept.read_bytes() == b"not touched"
    capsys.readouterr()
    assert run(tmp_path) == 0
    assert "doc: is there" in capsys.readouterr().out
    assert run(tmp_path, "--queries", "6") == 0
    assert np.load(kept).shape == (2, 40, D)


@pytest.mark.parametrize("arguments, message", [
    (("--layers", "2"), "--layers 2: the model has the layers 0 to 1"),
    (("--layers", "x"), "--layers x: give numbers"), (("--tokens", "65"), "--tokens 65"),
    (("--queries", "41"), "--queries 41"), (("--continue", "-1"), "--continue -1"),
    (("--model", "/nowhere"), "/nowhere: No such file"),
    (("--model", __file__), "not a GGUF file")])
def test_command_refuses(tmp_path, capsys, arguments, message):
    assert run(tmp_path, *arguments) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and not said.out
    assert not (tmp_path / "out").exists()


def test_command_leaves_out(tmp_path, capsys):
    assert run(tmp_path, "--tokens", "64", "--text", str(tmp_path / "none.txt")) == 0
    said = capsys.readouterr().out
    assert "none: left out: " in said and "No such file" in said and "doc: perplexity" in said
    (tmp_path / "short").write_text("the")
    assert run(tmp_path, "--text", str(tmp_path / "short")) == 0
    assert "short: left out: it has 1 tokens" in capsys.readouterr().out


def test_documents_of_this_repository(capsys):
    from real_tensors import documents
    for row in documents.DOCUMENTS:
        if row.name in ("c-sources", "project-pages"):
            text, source = row.find()
            assert len(text) > 40000 and "repository" in source
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(documents.DOCUMENTS)
