"""of_notes.py - the claims of the two notes on exact top-k: by a histogram, by radix passes.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import random
import struct
import tempfile

import program
from claim import ask, beside, claim, number, one, paper, runs, value

paper("The histogram note (blog.alpindale.net, top_k_cuda)")
SHAPE = "--n", 50000, "--k", 2048, "--algorithm", "histogram", "--digits", 9


def time(kernel):
    return number(one(runs("histogram-note/times"), kernel=kernel), "time_us_median")


def counted(**options):
    """The row of `count` on 32-bit keys."""
    words = [word for name, of in options.items() for word in (f"--{name}", of)]
    return one(ask("count", *SHAPE, *words), keys="float32")


@claim("Result", "0.112 ms are 10 times as fast as torch.topk and over 200 times as fast as a "
       "sort.", "blog-table")
def faster():
    over = [time(name) / time("histogram-8") for name in ("torch.topk", "thrust::sort")]
    return (over[0] > 9.5, over[1] > 200), f"By its times {over[0]:.1f} and {over[1]:.0f} times."


@claim("Result", "The kernel reaches 3.64 GB/s.", "blog-table, `test_threshold_bin`")
def bandwidth():
    row = one(runs("histogram-note/times"), kernel="histogram-8")
    once = number(row, "m") * 4 * float(row["n"]) / time("histogram-8") / 1e3
    printed = number(row, "printed_gb_s")
    return (abs(once / printed - 1) < .1, f"{once:.0f} GB/s if each value counts once: it divides "
            "the bytes of one row by the time of the batch.")


@claim("Method", "A row moves 408 KB.", "`recallmodel count --algorithm histogram`, "
       "`test_histogram_count`")
def moved():
    kilobytes = number(counted(), "bytes") / 1e3
    return abs(kilobytes - 408) < .5, f"{kilobytes:.1f} KB are counted."


@claim("Unrolling", "Eight loads at once are the fastest; four, as the compiler unrolls, are "
       "slower than none.", "blog-table")
def unrolled():
    over = [time(name) / time("histogram-8") for name in ("histogram-1", "histogram-4-compiler")]
    return ((over[0] > 1, over[1] > over[0]), "By its times {:.2f} times without unrolling, {:.2f} "
            "times with four.".format(*over))


@claim("Threshold search", "A binary search for the bin takes nearly as long as a parallel one.",
       "blog-table")
def binary():
    over = time("histogram-binary") / time("histogram-4-compiler")
    return abs(over - 1) < .05, f"{over:.2f} times, both unrolled four times by the compiler."


def of_logits(column):
    """The bin of 512 on rows of logits of a small model over its vocabulary, k = 2048: for C
    sources and for an essay."""
    return [number(one(beside("ours-threshold-bin/logits"), document=name, kind="vocabulary",
                       k=2048, bits=9), column) for name in ("c-sources", "essay")]


@claim("Threshold bin", "It is extremely unlikely that the bin has more than 3072 elements.",
       "ours-threshold-bin, `test_threshold_bin`, `test_histogram_count`")
def overflow():
    normal, uniform, shifted = (counted(**of) for of in (
        {"input": "iid"}, {"input": "uniform"}, {"input": "iid", "shift": 10}))
    over = [number(row, "over_modelled") for row in (normal, uniform, shifted)]
    left = [number(row, "left_modelled") for row in (normal, uniform, shifted)]
    real = [x for pair in zip(of_logits("over"), of_logits("mean")) for x in pair]
    return (tuple(x < 1e-6 for x in (*over, *real[::2])),
            "n = 50,000, k = 2048: of normal rows {:.3f} overflow ({:.0f} elements in the mean), "
            "of uniform ones {:.3f} ({:.0f}), of normal ones with mean 10 {:.3f} ({:.0f}); of the "
            "logits of SmolLM2-135M, n = 49,152, {:.3f} ({:.0f}) on C sources and {:.3f} ({:.0f}) "
            "on an essay.".format(*(x for pair in zip(over, left) for x in pair), *real))


@claim("Method", "The threshold bin typically has a few thousand elements.",
       "ours-threshold-bin, `test_threshold_bin`")
def in_the_bin():
    left, real = number(counted(input="iid"), "left_modelled"), of_logits("mean")
    # a few thousand are two at least
    return (tuple(x > 2000 for x in (left, *real)), f"Its own case, n = 50,000, k = 2048, has "
            f"{left:.0f} in normal rows; the logits of SmolLM2-135M, n = 49,152, have "
            "{:.0f} on C sources and {:.0f} on an essay.".format(*real))


@claim("float16", "It does not distinguish values below 6e-5.", "`test_histogram_count`")
def subnormal():
    values = {struct.unpack("<e", struct.pack("<e", value(i) * 1e-7))[0] for i in range(600)}
    return len(values) < 2, f"Of 600 multiples of 1e-7 from 0 on {len(values)} are different."


paper("The radix note (veitner.bearblog.dev, radix-top-k)")
ROW = 12, 4, 1, 8, 6, 5, 13, 0, 14


def by_script(row, k, bits, digit):
    """The k smallest as the script finds them: bits // digit rounds, the highest bits first."""
    sure, left = [], list(row)
    for turn in range(1, bits // digit + 1):
        digits = [x >> (bits - turn * digit) & (1 << digit) - 1 for x in left]
        border = sorted(digits)[k - len(sure) - 1]
        sure += [x for x, of in zip(left, digits) if of < border]
        left = [x for x, of in zip(left, digits) if of == border]
    return sure + left[:k - len(sure)]


@claim("Script", "It returns the k smallest, with any number of bits a round.", "the text")
def any_digit():
    random.seed(1)
    rows = [random.sample(range(32), 9) for _ in range(1000)]
    wrong = {digit: sum(value(sorted(by_script(row, 4, 5, digit)) != sorted(row)[:4])
                        for row in rows) for digit in (1, 2, 5)}
    return (wrong[1] + wrong[5] == 0, wrong[2] == 0), (
        "Nine different numbers of five bits, k = 4: wrong in {:.0f} of 1000 rows with one bit a "
        "round, in {:.0f} with two, which leave the lowest bit out, in {:.0f} with five.".format(
            *wrong.values()))


@claim("Script", "Its row has the counts 2, 3, 1, 3 and 1, 1, 1, 0; the 4 smallest are 1, 0, 4, 5.",
       "`recallmodel count --trace`, `test_count_trace`")
def passes():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "row.npy"
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }".ljust(117) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                         struct.pack("<9f", *ROW))
        rows = program.ask("count", "--trace", "--file", path, "--k", 4, "--digits", 2,
                           "--smallest")
    said = [[round(value(x)) for x in text.split()]
            for text in (rows[0]["counts"], rows[1]["counts"], rows[1]["values"])]
    return (tuple(got == want for got, want in zip(said, ([2, 3, 1, 3], [1, 1, 1, 0],
                                                          [1, 0, 4, 5]))),
            "Ours: " + "; ".join(program.joined(numbers).replace(",", ", ") for numbers in said) +
            ".")
