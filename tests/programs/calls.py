"""Runs the calls that select prints.  calls.py c FOLDER N | calls.py python: see test_calls.sh."""

import json
import os
import pathlib
import re
import subprocess
import sys
import types

FEW = os.environ.get("CASES") == "few"


def c(folder, n):
    """FOLDER/json: the call for C into top_k.c. Prints type, k_b, if b divides n, recall, sd."""
    answer = json.loads(pathlib.Path(folder, "json").read_text())
    text = answer["usage"]["c"]
    if text is None:
        return 1
    pathlib.Path(folder, "top_k.c").write_text(text)
    b, k_b = (int(re.search(rf"\.{name} = (\d+)", text)[1]) for name in ("b", "k_b"))
    choice = answer["choice"]
    assert (b, k_b) == (choice["b"], choice["k_b"]), text
    dtype = re.search(r"RCM_GPU_(B?F\d+)", text)[1].lower()
    print(dtype, k_b, "no" if int(n) % b else "yes", choice["recall"], choice["recall_sd"])
    return 0


# ---- the questions


def questions(count, generator):
    """Random questions, each the JSON of one n and k, and the arguments it was asked with."""
    program = os.environ["RECALLMODEL"]
    ways = {
        "graphcore": "None",
        "graphcore-thread": "False",
        "graphcore-block": "True",
        "any": "None",
        "ours": "None",
        "xla": "None",
    }
    asked = 0
    while asked < count:
        kernel = str(generator.choice(list(ways)))
        n = [int(x) for x in 2 ** generator.uniform(5, 13, 2)]
        k = sorted({int(2 ** generator.uniform(0, 4.5)), 4 * int(2 ** generator.uniform(0, 2.9))})
        m = int(generator.choice([1, 1, 2, 5, 64, 2000]))
        arguments = [
            "--n",
            ",".join(map(str, n)),
            "--k",
            ",".join(map(str, k)),
            "--m",
            str(m),
            "--recall",
            str(generator.choice([".5", ".8", ".9", ".95", ".99", ".999"])),
            "--kernel",
            kernel,
            "--kb-max",
            str(generator.integers(1, 5)),
        ]
        if kernel.startswith("graphcore") and generator.integers(2):
            arguments += ["--device", "h100-pcie"]
        elif kernel in ("any", "ours"):
            arguments += [[], ["--device", "b200", "--dtype", "bf16"], ["--align", "8"]][
                generator.integers(3)
            ]
        output = subprocess.run(
            [program, "select", *arguments, "--json"], check=True, capture_output=True
        )
        answers = json.loads(output.stdout)
        for answer in answers.get("queries", [answers]):
            yield " ".join(arguments), ways[kernel], answer
            asked += 1


# ---- PyTorch


def shape_in(text):
    return tuple(
        int(x)
        for x in re.search(r"# x: \(([\d, ]+)\)", text)[1].replace(" ", "").strip(",").split(",")
    )


def result_of(text, x, modules, of_numpy, to_numpy):
    """Runs a call on rows. Returns the values of k different elements of each row."""
    names = {"x": of_numpy(x)}
    with_modules(text, modules, names)
    values, indices = to_numpy(names["values"]), to_numpy(names["indices"])
    k = values.shape[1]
    assert values.shape == indices.shape == (x.shape[0], k)
    assert indices.min() >= 0 and indices.max() < x.shape[1], "an index beyond the row"
    assert all(len(set(row)) == k for row in indices.tolist()), "an index twice"
    assert numpy.array_equal(
        numpy.take_along_axis(x, indices, axis=1), values, equal_nan=True
    ), "a value that is not at its index"
    return values


def hard_rows(shape, k, generator):
    """Masked rows with fewer than k finite values or none, NaN among them, and ties."""
    for finite in 0, 1, k // 2, k:
        x = numpy.full(shape, -numpy.inf, dtype=numpy.float32)
        for row in x:
            row[generator.permutation(shape[1])[:finite]] = generator.normal(size=finite)
        yield x
    holes = x.copy()
    holes[:, generator.integers(shape[1])] = numpy.nan
    yield holes
    yield numpy.zeros(shape, dtype=numpy.float32)
    yield numpy.full(shape, numpy.finfo(numpy.float32).min)
    yield generator.integers(0, 3, shape).astype(numpy.float32)


