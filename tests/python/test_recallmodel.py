"""The Python module says what the command says."""
import csv
import doctest
import io
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import time
import typing

import numpy
import pytest

import recallmodel as rcm
from interrupting import cpu_seconds, listening
from recallmodel import _library

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def command(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True, timeout=100).stdout


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(command(*arguments, "--csv"))))


def test_same_numbers_as_the_command():
    table = rows("--n", 262144, "--k", 1024, "--kb", "1,2,4,8", "--quantile", "0.05")
    assert len(table) > 40
    n, k, b, k_b = (numpy.array([int(row[name]) for row in table])
                    for name in ("n", "k", "b", "k_b"))
    for name, got in {
            "recall": rcm.recall(n, k, b, k_b),
            "loss": rcm.loss(n, k, b, k_b),
            "recall_sd": rcm.recall_sd(n, k, b, k_b),
            "recall_binomial": rcm.recall_binomial(n, k, b, k_b),
            "loss_binomial": rcm.loss_binomial(n, k, b, k_b),
            "loss_bound": rcm.loss_bound(n, k, b, k_b),
            "recall_worst_case": rcm.recall_worst_case(n, k, b, k_b),
            "probability_exact": rcm.probability_exact(n, k, b, k_b),
            "recall_quantile": rcm.recall_quantile(n, k, b, k_b, 0.95),
            "cost_basic": rcm.cost("basic", n, k, b, k_b),
            "cost_serial": rcm.cost("serial", n, k, b, k_b),
            "cost_parallel": rcm.cost("parallel", n, k, b, k_b),
    }.items():
        want = numpy.array([float(row[name]) for row in table])
        numpy.testing.assert_array_equal(got, want, err_msg=name)


def test_broadcasting():
    got = rcm.recall(262144, 1024, numpy.array([512, 1024, 2048]), numpy.array([[1], [4]]))
    assert got.shape == (2, 3)
    assert got[1, 0] == rcm.recall(262144, 1024, 512, 4)
    assert isinstance(rcm.recall(262144, 1024, 512, 4), float)
    assert rcm.smallest_b(262144, 1024, [1, 2, 4], 0.95).tolist() == [
        int(rcm.smallest_b(262144, 1024, k_b, 0.95)) for k_b in (1, 2, 4)
    ]


@pytest.mark.parametrize("assignment", ["interleaved", "contiguous", "contiguous-floor"])
def test_padded_rows(assignment):
    table = rows("--n", 1000, "--k", 60, "--valid", 700, "--assignment", assignment, "--b", "30,77",
                 "--kb", "2,5")
    b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("b", "k_b"))
    for name in ("recall", "recall_sd", "recall_worst_case", "probability_exact"):
        numpy.testing.assert_array_equal(
            getattr(rcm, name)(1000, 60, b, k_b, valid=700, assignment=assignment),
            [float(row[name]) for row in table], err_msg=name)


def test_outside_the_domain():
    assert numpy.isnan(rcm.recall([10], 20, 5, 1)).all()
    assert numpy.isnan(rcm.recall(10, 2, [0, 11], 1)).all()
    with pytest.raises(TypeError):
        rcm.recall(10.5, 2, 2, 1)
    with pytest.raises(ValueError):
        rcm.recall(10, 2, -2, 1)
    with pytest.raises(ValueError):
        rcm.cost("cheap", 10, 2, 2, 1)
    with pytest.raises(ValueError):
        rcm.select(100, 10, 0.9, objective="time")
    with pytest.raises(ValueError):
        rcm.lost_distribution(10, 20, 5, 1)


def test_distribution():
    lost, probability = rcm.lost_distribution(4096, 64, 16, 8)
    assert abs(probability.sum() - 1) < 1e-12
    assert abs((lost * probability).sum() / 64 - rcm.loss(4096, 64, 16, 8)) < 1e-12
    assert abs(probability[lost == 0].sum() - rcm.probability_exact(4096, 64, 16, 8)) < 1e-12


