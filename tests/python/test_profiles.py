"""Devices and profiles by name and as text; what a bad argument raises is what the command says."""
import dataclasses
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _library

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")
PROFILES = sorted(pathlib.Path("model/time/profiles").glob("**/*.profile"))


def says(*arguments):
    """What the command says is wrong, with its options named as Python's arguments are."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 2
    text = done.stderr.strip().replace("recallmodel: ", "")
    names = {"kb": "k_b", "ranks": "rank"}
    return re.sub(r"--(\w+) (\d+)", lambda m: f"{names.get(m[1], m[1])} = {m[2]}", text)


def fitted(profile):
    """All that a profile says, but for the rates of its device, which a file need not have."""
    text = profile.text()
    return profile.name, profile.source, text[text.index("\nkernel = "):]


# ---- by name


def test_devices():
    table = json.loads(subprocess.check_output([PROGRAM, "devices", "--json"]))["devices"]
    assert [device.name for device in rcm.devices()] == [row["device"] for row in table]
    for device, row in zip(rcm.devices(), table):
        assert device.bandwidth_bytes_per_s == row["bandwidth_bytes_per_s"]
        assert device.source == row["source"]
    assert {device.name for device in rcm.devices("h100")} >= {"H100-PCIe", "H100-SXM"}
    assert [device.name for device in rcm.devices(" h100_pcie")] == ["H100-PCIe"]
    assert [device.name for device in rcm.devices("A100-PCIe")] == ["A100-PCIe"]
    assert rcm.devices("H20") == [] and rcm.devices("") == [] and rcm.devices("x") == []
    with pytest.raises(dataclasses.FrozenInstanceError):
        rcm.devices()[0].name = "other"
    assert rcm.devices() == rcm.devices() and len(set(rcm.devices())) == len(rcm.devices())


def test_a_device_has_the_rates_of_the_structure():
    ours = {field.name for field in dataclasses.fields(rcm.Device)}
    theirs = {name for name, _ in _library.ffi.typeof("struct rcm_device").fields}
    assert theirs - ours == {"matrix_rate_printed_per_s"} and ours <= theirs


def test_profiles_by_name():
    everything = [profile.text() for profile in rcm.profiles()]
    assert len(everything) == len(PROFILES)
    assert {profile.name for profile in rcm.profiles("h100 pcie")} == {"H100-PCIe"}
    assert rcm.profiles("H100") and rcm.profiles("B200") == [] == rcm.profiles("nothing")
    assert {profile.name[:4] for profile in rcm.profiles("H100")} == {"H100"}
    assert rcm.profile("h100p").name == "H100-PCIe"
    assert rcm.profile("H100-PCIe", dtype="f16").dtype == "f16"
    own = rcm.profiles()[0]
    assert rcm.profile(own) is own


def test_a_name_or_a_path_in_place_of_a_profile():
    own = rcm.profiles("H100-PCIe")[0]
    file = next(path for path in PROFILES if fitted(rcm.read_profile(path)) == fitted(own))
    want = rcm.predict_us(own, 2**18, 256, [256, 1024], 2, 64)
    for name in ("H100-PCIe", "h100p", file, str(file)):
        numpy.testing.assert_array_equal(rcm.predict_us(name, 2**18, 256, [256, 1024], 2, 64), want)
        assert rcm.exact_time_us(name, 2**18, 256, 64) == rcm.exact_time_us(own, 2**18, 256, 64)
    for name, text in (("H100", "may mean .*H100-PCIe.*H100-SXM"),
                       ("B200", "'B200' has no profile; there are those of .*H100-PCIe"),
                       ("nothing", "'nothing' is not known")):
        with pytest.raises(ValueError, match=text):
            rcm.predict_us(name, 2**18, 256, 1024, 2)
    with pytest.raises(OSError):
        rcm.predict_us("./no.profile", 2**18, 256, 1024, 2)
    with pytest.raises(TypeError):
        rcm.predict_us(7, 2**18, 256, 1024, 2)
    with pytest.raises(ValueError, match="is of kernel"):
        rcm.profile("H100-PCIe", kernel="xla")


# ---- as text


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_text_comes_back(path, tmp_path):
    own = rcm.read_profile(path)
    text = own.text()
    rcm.write_profile(own, tmp_path / "own.profile")
    again = rcm.read_profile(tmp_path / "own.profile")
    assert again.text() == text
    assert again.parameters == own.parameters and again.figures == own.figures
    assert pickle.loads(pickle.dumps(own)).text() == text
    assert fitted(own) in [fitted(profile) for profile in rcm.profiles()]
    out = subprocess.check_output([PROGRAM, "devices", "--device", tmp_path / "own.profile"])
    assert own.name in out.decode()


def test_what_is_read_is_what_the_command_reads(tmp_path):
    text, path = PROFILES[0].read_text(), tmp_path / "x.profile"
    for change in ("launch_us = 3\n", "kernel = any\n", "launch_us 3\n", "lunch_us = 3\n",
                   "n_low = 0x5\n", "dtype = f8\n", "date = \x1b[2J\n", "date = " + "x" * 40 + "\n",
                   "#" + "x" * 600 + "\n", "name = a\0b\n"):
        path.write_text(text + change)
        words = [PROGRAM, "devices", "--device", path]
        done = subprocess.run(words, capture_output=True, text=True)
        with pytest.raises(ValueError) as error:
            rcm.read_profile(path)
        assert done.returncode == 2
        assert done.stderr.strip() == f"recallmodel: --device {error.value}"
        assert str(error.value).startswith(f"{path}:{text.count(chr(10)) + 1}: ")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert rcm.read_profile(path).text() == rcm.read_profile(PROFILES[0]).text()
    path.write_text("bandwidth_bytes_per_s = 1e12\nvector_rate_per_s = 1e12\n")
    with pytest.raises(ValueError, match="without a profile"):
        rcm.read_profile(path)


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path, tmp_path / "pipe"):
        with pytest.raises(ValueError, match="is not a regular file"):
            rcm.read_profile(path)
    (tmp_path / "large").write_bytes(b" " * 10**6)
    with pytest.raises(ValueError, match="less than 64 KB"):
        rcm.read_profile(tmp_path / "large")


@pytest.mark.skipif(not shutil.which("localedef"), reason="there is no localedef")
def test_a_decimal_comma(tmp_path):
    """In a program that has called setlocale."""
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
                          capture_output=True)
    if made.returncode != 0:
        pytest.skip("localedef has no de_DE (Debian: locales)")
    program = f"""import locale, recallmodel as rcm
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
print(rcm.read_profile({str(PROFILES[0])!r}).text())"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LOCPATH": str(tmp_path)}
    out = subprocess.check_output([sys.executable, "-c", program], text=True, env=environment,
                                  timeout=60)
    assert out.strip() == rcm.read_profile(PROFILES[0]).text().strip()


