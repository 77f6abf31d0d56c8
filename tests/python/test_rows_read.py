"""Rows as people have them: what they are stored in, masked with and made of. The answer is that of
the same rows in a plain file, or comes by the line of Python that the refusal has."""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import numpy
import pytest

import recallmodel as rcm

PROGRAM = os.path.abspath(os.environ.get("RECALLMODEL", "build/recallmodel"))
SHAPE = dict(k=16, b=16, k_b=1)


def command(folder, *arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True, timeout=100)


def measure(folder, file, *more, k=16):
    done = command(folder, "simulate", "--file", file, "--k", k, "--b", k, "--kb", 1, "--json",
                   "--assignment", "contiguous", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def values(answer):
    """What was measured, without the name of the file."""
    return answer["rows"], answer["results"]


def run_mend(folder, line):
    mend = re.search(r"python3 (-c '[^']*')", line).group(1)
    subprocess.run(f"{sys.executable} {mend}", shell=True, check=True, cwd=folder, timeout=100)


def scores():
    return numpy.random.default_rng(3).standard_normal((3, 8, 128)).astype("f4")


def write_safetensors(path, array, dtype):
    header = json.dumps({"__metadata__": {"format": "np"}, "rows": {
        "dtype": dtype, "shape": array.shape, "data_offsets": [0, array.nbytes]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + array.tobytes())


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_layouts_of_numpy(tmp_path, dtype):
    x = scores().astype(dtype)
    numpy.save(tmp_path / "plain.npy", x)
    numpy.save(tmp_path / "fortran.npy", numpy.asfortranarray(x))
    numpy.save(tmp_path / "big.npy", x.astype(f">{dtype}"))
    numpy.save(tmp_path / "both.npy", numpy.asfortranarray(x.astype(f">{dtype}")))
    write_safetensors(tmp_path / "rows.safetensors", x, f"F{8 * x.itemsize}")
    want, _ = measure(tmp_path, "plain.npy")
    for file in ("fortran.npy", "big.npy", "both.npy", "rows.safetensors"):
        assert values(measure(tmp_path, file)[0]) == values(want), file
        got = rcm.simulate(tmp_path / file, **SHAPE, assignment="contiguous")
        assert got.recall_mean == want["results"][0]["recall_mean"]


def test_topk_reads_them_alike(tmp_path):
    """topk hands values on as they are stored, so that it must swap and gather them, too."""
    x = scores()[0]
    numpy.save(tmp_path / "plain.npy", x)
    numpy.save(tmp_path / "other.npy", numpy.asfortranarray(x.astype(">f4")))
    bits = (x.view("u4") >> 16).astype("u2")
    write_safetensors(tmp_path / "bf16.safetensors", bits, "BF16")
    numpy.save(tmp_path / "wide.npy", (bits.astype("u4") << 16).view("f4"))
    for one, other in (("plain", "other.npy"), ("wide", "bf16.safetensors")):
        for file, out in ((f"{one}.npy", "a"), (other, "b")):
            done = command(tmp_path, "topk", "--file", file, "--k", 5, "--indices", out)
            assert done.returncode == 0, done.stderr
        assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()


def test_bfloat16_and_float8_by_their_bits(tmp_path):
    bits = (scores().view("u4") >> 16).astype("u2")
    numpy.save(tmp_path / "wide.npy", (bits.astype("u4") << 16).view("f4"))
    want, _ = measure(tmp_path, "wide.npy")
    for descr in ("<u2", "<i2", "V2", ">u2"):
        numpy.save(tmp_path / "x.npy", bits.astype(descr) if ">" in descr else bits.view(descr))
        assert values(measure(tmp_path, "x.npy", "--dtype", "bf16")[0]) == values(want)
        array = numpy.load(tmp_path / "x.npy")
        assert rcm.simulate(array, **SHAPE, dtype="bf16").mass_mean == rcm.simulate(
            numpy.load(tmp_path / "wide.npy"), **SHAPE).mass_mean
        with pytest.raises(TypeError, match="rows must be"):
            rcm.simulate(array, **SHAPE, dtype="f8e4m3")
        refused = command(tmp_path, "simulate", "--file", "x.npy", "--k", 16, "--kb", 1)
        assert refused.returncode == 2 and "give --dtype bf16" in refused.stderr
        run_mend(tmp_path, refused.stderr)
        assert values(measure(tmp_path, "rows.npy")[0]) == values(want)
    # e5m2 is the upper byte of a float16
    byte = (scores().astype("f2").view("u2") >> 8).astype("u1")
    numpy.save(tmp_path / "half.npy", (byte.astype("u2") << 8).view("f2"))
    numpy.save(tmp_path / "x.npy", byte.view("V1"))
    assert values(measure(tmp_path, "x.npy", "--dtype", "f8e5m2")[0]) == values(
        measure(tmp_path, "half.npy")[0])


def write_npz(path, x):
    numpy.savez_compressed(path, logits=x)


def write_gzip(path, x):
    with gzip.open(path, "wb") as file:
        numpy.save(file, x)


def write_text(path, x):
    numpy.savetxt(path, x.reshape(-1, x.shape[-1]), delimiter=",", fmt="%.9g")


def write_whole(path, x):
    numpy.save(path, numpy.rint(100 * x).astype("i4"))


@pytest.mark.parametrize("name, write", [
    ("x.npz", write_npz), ("x.npy.gz", write_gzip), ("x.csv", write_text), ("i.npy", write_whole)])
def test_mends_of_other_files(tmp_path, name, write):
    """The line that the refusal gives, run in a shell, makes rows.npy with the same rows."""
    x = scores()
    write(tmp_path / name, x)
    refused = command(tmp_path, "simulate", "--file", name, "--k", 16, "--kb", 1)
    assert refused.returncode == 2 and refused.stdout == "" and refused.stderr.count("\n") == 1
    run_mend(tmp_path, refused.stderr)
    got = numpy.load(tmp_path / "rows.npy")
    want = numpy.rint(100 * x) if name == "i.npy" else x
    assert numpy.array_equal(got.reshape(want.shape).astype("f4"), want)


# ---- masks


@pytest.mark.parametrize("dtype, mask", [
    ("f4", numpy.finfo("f4").min), ("f2", numpy.finfo("f2").min), ("f8", -1e9), ("f4", -1e4)])
def test_finite_masks(tmp_path, dtype, mask):
    x = scores()[0].astype(dtype)
    hidden = numpy.arange(128) >= numpy.arange(5, 13)[:, None]
    numpy.save(tmp_path / "inf.npy", numpy.where(hidden, -numpy.inf, x).astype(dtype))
    numpy.save(tmp_path / "finite.npy", numpy.where(hidden, mask, x).astype(dtype))
    want, silent = measure(tmp_path, "inf.npy")
    assert silent == ""
    assert want["rows"][0]["short_rows"] == 8
    got, says = measure(tmp_path, "finite.npy")
    assert values(got) != values(want)
    assert re.fullmatch(r"recallmodel: --file finite.npy: 8 of 8 rows have fewer than k = 16 .*\n",
                        says)
    option = re.search(r"--mask-below (\S+)\n", says).groups()
    got, silent = measure(tmp_path, "finite.npy", "--mask-below", *option)
    assert values(got) == values(want) and silent == ""
    array = numpy.load(tmp_path / "finite.npy")
    with pytest.warns(UserWarning, match=f"mask_below {re.escape(option[0])}$"):
        rcm.simulate(array, **SHAPE)
    python = rcm.simulate(array, **SHAPE, assignment="contiguous", mask_below=float(option[0]))
    assert python.recall_mean == want["results"][0]["recall_mean"]
    parts = ("parts", "--parts", 4, "--k", 16, "--send", 4, "--deal", "runs", "--csv", "--file")
    masked = command(tmp_path, *parts, "finite.npy", "--mask-below", mask)
    assert masked.returncode == 0 and masked.stderr == ""
    assert masked.stdout == command(tmp_path, *parts, "inf.npy").stdout
    assert "--mask-below" in command(tmp_path, *parts, "finite.npy").stderr


# ---- probabilities


def test_probabilities_weigh_themselves(tmp_path):
    x = 3.0 * scores()[0].astype("f8")
    p = numpy.exp(x) / numpy.exp(x).sum(axis=-1, keepdims=True)
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "p.npy", p)
    top = numpy.sort(p)[:, -16:].sum(axis=-1).mean()
    wrong, says = measure(tmp_path, "p.npy")
    assert "8 of 8 rows" in says and "--weights-are probabilities" in says
    assert wrong["rows"][0]["topk_mass_mean"] < 0.3 < top
    assert measure(tmp_path, "p.npy", "--weights-are", "scores") == (
        {**wrong, "weights_are": "scores"}, "")
    for temperature in (1, 0.5):
        more = "--temperature", temperature
        want, _ = measure(tmp_path, "x.npy", *more)
        got, silent = measure(tmp_path, "p.npy", *more, "--weights-are", "probabilities")
        assert silent == ""
        for of in ("mass_mean", "mass_worst"):
            assert got["results"][0][of] == pytest.approx(want["results"][0][of], rel=1e-12)
        assert got["rows"][0]["topk_mass_mean"] == pytest.approx(
            top if temperature == 1 else want["rows"][0]["topk_mass_mean"], rel=1e-12)
    with pytest.warns(UserWarning, match="weights_are probabilities"):
        rcm.simulate(p, **SHAPE)
    assert rcm.simulate(p, **SHAPE, weights_are="probabilities").mass_mean == pytest.approx(
        rcm.simulate(x, **SHAPE).mass_mean, rel=1e-12)
    with pytest.raises(ValueError, match="below 0 in row 0"):
        rcm.simulate(x, **SHAPE, weights_are="probabilities")
    with pytest.raises(ValueError, match="of an array or a file"):
        rcm.simulate("iid", **SHAPE, n=100, weights_are="probabilities")


@pytest.mark.parametrize("name", ["recall", "select"])
def test_weights_of_probabilities(tmp_path, name):
    x = 3.0 * scores()[0].astype("f8")
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "p.npy", numpy.exp(x) / numpy.exp(x).sum(axis=-1, keepdims=True))
    asks = (name, "--n", 128, "--k", 16, *(("--b", 16, "--kb", 1) if name == "recall" else ()),
            "--json", "--weights")
    want = json.loads(command(tmp_path, *asks, "x.npy").stdout)
    done = command(tmp_path, *asks, "p.npy", "--weights-are", "probabilities")
    assert done.returncode == 0 and done.stderr == ""

    def masses(answer):
        return [float(value) for key, value in re.findall(
            r'"(topk_mass|lost_mass\w*)": ([\d.e-]+)', json.dumps(answer))]
    assert len(masses(want)) > 1
    assert masses(json.loads(done.stdout)) == pytest.approx(masses(want), rel=1e-9)
    says = command(tmp_path, *asks, "p.npy").stderr
    assert says.count("--weights-are probabilities") == 1
    wrong = command(tmp_path, *asks, "x.npy", "--weights-are", "probabilities")
    assert wrong.returncode == 2 and "below 0 in row 0" in wrong.stderr
    assert "needs --weights" in command(tmp_path, *asks[:-1], "--mask-below", 0).stderr


def test_a_checkpoint_belongs_to_what_elements_are(tmp_path):
    x = scores()[0]
    x[:, 8:] = -1e9
    numpy.save(tmp_path / "x.npy", x)
    more = "--checkpoint", "state"
    measure(tmp_path, "x.npy", *more, "--mask-below", "-1e9")
    measure(tmp_path, "x.npy", *more, "--mask-below", "-1e9")
    for other in ((), ("--mask-below", "-1e8")):
        done = command(tmp_path, "simulate", "--file", "x.npy", "--k", 16, "--b", 16, "--kb", 1,
                       "--assignment", "contiguous", *more, *other)
        assert done.returncode == 2 and "of another simulation" in done.stderr