def test_survival():
    ranks = numpy.arange(1, 65)
    assert abs(rcm.survival(4096, 64, 16, 8, ranks).mean() - rcm.recall(4096, 64, 16, 8)) < 1e-14


@pytest.mark.parametrize("objective", ["candidates", "basic", "serial", "parallel", "time"])
def test_select(objective):
    profile = rcm.profiles()[0] if objective == "time" else None
    more = ["--device", profile.name, "--kernel", profile.kernel] if profile else []
    want = json.loads(
        command("select", "--n", 131072, "--k", 2048, "--recall", 0.95, "--objective", objective,
                "--m", 64, "--json", *more))["choice"]
    got = rcm.select(131072, 2048, 0.95, m=64, objective=objective, profile=profile)
    for name in ("b", "k_b", "candidates", "recall", "objective"):
        assert getattr(got, name) == want[name]


def test_select_with_confidence():
    want = json.loads(
        command("select", "--n", 16384, "--k", 256, "--recall", 0.97, "--confidence", 0.99,
                "--json"))["choice"]
    got = rcm.select(16384, 256, 0.97, confidence=0.99)
    assert (got.b, got.k_b) == (want["b"], want["k_b"])
    nothing = rcm.select(1000, 500, 0.9999, kernel="xla")
    assert nothing.b is None and nothing.deploy == "exact"


@pytest.mark.parametrize("device", ["H100-PCIe", "TPUv5e"])
def test_select_fused_with_the_product(device):
    profile = device if device in {p.name for p in rcm.profiles()} else None
    for d in (128, 1024):
        want = json.loads(command("select", "--n", 2**20, "--k", 1024, "--recall", 0.99, "--m",
                                  1024, "--device", device, "--d", d, "--json"))["choice"]
        got = rcm.select(2**20, 1024, "0.99", m=1024, profile=profile, device=device, d=d)
        assert (got.b, got.k_b, got.objective) == (want["b"], want["k_b"], want["objective"])
        assert got.threshold is None
    with pytest.raises(ValueError, match="device"):
        rcm.select(2**20, 1024, 0.99, d=128)


def test_reverse():
    answer = command("select", "--n", 262144, "--b", 512, "--kb", 4, "--recall", 0.95, "--json")
    assert json.loads(answer)["k"] == rcm.largest_k(262144, 512, 4, 0.95)
    assert rcm.largest_n(1024, 512, 4, 0.95) == 2**53 - 1
    assert rcm.xla_b(131072, 2048, 0.95) == 65536


def test_predictions():
    profile = rcm.profiles()[0]
    table = rows("predict", "--device", profile.name, "--n", 2**18, "--k", 1024, "--kb", "1,2,4",
                 "--m", 64)
    b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("b", "k_b"))
    numpy.testing.assert_array_equal(rcm.predict_us(profile, 2**18, 1024, b, k_b, 64),
                                     [float(row["predicted_us"]) for row in table])
    for model in ("basic", "serial", "parallel"):
        numpy.testing.assert_array_equal(rcm.cost(model, 2**18, 1024, b, k_b, 64),
                                         [float(row[f"cost_{model}"]) for row in table])
    assert rcm.exact_time_us(profile, 2**18, 1024, 64) == float(table[0]["exact_us"])
    assert numpy.isnan(rcm.predict_us(profile, 2**18, 1024, 1024, 8))


def test_every_public_name_says_what_it_is():
    for name in rcm.__all__:
        assert getattr(rcm, name).__doc__


# ---- rows