# ---- bad arguments

SHAPE_FUNCTIONS = ("recall", "loss", "recall_binomial", "loss_binomial", "loss_bound", "recall_sd",
                   "recall_worst_case", "probability_exact")


@pytest.mark.parametrize("n, k, b, k_b, more", [
    (10, 20, 5, 1, {}), (10, 5, 11, 1, {}),
    (10, 5, 5, 1, {"valid": 3}), (10, 5, 5, 1, {"valid": 30})])
def test_bad_numbers_raise_what_the_command_says(n, k, b, k_b, more):
    options = [word for name in more for word in (f"--{name}", more[name])]
    want = says("--n", n, "--k", k, "--b", b, "--kb", k_b, *options)
    for name in SHAPE_FUNCTIONS:
        with pytest.raises(ValueError) as error:
            getattr(rcm, name)(n, k, b, k_b, **more)
        assert str(error.value) == want
        assert numpy.isnan(getattr(rcm, name)(n, k, [b], k_b, **more)).all()
    if more:
        return
    for call in (lambda b: rcm.cost("basic", n, k, b, k_b),
                 lambda b: rcm.predict_us("H100-PCIe", n, k, b, k_b),
                 lambda b: rcm.recall_quantile(n, k, b, k_b, 0.95),
                 lambda b: rcm.survival(n, k, b, k_b, 1)):
        with pytest.raises(ValueError) as error:
            call(b)
        assert str(error.value) == want
        assert numpy.isnan(call([b])).all()
    with pytest.raises(ValueError) as error:
        rcm.lost_distribution(n, k, b, k_b)
    assert str(error.value) == want


