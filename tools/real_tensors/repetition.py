"""SparQ with exact and with bucketed top-k: how far the model repeats a text that it has read, and
what it loses on a text that goes on. Figures 2 and 7 of Key et al. on the model at hand.

For each sample the beginning of a part of a document goes through dense attention. Then (1) the
same text goes on, or (2) a prompt from its middle follows, and the text behind the prompt is the
one to repeat. The last tokens read only what SparQ chooses in every layer but the first. They are
those of the text: up to the first token that is not the most likely one a greedy answer is the
same. The rows of a sample are in the file at once, and the same command continues where it was
stopped. docs/sparse.md says more.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import itertools
import pathlib
import sys
import time
import zlib

import numpy as np

from .__main__ import Refused, chosen_documents, model_path
from .gguf_file import GgufFile
from .model import Llama
from .perplexity import Sparse, append_row, read_rows, status_of
from .tokens import Tokenizer

COLUMNS = ("model", "date", "document", "tokens_crc32", "sample", "n", "n_q", "k", "k_b",
           "candidates_over_k", "assignment", "loss", "characters", "run", "right")
SHAPE = "k", "k_b", "candidates_over_k", "assignment"
K_BS = RATIOS = 1, 2, 4, 8
ASSIGNMENTS = "interleaved", "contiguous"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="repetition", description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the CSV file")
    parser.add_argument("--documents", default="essay,licences,bash-manual,python-source",
                        metavar="NAME,..", help="(essay,licences,bash-manual,python-source)")
    parser.add_argument("--text", action="append", default=[], metavar="FILE",
                        help="a text of your own, instead; may be repeated")
    parser.add_argument("--model", help="a GGUF file of a Llama model")
    parser.add_argument("--samples", type=int, default=4, help="parts of a document (4)")
    parser.add_argument("--tokens", type=int, default=1536, metavar="N", help="in all (1536)")
    parser.add_argument("--prompt", type=int, default=32, help="tokens of the prompt (32)")
    parser.add_argument("--last", type=int, default=64, metavar="N_Q",
                        help="tokens at the end that read sparsely (64)")
    parser.add_argument("--parts", default="16,8", metavar="LIST", help="k is n over these (16,8)")
    parser.add_argument("--window", type=int, default=32,
                        help="last keys that are always read (32)")
    parser.add_argument("--components", type=int, default=16, help="r of SparQ (16)")
    return parser.parse_args(arguments)


def shapes_of(options):
    """The shapes in the order in which they run: all keys, then for each k the exact top-k and the
    buckets."""
    none = dict.fromkeys(SHAPE, "")
    yield none
    for part in map(int, options.parts.split(",")):
        k = options.tokens // part
        yield {**none, "k": k}
        for values in itertools.product(K_BS, RATIOS, ASSIGNMENTS):
            if values[1] < part:  # otherwise all keys are candidates, and the top-k is exact
                yield dict(zip(SHAPE, (k, *values)))


def attention_of(shape, options):
    """The attention of a shape; None reads all keys."""
    if not shape["k"]:
        return None
    arguments = dict(budget=shape["k"] / options.tokens, sink=0, window=options.window, threads=1,
                     components=options.components)
    if not shape["k_b"]:
        return Sparse({0}, "sparq", **arguments)
    return Sparse({0}, "sparq-bucketed", k_b=shape["k_b"], ratio=shape["candidates_over_k"],
                  assignment=shape["assignment"], **arguments)


def lengths(right, letters):
    """From each place, the letters up to the first token that is wrong."""
    found, length = [], 0
    for is_right, count in zip(reversed(right), reversed(letters)):
        length = length + count if is_right else 0
        found.append(length)
    return found[::-1]


def tail_states(model, begun, tokens, last, shapes, options):
    """For each shape the states of which each follows one of the last tokens; the tokens that
    begin and those before the last go through dense attention, once."""
    dense = len(tokens) - last - 1
    model.truncate(begun)
    model.forward(tokens[:dense])
    for shape in shapes:
        model.truncate(begun + dense)
        yield model.forward(tokens[dense:-1], attention_of(shape, options))


def run_sample(model, tokenizer, part, sample, options):
    """The measured columns of each shape."""
    shapes, last = list(shapes_of(options)), options.last
    begun = options.tokens - options.prompt - last
    # The prompts of samples lie at evenly spread depths.
    place = int(sample * 0.618034 % 1 * (begun - options.prompt - last))
    asked = part[place:place + options.prompt + last]
    ends = [len(tokenizer.decode(asked[options.prompt:options.prompt + i]))
            for i in range(last + 1)]
    letters = np.diff(ends).tolist()
    model.truncate(0)
    model.forward(part[:begun])
    rows = [{"loss": float(model.losses(states, np.asarray(part[-last:])).mean())}
            for states in tail_states(model, begun, part[begun:], last, shapes, options)]
    for row, states in zip(rows, tail_states(model, begun, asked, last, shapes, options)):
        right = model.logits(states).argmax(-1) == asked[-last:]
        found = lengths(right, letters)
        row.update(characters=found[0], run=float(np.mean(found)), right=int(right.sum()))
    return [{**shape, **row} for shape, row in zip(shapes, rows)]


def run_missing(model, tokenizer, name, tokens, sample, options):
    """Appends the rows of a sample, if they are not in the file."""
    part = tokens[sample * options.tokens:(sample + 1) * options.tokens]
    crc = f"{zlib.crc32(np.asarray(part, np.int32).tobytes()):08x}"
    if any(row["tokens_crc32"] == crc for row in read_rows(options.out, COLUMNS)):
        return
    start = time.process_time()
    for row in run_sample(model, tokenizer, part, sample, options):
        append_row(options.out, {"model": model.config.name, "date": time.strftime("%Y-%m-%d"),
                                 "document": name, "tokens_crc32": crc, "sample": sample,
                                 "n": options.tokens, "n_q": options.last, **row}, COLUMNS)
    print(f"{name}, sample {sample}: {time.process_time() - start:.0f} s of CPU", flush=True)


def check(options, config):
    if not 2 <= options.tokens <= config.context:
        raise Refused(f"--tokens {options.tokens}: the model takes 2 to {config.context}")
    if options.prompt < 2 or options.last < 1 or \
            options.tokens < 2 * (options.prompt + options.last):
        raise Refused("--prompt and --last: give at least 2 and 1, together at most half of "
                      "--tokens")
    for part in options.parts.split(","):
        if not part.isdecimal() or not 1 <= int(part) <= options.tokens:
            raise Refused(f"--parts {part}: give numbers from 1 to --tokens, such as 16,8")


def measure(options):
    path = model_path(options)
    rows = chosen_documents(options)
    model, tokenizer = Llama.load(path), Tokenizer(GgufFile(path).metadata)
    check(options, model.config)
    texts = {row.name: tokenizer.encode(row.find()[0]) for row in rows}
    for name, tokens in texts.items():
        if len(tokens) < options.samples * options.tokens:
            raise Refused(f"--samples {options.samples}: {name} has only {len(tokens)} tokens")
    for sample, name in itertools.product(range(options.samples), texts):
        run_missing(model, tokenizer, name, texts[name], sample, options)


def main(arguments):
    return status_of("repetition", measure, parse_arguments(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
