"""The calls below each answer: every device, kernel and type (test_calls.sh)."""

import json
import os
import re
import subprocess

import numpy

TYPES = "f16", "bf16", "f32"
FEW = os.environ.get("CASES") == "few"
SHAPES = {  # b and k_b in each call; Graphcore's has j and k_mult, JAX's says its buckets
    "c": r"\.b = (?P<b>\d+), \.k_b = (?P<k_b>\d+)",
    "graphcore": r"; (?P<b>\d+) buckets[a-z ,]*, k_b = (?P<k_b>\d+)",
    "jax": r"on a TPU (?P<b>\d+) buckets, k_b = (?P<k_b>\d+)",
    "pytorch": r"bucket i mod (?P<b>\d+);[^@]*?topk\((?P<k_b>\d+), dim=1\)",
    "cpu": r", b=(?P<b>\d+), k_b=(?P<k_b>\d+)",
    "numpy": r", b=(?P<b>\d+), k_b=(?P<k_b>\d+)",
}
CALL_OF = {"any": ("pytorch",), "ours": ("c",), "xla": ("jax",), "cpu": ("cpu",)}


def names_of(*command):
    output = subprocess.run(
        [os.environ["RECALLMODEL"], *command], check=False, capture_output=True, text=True
    )
    return output.stdout or output.stderr


def rival_is_shown(answer, asked):
    """Where the answer says to time both, the text has both calls, of buckets and of exact
    top-k. Returns whether it does."""
    pair = [answer["call"], answer["rival_call"]]
    if "time both" not in answer["headline"]:
        assert pair[1] is None, asked
        return False
    key = pair[answer["verdict"] == "exact"]
    assert pair[answer["verdict"] != "exact"] in ("exact", "c_exact", "cpu"), (asked, pair)
    got = re.search(SHAPES[key], answer["usage"][key], re.S)
    assert got and ("# not b = " in answer["usage"][key] or
                    all(int(got[name]) == answer["choice"][name] for name in ("b", "k_b"))), asked
    text = names_of("select", *asked.split())
    for key in pair:
        lines = answer["usage"][key].splitlines()
        if pair == ["c_exact", "c"] and key == "c":  # its body
            lines = [line for line in lines if line.startswith("    ")][1:]
        assert all(f"\n  {line}" in text for line in lines), (asked, lines)
    return True


def main():
    """Each device, kernel and type: the call that is shown runs the b and k_b of the answer, on
    the kernel of the answer, or says in its first lines that it does not."""
    generator = numpy.random.default_rng(20261124)
    devices = [row.split(",")[0] for row in names_of("devices", "--csv").splitlines()[1:]]
    known = names_of("select", "--n", "9", "--k", "1", "--kernel", "zzz")
    kernels = known.split("give one of ")[1].strip().split(", ")
    assert len(devices) > 20 and len(kernels) > 8, (devices, kernels)
    count, other, both, shown = 0, 0, 0, set()
    for device in devices:
        for kernel in kernels:
            for dtype in [str(generator.choice(TYPES))] if FEW else TYPES:
                n = int(generator.choice([4096, 50000, 128256, 2**17, 10**6, 2**20]))
                k = int(generator.choice([1, 10, 50, 64, 100, 256, 512]))
                asked = f"--n {n} --k {k} --m {generator.choice([1, 8, 256])} --recall .95 "
                asked += f"--device {device} --kernel {kernel} --dtype {dtype}"
                output = names_of("select", *asked.split(), "--json")
                if not output.startswith("{"):
                    assert "runs on a CPU" in output or "finds the exact" in output, output
                    continue
                count += 1
                answer = json.loads(output)
                key, choice = answer["call"], answer["choice"]
                text = answer["usage"][key]
                shown.add(key)
                both += rival_is_shown(answer, asked)
                if key in ("exact", "c_exact"):
                    assert answer["deploy"] != "bucketed" or not choice, asked
                    continue
                own = CALL_OF.get(answer["kernel"])
                if own is None:
                    graph = answer["kernel"].startswith("graphcore")
                    own = ("graphcore",) if graph else ("pytorch",)
                assert key in own + ("pytorch",), (asked, key)
                if key == "cpu" and answer["deploy"] != "bucketed":
                    assert "b=" not in text, asked
                    continue
                got = re.search(SHAPES[key], text, re.S)
                assert got, (asked, text)
                same = all(int(got[name]) == choice[name] for name in ("b", "k_b"))
                said = f"# not b = {choice['b']}, k_b = {choice['k_b']}, but the nearest" in text
                assert same != said, (asked, text)
                other += said
    every = {"exact", "c_exact", "graphcore", "c", "jax", "pytorch"}
    assert every <= shown and other > 3 and both > 3, (shown, other, both)
    print(f"{count} answers: the call below each is the answer's; {other} say that it is near")


main()