def test_other_bad_numbers():
    above = says("--n", 10, "--k", 20)
    for call in (lambda k: rcm.exact_time_us("H100-PCIe", 10, k),
                 lambda k: rcm.smallest_b(10, k, 1, 0.9), lambda k: rcm.xla_b(10, k, 0.9)):
        with pytest.raises(ValueError) as error:
            call(20)
        assert str(error.value) == above
        assert call([20]).shape == (1,)
    buckets = says("--n", 10, "--k", 5, "--b", 11)
    with pytest.raises(ValueError) as error:
        rcm.largest_k(10, 11, 1, 0.9)
    assert str(error.value) == buckets and rcm.largest_k(10, [11], 1, 0.9) == [0]
    with pytest.raises(ValueError) as error:
        rcm.survival(10, 5, 5, 1, 6)
    assert str(error.value) == says("ranks", "--n", 10, "--k", 5, "--ranks", 6)
    assert numpy.isnan(rcm.survival(10, 5, 5, 1, [6, 0])).all()
    assert numpy.isnan(rcm.survival([10], 20, 5, 1, 1)).all()
    most = r"is larger than 2\^53 - 1 = 9007199254740991"
    for call, text in (
            (lambda: rcm.recall(0, 1, 1, 1), "n is zero"),
            (lambda: rcm.recall(2**53, 1, 1, 1), most),
            (lambda: rcm.recall(10, 0, 1, 1), "k is zero"),
            (lambda: rcm.recall(10, 1, 0, 1), "b is zero"),
            (lambda: rcm.recall(10, 1, 1, 0), "k_b is zero"),
            (lambda: rcm.recall(10, 1, 1, 2**60), most),
            (lambda: rcm.smallest_b(10, 5, 0, 0.9), "k_b is zero"),
            (lambda: rcm.largest_k(10, 5, 0, 0.9), "k_b is zero"),
            (lambda: rcm.largest_n(0, 5, 1, 0.9), "k is zero"),
            (lambda: rcm.largest_n(5, 0, 1, 0.9), "b is zero"),
            (lambda: rcm.survival(10, 5, 5, 1, 0), "rank is zero"),
            (lambda: rcm.recall_quantile(10, 5, 5, 1, 1.5), "write 0.95 for 95 %"),
            (lambda: rcm.recall_quantile(10, 5, 5, 1, float("nan")), "write 0.95 for 95 %"),
            (lambda: rcm.lost_distribution(10, 0, 5, 1), "k is zero")):
        with pytest.raises(ValueError, match=text):
            call()


def test_nan_of_a_legal_shape_stays():
    # Its runs had k_b up to 4; the distribution's error is too large for so many rows; only k <
    # 2^52.
    assert numpy.isnan(rcm.predict_us("H100-PCIe", 2**18, 1024, 1024, 8))
    assert numpy.isnan(rcm.recall_quantile(4096, 64, 16, 8, 0.95, m=10**15))
    assert numpy.isnan(rcm.probability_exact(2**52, 2**40, 4, 2**38 + 2**19))
    assert rcm.smallest_b(10, 5, 6, 0.9) == 0 and rcm.largest_k(10**6, 1, 1, 1.0) == 1


# ---- kernels that only find the exact top-k