@pytest.mark.parametrize("rows_of", ["placement", "iid", "ar1", "ties"])
@pytest.mark.parametrize("assignment, shuffle", [
    ("interleaved", "none"), ("contiguous", "none"), ("contiguous", "row"),
    ("contiguous-floor", "once"),
])
def test_simulation_is_that_of_the_command(rows_of, assignment, shuffle):
    if rows_of == "placement" and shuffle != "none":
        return
    more = ["--rho", 0.8] if rows_of == "ar1" else []
    table = rows("simulate", "--n", 1000, "--k", 60, "--b", "30,77", "--kb", "2,5", "--input",
                 rows_of, *more, "--assignment", assignment, "--shuffle", shuffle, "--repetitions",
                 40, "--seed", 7)
    b, k_b = (numpy.array([int(row[name]) for row in table]) for name in ("b", "k_b"))
    got = rcm.simulate(rows_of, 60, b, k_b, n=1000, rho=0.8 if more else None,
                       assignment=assignment, shuffle=shuffle, repetitions=40, seed=7)
    assert got.rows == 40 and len(table) == 4
    for name in ("recall_mean", "recall_sd", "recall_stderr", "recall_worst", "recall_p05",
                 "exact_rows"):
        numpy.testing.assert_array_equal(getattr(got, name), [float(row[name]) for row in table],
                                         err_msg=name)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_own_rows(tmp_path, dtype):
    x = numpy.random.default_rng(3).standard_normal((5, 4, 512)).astype(dtype)
    x[0, 0, :100] = -numpy.inf
    path = tmp_path / "x.npy"
    numpy.save(path, x)
    table = rows("simulate", "--file", path, "--k", 32, "--b", "8,16", "--kb", "4", "--temperature",
                 2)
    for source in (x, path, str(path), numpy.asfortranarray(x),
                   x.astype(x.dtype.newbyteorder(">"))):
        got = rcm.simulate(source, 32, [8, 16], 4, temperature=2)
        assert got.rows == 20
        for name in ("recall_mean", "mass_mean", "mass_worst", "value_mean", "certified_rows"):
            numpy.testing.assert_array_equal(getattr(got, name),
                                             [float(row[name] or "nan") for row in table],
                                             err_msg=name)


def test_own_rows_by_definition():
    x = numpy.random.default_rng(4).standard_normal((3, 96)).astype(numpy.float32)
    want = []
    for row in x:
        kept = numpy.sort(row.reshape(12, 8), axis=0)[-2:].ravel()  # bucket i mod 8
        want.append(numpy.isin(numpy.sort(row)[-10:], kept).mean())
    assert rcm.simulate(x, 10, 8, 2).recall_mean == pytest.approx(numpy.mean(want), abs=1e-15)
    assert rcm.simulate(x[0], 10, 8, 2).recall_mean == want[0]


def test_simulation_agrees_with_the_model():
    got = rcm.simulate("iid", 64, [[32], [64]], [1, 2, 4], n=4096, repetitions=2000)
    z = (got.recall_mean - rcm.recall(4096, 64, [[32], [64]], [1, 2, 4])) / (
        rcm.recall_sd(4096, 64, [[32], [64]], [1, 2, 4]) / 2000**0.5)
    assert numpy.abs(z).max() < 4.5  # 4e-5 by chance; the seed is fixed
    assert (got.recall_lower(0.99) < got.recall_mean).all() and got.recall_lower().shape == (2, 3)


def test_lower_bound_and_reaching_are_those_of_the_command():
    got = rcm.simulate("iid", 64, [256, 512], 1, n=4096, repetitions=300, seed=3)
    out = json.loads(
        command(*"simulate --n 4096 --k 64 --b 256,512 --kb 1 --input iid --seed 3".split(),
                *"--repetitions 300 --recall 0.9 --json".split()))
    for name in ("reaching_mean", "reaching_sd", "reaching_worst"):
        numpy.testing.assert_array_equal(getattr(got, name), [row[name] for row in out["results"]],
                                         err_msg=name)
    model = out["choices"][0]["model"]
    assert got.recall_lower()[[256, 512].index(model["b"])] == model["recall_lower"]
    few = rcm.simulate("iid", 64, 63, 1, n=4096, repetitions=10)  # 63 candidates: none is the 64-th
    assert numpy.isnan(few.reaching_mean) and numpy.isnan(few.reaching_worst)
    assert few.recall_lower() < few.recall_mean