def run_torch(text, modules, of_numpy, to_numpy, generator):
    """Runs a call on hard rows, and on rows of distinct values. Returns the latter's recalls."""
    shape = shape_in(text)
    x = generator.permuted(
        numpy.broadcast_to(numpy.arange(shape[1], dtype=numpy.float32), shape), axis=1
    )
    values = result_of(text, x, modules, of_numpy, to_numpy)
    k = values.shape[1]
    for rows in hard_rows((min(shape[0], 2), shape[1]), k, generator):
        whole = numpy.resize(rows, shape)
        result_of(text, whole, modules, of_numpy, to_numpy)
    return (values >= shape[1] - k).mean(axis=1)


def with_modules(text, modules, names):
    """exec, with these modules in place of what is installed."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        exec(text, names)
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module:
                sys.modules[name] = module


def check_torch(all_questions, modules, of_numpy, to_numpy, title):
    """`pytorch` and `exact` of every question. The sum over all of (recall - printed) over its own
    standard error: beyond 5 by chance one in 1.7 million."""
    generator = numpy.random.default_rng(1)
    count, padded, several, over, variance, rows, of_torch = 0, 0, 0, 0.0, 0.0, 0, 0
    for arguments, _, answer in all_questions:
        exact, text, choice = (
            answer["usage"]["exact"],
            answer["usage"]["pytorch"],
            answer["choice"],
        )
        if answer["m"] > 64:
            continue
        try:
            if "import torch" in exact:
                assert (
                    run_torch(exact, modules, of_numpy, to_numpy, generator) == 1
                ).all(), "not exact"
                of_torch += 1
            else:  # another provider's, as its contender says
                by = [one for one in answer["contenders"] if one["callable"] and
                      one["call"] and f"\n{one['call']}\n" in exact]
                assert len(by) == 1 and f"# package {by[0]['package']}\n" in exact, "no provider"
                assert shape_in(exact) == (answer["m"], answer["n"]), "another shape"
                assert by[0]["time_us"] == answer["exact_objective"], "not the fastest"
            assert (text is None) == (choice is None)
            if text is None:
                continue
            recalls = run_torch(text, modules, of_numpy, to_numpy, generator)
            k = answer["k"]
            assert shape_in(text) == (answer["m"], answer["n"])
            assert (
                abs(recalls.mean() - choice["recall"]) <= 12 * choice["recall_sd"] + 1e-9
            ), "recall"
        except Exception as error:
            raise AssertionError(f"{title}: {arguments}: {error!r}\n{text}\n{exact}") from error
        count += 1
        padded += answer["n"] % choice["b"] != 0
        several += answer["m"] > 1
        rows += len(recalls)
        over += (recalls - choice["recall"]).sum() * k
        variance += len(recalls) * (choice["recall_sd"] * k) ** 2
    z = over / variance**0.5
    assert abs(z) < 5, f"{title}: z = {z}"
    assert padded >= count / 5 and several >= count / 5 and several < count, (
        count,
        padded,
        several,
    )
    asked = sum(answer["m"] <= 64 for _, _, answer in all_questions)
    assert asked / 2 <= of_torch < asked, f"{of_torch} of {asked} exact calls are PyTorch's"
    print(f"{title}: {count} calls run, {padded} padded, {rows} rows, z = {z:+.2f}")


# ---- NumPy


def check_numpy(all_questions):
    """`numpy` of the questions for a GPU or no device, with the library: it is the choice."""
    generator = numpy.random.default_rng(3)
    count, over, variance = 0, 0.0, 0.0
    for arguments, _, answer in all_questions:
        text, choice = answer["usage"]["numpy"], answer["choice"]
        assert (text is None) == (choice is None), arguments
        if text is None or answer["m"] > 64:
            continue
        try:
            recalls = run_torch(text, {}, lambda x: x, numpy.asarray, generator)
            assert f"b={choice['b']}, k_b={choice['k_b']})" in text, "not the choice"
            assert shape_in(text) == (answer["m"], answer["n"])
        except Exception as error:
            raise AssertionError(f"NumPy: {arguments}: {error!r}\n{text}") from error
        count += 1
        over += (recalls - choice["recall"]).sum() * answer["k"]
        variance += len(recalls) * (choice["recall_sd"] * answer["k"]) ** 2
    z = over / variance**0.5
    assert abs(z) < 5, f"NumPy: z = {z}"
    assert count > len(all_questions) / 4, count
    print(f"NumPy: {count} calls run, z = {z:+.2f}")


# ---- Graphcore's


def graphcore_module(called):
    """A stand-in for approx_topk.priority_queue, which notes each call in `called`."""

    def topk(xs, k, dim, j=1, k_mult=1, interleaved=True, multithread_buckets=False):
        """The limits that its documentation and its source set."""
        assert dim in (-1, len(xs.shape) - 1) and j in (1, 2, 4) and k % j == 0 and k_mult >= 1
        assert k * k_mult <= xs.shape[-1], "more candidates than elements"
        called.append((k, k * k_mult // j, j, interleaved, multithread_buckets))
        return "values", "indices"

    module = types.ModuleType("approx_topk.priority_queue")
    module.topk = topk
    return module


def check_graphcore(all_questions):
    count, nearest, ways = 0, 0, set()
    for arguments, way, answer in all_questions:
        text, choice, n, k = (
            answer["usage"]["graphcore"],
            answer["choice"],
            answer["n"],
            answer["k"],
        )
        if text is None:
            continue
        called = []
        module = graphcore_module(called)
        names = {"x": types.SimpleNamespace(shape=shape_in(text))}
        try:
            with_modules(
                text,
                {"approx_topk": types.ModuleType("approx_topk"), module.__name__: module},
                names,
            )
            got_k, b, k_b, interleaved, got_way = called[0]
            said = re.search(r"; (\d+) buckets, interleaved, k_b = (\d+)", text)
            assert (names["values"], names["indices"], len(called), got_k) == (
                "values",
                "indices",
                1,
                k,
            )
            assert (
                shape_in(text) == (answer["m"], n) and interleaved and str(got_way) == way
            ), "shape, way"
            assert (b, k_b) == (int(said[1]), int(said[2])), "b and k_b are not those said"
            expressible = (
                choice["k_b"] in (1, 2, 4)
                and k % choice["k_b"] == 0
                and choice["candidates"] % k == 0
            )
            assert not expressible or (b, k_b) == (choice["b"], choice["k_b"]), "not the choice"
            assert rcm.recall(n, k, b, k_b) >= answer["recall_target"] * (
                1 - 1e-15
            ), "misses the recall"
        except Exception as error:
            raise AssertionError(f"Graphcore: {arguments}: {error!r}\n{text}") from error
        count += 1
        nearest += not expressible
        ways.add(way)
    assert ways == {"None", "False", "True"} and nearest >= count / 20, (count, nearest, ways)
    print(
        f"Graphcore's: {count} calls against their signature, {nearest} of them the nearest shape"
    )


# ---- JAX


def check_jax(all_questions):
    """What the comment says against the library; where JAX is available, against JAX too."""
    count, run = 0, 0
    for arguments, _, answer in all_questions:
        text, n, k, m = answer["usage"]["jax"], answer["n"], answer["k"], answer["m"]
        if text is None:
            continue
        called = []

        def approx_max_k(x, k, recall_target):
            called.append((k, recall_target))
            return "values", "indices"

        lax = types.SimpleNamespace(approx_max_k=approx_max_k)
        module = types.ModuleType("jax")
        module.lax = lax
        names = {"x": None}
        try:
            with_modules(text, {"jax": module}, names)
            assert (
                called[0][0] == k
                and names["values"] == "values"
                and names["indices"] == "indices"
            )
            assert shape_in(text) == ((n,) if m == 1 else (m, n)), "shape"
            own = int(re.search(r"# on a TPU (\d+) buckets", text)[1])
            other = re.search(r"would (?:take (\d+) buckets|be sorted whole)", text)[1]
            check_buckets(n, k, called[0][1], m, own, int(other or 0))
            assert rcm.recall(n, k, own, 1) >= answer["recall_target"] * (
                1 - 1e-15
            ), "misses the recall"
            if jax and run < (3 if FEW else 12):
                run += 1
                run_jax(text, shape_in(text), k)
        except Exception as error:
            raise AssertionError(f"JAX: {arguments}: {error!r}\n{text}") from error
        count += 1
    assert count > len(all_questions) / 10, count
    print(
        f"JAX: {count} calls, {run} run"
        if jax
        else f"JAX: {count} calls against a stand-in; there is no jax"
    )


def check_buckets(n, k, target, m, own, other):
    """own: of an array of this rank, other: of the other rank; 0: sorted whole."""
    wanted = {1: own if m == 1 else other, 2: other if m == 1 else own}
    for rank, b in wanted.items():
        assert (
            rcm.xla_b(n, k, target, m=rank) == b
        ), f"rank {rank}: {b} is said, {rcm.xla_b(n, k, target, m=rank)}"
        if jax:
            assert jax_buckets(n, k, target, rank) == (b or n), f"rank {rank}: {b} is said"


def jax_buckets(n, k, target, rank):
    """Of an array of this rank on a TPU; n: sorted whole."""
    shape = jax.ShapeDtypeStruct((n,) if rank == 1 else (3, n), "float32")
    values, _ = jax.eval_shape(
        lambda x: jax.lax.approx_max_k(x, k, recall_target=target, aggregate_to_topk=False), shape
    )
    return values.shape[-1]


def run_jax(text, shape, k):
    """On a CPU it sorts: exact."""
    x = numpy.random.default_rng(2).permuted(
        numpy.broadcast_to(numpy.arange(shape[-1], dtype=numpy.float32), shape), axis=-1
    )
    names = {"x": jax.numpy.asarray(x)}
    exec(text, names)
    values, indices = numpy.asarray(names["values"]), numpy.asarray(names["indices"])
    assert (numpy.take_along_axis(x, indices, axis=-1) == values).all()
    assert jax.default_backend() != "cpu" or (values >= shape[-1] - k).all(), "not exact on a CPU"


# n, k, recall_target, rank: what JAX 0.10.2 takes. As a float32, 1 - 1e-9 is 1.
KNOWN = {
    (191880, 7, 0.999, 1): 12288,
    (128256, 50, 0.9, 1): 2048,
    (128256, 50, 0.9, 2): 512,
    (5000, 1, 1 - 1e-9, 1): 1024,
    (5000, 1, 1 - 1e-9, 2): 128,
    (5000, 1, 1.0, 2): 128,
}


def check_known():
    for (n, k, target, rank), b in KNOWN.items():
        got = rcm.xla_b(n, k, target, m=rank)
        assert got == b, f"n {n}, k {k}, recall_target {target}, rank {rank}: {got}, in JAX {b}"
        if jax:
            assert jax_buckets(n, k, target, rank) == b, (n, k, target, rank)


def check_xla_b(generator):
    """The library's bucket count against JAX's, arrays of both ranks."""
    count, whole = 60 if FEW else 400, 0
    for i in range(count):
        n = int(2 ** generator.uniform(1, 24)) + (i % 3 == 0)
        if i % 4 == 0:
            n = int(generator.choice([128, 1024])) * int(generator.integers(1, 300)) + int(
                generator.integers(-1, 2)
            )
        k = int(min(n, 2 ** generator.uniform(0, 12)))
        target = (
            round(float(1 - 10 ** generator.uniform(-5, -0.05)), int(generator.integers(2, 12)))
            or 0.5
        )
        if target >= 1:
            target = 0.999
        for rank in (1, 2):
            got, want = rcm.xla_b(n, k, target, m=rank), jax_buckets(n, k, target, rank)
            whole += got == 0
            assert (
                got or n
            ) == want, f"n {n}, k {k}, recall_target {target}, rank {rank}: {got}, in JAX {want}"
    print(
        f"JAX {jax.__version__}: {count} shapes of both ranks as rcm_xla_b has them, {whole} whole"
    )


def python():
    global jax
    generator = numpy.random.default_rng(20261122)
    all_questions = list(questions(60 if FEW else 240, generator))
    check_graphcore(all_questions)
    check_numpy(all_questions)
    check_torch(
        all_questions, {"torch": stand_in()}, Tensor, lambda x: x.array, "PyTorch, stand-in"
    )
    try:
        import torch

        check_torch(
            all_questions,
            {"torch": torch},
            lambda x: torch.from_numpy(x.copy()),
            lambda x: x.numpy(),
            "PyTorch " + torch.__version__,
        )
    except ImportError:
        print("SKIPPED: the calls on PyTorch itself: there is no torch")
    check_jax(all_questions)
    check_known()
    if jax:
        check_xla_b(generator)
    else:
        print("SKIPPED: the bucket counts of JAX itself: there is no jax")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "c":
        sys.exit(c(*sys.argv[2:]))
    import numpy
    import recallmodel as rcm
    from torch_stand_in import Tensor, stand_in

    jax = None
    try:
        import jax
    except ImportError:
        pass
    sys.exit(python())