def test_select_with_an_exact_kernel():
    question = dict(m=64, device="b200")
    us = rcm.exact_time_us("gvr_v2", 131072, 1024, 64)
    choice = rcm.select(131072, 1024, 0.95, exact_kernel="gvr_v2", **question)
    assert choice.exact_objective == us
    same = rcm.select(131072, 1024, 0.95, exact_us=us, **question)
    assert (choice.b, choice.k_b, choice.exact_objective) == (same.b, same.k_b, us)
    exact = [[c for c in one.contenders if c.kind == "exact"] for one in (choice, same)]
    assert [[(c.profile, c.time_us) for c in one] for one in exact] == [
        [("gvr_v2_b200", us)], [(None, us)]]  # that one alone
    assert choice == rcm.select(131072, 1024, 0.95, exact_kernel=rcm.profile("gvr_v2_b200"),
                                **question)
    answer = subprocess.check_output(
        [PROGRAM, "select", "--n", "131072", "--k", "1024", "--m", "64", "--device", "b200",
         "--exact-kernel", "gvr_v2", "--json"])
    assert json.loads(answer)["exact_objective"] == us


@pytest.mark.parametrize("arguments, says_so", [
    (dict(exact_kernel="gvr_v2", exact_us=4.0, device="b200"), "give only one"),
    (dict(exact_kernel="gvr_v2"), "exact_kernel is compared with a time"),
    (dict(exact_kernel="nothing", device="b200"), "is not known"),
    (dict(profile="gvr_v2"), "has no stage 1"),
])
def test_select_refuses_an_exact_kernel(arguments, says_so):
    with pytest.raises(ValueError, match=says_so):
        rcm.select(131072, 1024, 0.95, **arguments)


def chosen_by_command(*arguments):
    """b, k_b and the time that the command's select says; None where it refuses."""
    done = subprocess.run([PROGRAM, "select", *arguments, "--json"], capture_output=True, text=True)
    if done.returncode == 2:
        return None
    choice = json.loads(done.stdout)["choice"]
    return choice["b"], choice["k_b"], choice["predicted_us"]


@pytest.mark.parametrize("dtype", [None, "f16", "bf16", "f32"])
@pytest.mark.parametrize("name", ["h100-pcie", "cpu", "v100s", "tpuv5e"])
def test_one_rule_of_types(tmp_path, name, dtype):
    """A profile of one's own and that of the library: the type of a question does what it does for
    the command, which carries a profile to another width or refuses."""
    path = tmp_path / "my.profile"
    own = rcm.profile(name)
    path.write_text(own.text())
    n, k, m = (2**26, 256, 1) if name == "v100s" else (2**18, 1024, 16)
    for device, profile in ((name, name), (path, path)):
        asked = (f"--n {n} --k {k} --m {m} --recall .9 --device {device} "
                 f"--kernel {own.kernel}").split()
        theirs = chosen_by_command(*asked, *(["--dtype", dtype] if dtype else []))
        if theirs is None:
            with pytest.raises(ValueError, match="cannot answer for"):
                rcm.select(n, k, .9, m=m, profile=profile, dtype=dtype)
            continue
        ours = rcm.select(n, k, .9, m=m, profile=profile, dtype=dtype)
        assert (ours.b, ours.k_b) == theirs[:2]
        assert ours.objective == pytest.approx(theirs[2], rel=1e-12)
        assert (ours.stand_in is None) == (dtype in (None, own.dtype)
                                           or {dtype, own.dtype} == {"f16", "bf16"})


@pytest.mark.parametrize("device", ["h100-pcie", "b200", "l4", "cpu"])
def test_too_close_to_call(device):
    """What the command says of near ties, over shapes, recalls and exact times."""
    seen = set()
    for n, k, m in ((2048, 64, 1), (2**16, 1024, 64), (128256, 50, 256), (2**20, 1024, 1)):
        for recall in (0.8, 0.99):
            for more in ({}, dict(exact_us=35), dict(exact_kernel="gvr_v2")):
                if device == "cpu" and "exact_kernel" in more:
                    continue
                asked = [f"--{name.replace('_', '-')}={value}" for name, value in more.items()]
                theirs = json.loads(subprocess.check_output(
                    [PROGRAM, "select", "--n", str(n), "--k", str(k), "--m", str(m), "--recall",
                     str(recall), "--device", device, *asked, "--json", "--brief"]))
                where = dict(profile="cpu") if device == "cpu" else dict(device=device)
                ours = rcm.select(n, k, recall, m=m, **where, **more)
                assert ((ours.too_close, ours.deploy, ours.cause)
                        == (theirs["too_close"], theirs["deploy"], theirs["cause"]))
                seen.add(ours.too_close)
    assert seen == {True, False}