def test_rows_that_cannot_be_run(tmp_path):
    for error, arguments in (
        (ValueError, dict(rows="iid")), (ValueError, dict(rows="iid", n=10)),
        (ValueError, dict(rows="iid", n=100, b=0)), (ValueError, dict(rows="ar1", n=100, rho=1)),
        (ValueError, dict(rows="iid", n=100, rho=0.5)),
        (ValueError, dict(rows=numpy.zeros((2, 100)), rho=0.5)),
        (ValueError, dict(rows="iid", n=100, shuffle="twice")),
        (ValueError, dict(rows="iid", n=100, assignment="neat")),
        (ValueError, dict(rows=tmp_path / "none.npy")), (TypeError, dict(rows=numpy.arange(100))),
        (ValueError, dict(rows=numpy.zeros((0, 100)))),
        (ValueError, dict(rows=numpy.zeros((2, 100)), repetitions=3)),
        (ValueError, dict(rows=numpy.zeros(100), n=99)), (ValueError, dict(rows="iid", n=2**33)),
        (ValueError, dict(rows="iid", n=100, valid=101)), (ValueError, dict(rows="file", n=100)),
    ):
        with pytest.raises(error):
            rcm.simulate(**{"k": 20, "b": 10, "k_b": 2, **arguments})


LONG = "rcm.simulate('iid', 100, 50, 2, n=10**5, repetitions=10**9)"


@pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="there is no /proc")
@pytest.mark.parametrize(
    "program, signals", [(LONG, 1), (LONG, 2), (LONG.replace("10**5", "10**7"), 2),
                         (f"""import signal, numpy
def late(*more): raise TimeoutError
signal.signal(signal.SIGALRM, late)
for rows in ("iid", numpy.random.default_rng(1).standard_normal((3000, 10**4))):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    count = 3000 if rows is not "iid" else 10**9
    try: rcm.simulate(rows, 100, [50] * 200, 2, n=10**4, repetitions=count)
    except TimeoutError: print(rcm.simulate("iid", 100, 50, 2, n=1000).rows)
    signal.setitimer(signal.ITIMER_REAL, 0)
""", 0)], ids=["once", "twice", "twice in a long block", "an exception of a signal handler"])
def test_interrupt(program, signals):
    with listening("import recallmodel as rcm\nprint('ready', flush=True)\n" + program) as process:
        process.stdout.readline()
        begun = cpu_seconds(process)
        for _ in range(signals):
            # Until it is running rows.
            while process.poll() is None and cpu_seconds(process) < begun + 0.15:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    if signals:
        # A second Ctrl-C may come while Python ends. Then the exit status is another one, but
        # nothing crashes.
        crashes = (0, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)
        assert process.returncode not in crashes, (process.returncode, error)
        assert "finished.wait" in error and "KeyboardInterrupt" in error, error
    else:
        assert process.returncode == 0 and "100" in out, (process.returncode, out, error)


def test_an_ignored_signal_stays_ignored():
    """As under nohup: the module sets no handler of its own, and the rows run to their end."""
    program = """import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)
import recallmodel as rcm, os, threading
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
print(rcm.simulate('iid', 100, 50, 2, n=10**4, repetitions=3000).rows,
      signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"""
    with listening(program) as process:
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "3000 True\n"), error


def test_results_can_be_sent(tmp_path):
    got = rcm.simulate("iid", 20, [10, 20], 2, n=200, repetitions=50)
    copy = pickle.loads(pickle.dumps(got))
    numpy.testing.assert_array_equal(copy.recall_lower(), got.recall_lower())
    own = pickle.loads(pickle.dumps(rcm.profiles()[0]))
    shape = (2**18, 256, 1024, 2, 64)
    assert rcm.predict_us(own, *shape) == rcm.predict_us(rcm.profiles()[0], *shape)
    for wrong in (
        dict(confidence=2), dict(confidence=0), dict(comparisons=0), dict(comparisons=-1),
    ):
        with pytest.raises(ValueError):
            got.recall_lower(**wrong)