@pytest.mark.parametrize("cause, words, question", [
    ("least", "least objective", dict(device="h100-pcie", m=64, exact_us=100)),
    ("too_close", "may take equally long", dict(device="h100-pcie", m=64, exact_us=26)),
    ("no_exact", "is not known", dict(device="h100-pcie", m=64, objective="roofline")),
    ("recall", "no buckets", dict(n=64, k=60, target=0.999)),
    ("options", "align and divisors", dict(n=1000, k=400, align=512)),
    ("runs", "within the runs", dict(n=3_000_000, k=100, target=0.99, profile="v100s")),
    ("kernel", "the kernel runs no", dict(n=2**17, k=2**16, kernel="graphcore")),
])
def test_cause(cause, words, question):
    choice = rcm.select(**{"n": 2**16, "k": 64, "target": 0.95, **question})
    assert choice.cause == cause
    assert words in choice.reason


def test_names_of_devices_are_those_of_the_command():
    question = dict(n=2**17, k=64, target=0.95, m=8)
    assert rcm.select(**question, device="h200") == rcm.select(**question, device="H200")
    with pytest.warns(UserWarning, match="^h100 is taken as H100-SXM; there are H100-PCIe and "
                      "H100-NVL, too$") as warned:
        assert rcm.select(**question, device="h100") == rcm.select(**question, device="H100-SXM")
    assert warned[0].filename == __file__
    assert (rcm.select(**question, device="NVIDIA A100-SXM4-40GB")
            == rcm.select(**question, device="A100-SXM-40GB"))
    assert rcm.select(**question, device="p5.48xlarge") == (
        rcm.select(**question, device="GH100 [H100 SXM5 80GB] (rev a1)"))
    assert [one.name for one in rcm.devices("NVIDIA H100 80GB HBM3")] == ["H100-SXM"]
    assert rcm.devices("h20") == []
    with pytest.raises(ValueError, match="has the chip and the memory of H100-SXM: give that"):
        rcm.select(**question, device="H800")
    assert rcm.select(**question, device="cpu") == rcm.select(**question, profile="cpu")
    assert rcm.select(**question, device="h100_pcie", kernel="graphcore").contenders == (
        rcm.select(**question, profile="H100-PCIe").contenders)
    with pytest.warns(UserWarning, match="^AMD Instinct MI300 is taken as MI300X$"):
        rcm.select(2**18, 64, 0.95, device="AMD Instinct MI300")
    for name, text in (("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "a part of a card"),
                       ("BM.GPU.H100.8", "no device and no file")):
        with pytest.raises(ValueError, match=text):
            rcm.select(2**18, 64, 0.95, device=name)
    with pytest.raises(ValueError, match="may mean TPUv5e, TPUv5p; give one of them"):
        rcm.select(**question, device="tpuv5")
    with pytest.raises(ValueError, match="'nothing' is not known"):
        rcm.select(**question, device="nothing")


def test_profile_of_a_file_says_its_card(tmp_path):
    text = next(one for one in rcm.profiles("H200") if one.dtype == "f32").text()
    question, known = dict(n=2**17, k=2048, target=0.95, m=8, dtype="f32"), None
    for lines in ("name = H200", "name = mine\ncard = NVIDIA H200"):
        (tmp_path / "own.profile").write_text(text.replace("name = H200", lines))
        for names in (dict(device=str(tmp_path / "own.profile")),
                      dict(profile=tmp_path / "own.profile")):
            choice = rcm.select(**question, **names)
            known = known or choice.contenders[0].name
            assert choice.verdict == "exact" and choice.contenders[0].name == known


def test_contenders_of_other_objectives():
    for more, timed in ((dict(), False), (dict(objective="roofline", device="H100-PCIe"), True),
                        (dict(exact_us=1000.0, objective="roofline", device="H200"), True)):
        choice = rcm.select(2**17, 2048, 0.95, m=64, **more)
        first, *others = choice.contenders
        assert choice.verdict == "buckets" == first.kind and choice.deploy == "bucketed"
        assert (first.b, first.k_b) == (choice.b, choice.k_b) and first.loses > 0.04
        places = [(not one.callable, one.objective) for one in others]
        assert places == sorted(places) and first.callable
        assert all(one.callable == (one.kind != "threshold") for one in choice.contenders)
        assert all((one.time_us == one.objective) == timed for one in choice.contenders)
        assert all(one.package is None for one in choice.contenders)
        exact = [one for one in others if one.kind == "exact"]
        if "exact_us" in more:
            assert [(one.name, one.objective) for one in exact] == [("yours", 1000.0)]
        else:
            assert [one.objective for one in exact] == ([] if timed else [2**17])
    assert first.objective == choice.objective  # the launch of the H200 is not known


def test_profile_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(ValueError, match="recallmodel bench --calibrate"):
        rcm.select(2**16, 64, 0.95, profile="this")
    (tmp_path / "recallmodel").mkdir()
    (tmp_path / "recallmodel/cpu.profile").write_text(rcm.profile("cpu").text())
    with_name = rcm.select(2**16, 64, 0.95, profile="cpu")
    assert rcm.select(2**16, 64, 0.95, profile="this") == with_name
    # as the command: a path that is not absolute does not count, and the home folder does
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(ValueError, match="recallmodel bench --calibrate"):
        rcm.select(2**16, 64, 0.95, profile="this")
    (tmp_path / "home").mkdir()
    (tmp_path / "recallmodel").rename(tmp_path / "home" / "recallmodel")
    (tmp_path / "home/.config").symlink_to(tmp_path / "home")
    assert rcm.select(2**16, 64, 0.95, profile="this") == with_name


def test_no_time_below_the_floor(tmp_path):
    for device, exact_us in (("h100-pcie", 0.01), ("h200", 0.01), ("h100-pcie", 2.1)):
        with pytest.raises(ValueError, match="exact_us .*is less than every kernel takes"):
            rcm.select(131072, 1024, 0.95, m=64, device=device, exact_us=exact_us)
    assert rcm.select(131072, 1024, 0.95, m=64, device="h100-pcie", exact_us=9.0)
    path = tmp_path / "milliseconds.profile"
    text = rcm.profile("torch_topk_h100_pcie").text()
    text = re.sub(r"(?m)^roof_bytes_per_s = \S+", "roof_bytes_per_s = 1.2e15", text)
    path.write_text(re.sub(r"(?m)^((?:launch|row|row_element|long|long_element)_us) = (\S+)",
                           lambda found: f"{found[1]} = {float(found[2]) / 1000}", text))
    with pytest.raises(ValueError, match="exact_kernel .*is less than every kernel takes"):
        rcm.select(131072, 1024, 0.95, m=64, device="h100-pcie", exact_kernel=path)


def test_exact_kernels_select_nothing_of_k_equal_n():
    assert numpy.isnan(rcm.exact_time_us("gvr_v2", 4096, [4096])[0])
    with pytest.raises(ValueError, match="k = n selects nothing"):
        rcm.select(4096, 4096, 0.95, device="b200", exact_kernel="gvr_v2")


def test_exact_kernel_of_a_file(tmp_path):
    # The file's profile must live until it has been compared with.
    path = tmp_path / "kernel.profile"
    path.write_text(rcm.profile("torch_topk_h100_pcie").text())
    asked = [rcm.select(2**17, 50, "0.95", device="H100-PCIe", exact_kernel=kernel)
             for kernel in (path, "torch_topk_h100_pcie")]
    assert asked[0].exact_objective == asked[1].exact_objective > 0