def test_bfloat16_of_a_file(tmp_path):
    x = numpy.random.default_rng(6).standard_normal((4, 256)).astype(numpy.float32)
    numpy.save(tmp_path / "x.npy", (x.view(numpy.uint32) >> 16).astype(numpy.uint16))
    cut = (x.view(numpy.uint32) & 0xFFFF0000).view(numpy.float32)
    got = rcm.simulate(tmp_path / "x.npy", 20, 10, 2, dtype="bf16")
    assert got.recall_mean == rcm.simulate(cut, 20, 10, 2).recall_mean
    with pytest.raises(ValueError, match="dtype bf16|uint16|u2"):
        rcm.simulate(tmp_path / "x.npy", 20, 10, 2)


def test_numbers_that_are_none():
    for call in (
        lambda: rcm.select(131072, 2048, 95, confidence=0.99),
        lambda: rcm.select(131072, 2048, 1.0000001),
        lambda: rcm.select(131072, 2048, 0),
        lambda: rcm.select(131072, 2048, 0.9, confidence=0),
        lambda: rcm.select(131072, 2048, 0.9, confidence=float("nan")),
        lambda: rcm.select(131072, 2048, 0.9, k_b_max=-1),
        lambda: rcm.select(131072, 2048, 0.9, objective="foo"),
        lambda: rcm.select(131072, 2048, 0.9, objective="time", profile=rcm.profiles()[0],
                           kernel="ours"),
        lambda: rcm.smallest_b(100, 10, 1, 0.9, align=-1),
        lambda: rcm.simulate("iid", 10, 10, 1, n=100, seed=-1),
        lambda: rcm.simulate("placement", 10, 10, 1, n=2**60),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: rcm.select(131072.9, 2048, 0.9),
        lambda: rcm.select(2**64 + 131072, 2048, 0.9),
        lambda: rcm.lost_distribution(100.7, 10, 5, 2),
        lambda: rcm.predict_us(7, 100, 10, 10, 1),
        lambda: rcm.simulate("iid", 10, 10, 1, n=100.5),
        lambda: rcm.simulate("iid", [10], 10, 1, n=100),
    ):
        with pytest.raises(TypeError):
            call()
    assert numpy.isnan(rcm.recall_quantile(100, 10, 5, 2, [-1, 0, 1.5, numpy.nan])).all()
    assert rcm.recall_quantile(100, 10, 5, 2, 0.95, m=0) == rcm.recall_quantile(100, 10, 5, 2, 0.95)
    assert rcm.simulate("iid", 50.0, 10, 1, n=1e3).rows == 100
    assert (rcm.xla_b(1000, 5, 0.95), rcm.xla_b(1000, 5, 0.95, m=2)) == (0, 256)
    assert rcm.recall([], 10, 5, 1).shape == (0,)
    for call in (
        lambda: rcm.smallest_b(262144, 1024, 4, 95),
        lambda: rcm.largest_k(262144, 512, 4, 0),
        lambda: rcm.xla_b(1000, 5, 1.5),
        lambda: rcm.select(100, 101, 0.9),
        lambda: rcm.simulate("idd", 10, 10, 1, n=100),
    ):
        with pytest.raises(ValueError):
            call()
    masked = numpy.ma.masked_greater(numpy.array([5, 50]), 20)
    for call in (
        lambda: rcm.recall(100, 10, masked, 1),
        lambda: rcm.simulate(masked.astype(float), 1, 1, 1),
        lambda: rcm.simulate("ar1", 10, 10, 1, n=100, rho=[0.1]),
        lambda: rcm.simulate("iid", "10", 10, 1, n=100),
    ):
        with pytest.raises(TypeError):
            call()
    assert rcm.smallest_b(262144, 1024, 4, 0.95) - 500 == -40
    profile = rcm.profiles()[0]
    by_default = rcm.select(131072, 2048, 0.95, m=64, profile=profile)
    assert by_default == rcm.select(131072, 2048, 0.95, m=64, objective="time", profile=profile)
    lost, probability = rcm.lost_distribution(100, 10, 10, 1)
    assert lost.max() <= 10 and abs(probability.sum() - 1) < 1e-12
    assert rcm.recall.__name__ == "recall"
    assert len(repr(rcm.simulate("iid", 10, 10, 1, n=100))) < 100


# ---- profiles of one's own


def test_profile_from_a_file(tmp_path):
    ours = pathlib.Path("model/time/profiles/h100_pcie_graphcore_f16.profile")
    own, shipped = rcm.read_profile(ours), rcm.profiles()[0]
    for name in ("name", "kernel", "dtype", "parameters", "median_error"):
        assert getattr(own, name) == getattr(shipped, name)
    b = numpy.array([256, 1024, 4096])
    numpy.testing.assert_array_equal(rcm.predict_us(own, 2**18, 256, b, 2, 64),
                                     rcm.predict_us(shipped, 2**18, 256, b, 2, 64))
    choices = [rcm.select(131072, 2048, 0.95, m=64, objective="time", profile=profile)
               for profile in (own, shipped)]
    assert choices[0] == choices[1]
    text = ours.read_text()
    for change, says in (
        (("launch_us", "lunch_us"), "lunch_us"), (("kernel = graphcore", ""), "kernel"),
        (("kernel = graphcore", "kernel = any"), "kernel"), (("dtype = f16", "dtype = f8"), "f8"),
        (("launch_us = ", "launch_us = x"), ":1"),
        (("element_us_2 = ", "element_us_2 = -"), "positive"),
        (("launch_us = 2.", "launch_us = 2_."), "positive"),
        (("bandwidth_bytes_per_s = ", "bandwidth_bytes_per_s = junk"), "junk"),
        (("element_us_", "# "), "element_us_1"), (("memory_ratio", "# "), "memory_ratio"),
    ):
        (tmp_path / "changed").write_text(text.replace(*change, -1 if change[1] == "# " else 1))
        with pytest.raises(ValueError, match=says):
            rcm.read_profile(tmp_path / "changed")


# ---- the names in the annotations


@pytest.mark.parametrize("kind, enumeration", [
    ("Assignment", "rcm_assignment"), ("Assignment", "sim_assignment"),
    ("KernelAssignment", "rcm_gpu_assignment"), ("Deploy", "rcm_deploy"), ("Dtype", "rcm_dtype"),
    ("Verdict", "rcm_verdict"), ("Kind", "rcm_contender_kind"),
    ("Input", "sim_input"), ("RowDtype", "sim_dtype"), ("Shuffle", "sim_shuffle"),
    ("Weights", "sim_weights")])
def test_names_are_those_of_an_enumeration(kind, enumeration):
    names = typing.get_args(getattr(_library, kind))
    if kind == "Deploy":  # rcm_deployed has one more name
        assert names[-1] == "none"
        names = names[:-1]
    elements = _library.ffi.typeof(f"enum {enumeration}").elements
    for i, name in enumerate(names):
        assert elements.pop(i).endswith("_" + name.upper().replace("-", "_"))
    # What says how many there are, SIM_INPUTS, and types of lengths, which no row has.
    rest = [name for name in elements.values() if not re.fullmatch("SIM_[IU][0-9]+", name)]
    assert [name.rpartition("_")[2][-1:] for name in rest] in ([], ["S"])


@pytest.mark.parametrize("kind, registry", [("CostModel", "rcm_cost_model"),
                                            ("Objective", "rcm_objective")])
def test_names_are_those_of_a_registry(kind, registry):
    rows = _library.rows_of(getattr(_library.model, registry))
    assert typing.get_args(getattr(_library, kind)) == tuple(
        _library.text_of(row.name) for row in rows)


def test_examples_in_docstrings():
    assert doctest.testmod(rcm).failed == 0
