"""Needles: pass keys in a text, asked for at its end, with dense attention and with methods of
sparse attention.

For each length the text has a key for each of several houses, at several depths. The text goes
through dense attention; a question and its answer then read only what a method chooses in every
layer but the first. A key is found if each of its digits is the most likely token where it stands,
so that a greedy answer would be the key. The rows of a length and a method are in the file at once,
and the same command continues where it was stopped. docs/sparse.md says more.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import math
import pathlib
import sys
import time

import numpy as np

from .__main__ import Refused, chosen_documents, model_path
from .gguf_file import GgufFile
from .model import Llama
from .perplexity import METHODS, Sparse, append_row, check_methods, read_rows, status_of
from .tokens import Tokenizer

COLUMNS = ("model", "date", "document", "length", "house", "depth", "method", "budget", "visited",
           "digits", "found")
HOUSES = (("blue", "48213"), ("green", "90572"), ("red", "31864"), ("white", "75029"))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="needles", description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the CSV file")
    parser.add_argument("--documents", default="essay", metavar="NAME", help="the text (essay)")
    parser.add_argument("--text", action="append", default=[], metavar="FILE",
                        help="a text of your own, instead")
    parser.add_argument("--model", help="a GGUF file of a Llama model")
    parser.add_argument("--lengths", default="1024,2048,4096", metavar="N,..",
                        help="tokens of the text with its keys (1024,2048,4096)")
    parser.add_argument("--methods", default=METHODS, metavar="NAME,..", help=f"({METHODS})")
    parser.add_argument("--budget", type=float, default=0.05, help="share of the keys (0.05)")
    parser.add_argument("--dense-layers", default="0", metavar="L,..",
                        help="layers that read everything (0)")
    parser.add_argument("--trained", type=pathlib.Path, metavar="FOLDER",
                        help="as in perplexity: for saap, kmeans-trained and their kind")
    parser.add_argument("--sink", type=int, default=1, help="first keys that are always read (1)")
    parser.add_argument("--window", type=int, default=128, help="last keys that are (128)")
    return parser.parse_args(arguments)


def needle(tokenizer, house, key):
    return tokenizer.encode(f" The pass key of the {house} house is {key}.")


def text_with_keys(tokens, tokenizer, length):
    """`length` tokens with a key for each house, and where each key begins."""
    needles = [needle(tokenizer, *pair) for pair in HOUSES]
    rest = length - sum(map(len, needles))
    found, places, at = [], [], 0
    for i, tokens_of_needle in enumerate(needles):
        end = (2 * i + 1) * rest // (2 * len(needles))
        while end < rest and not set(tokenizer.decode([tokens[end - 1]])) & set(".\n"):
            end += 1
        found += tokens[at:end]
        places.append(len(found))
        found += tokens_of_needle
        at = end
    return found + tokens[at:rest], places


def question_of(tokenizer, house):
    return tokenizer.encode(f"\n\nQuestion: What is the pass key of the {house} house?\n"
                            f"Answer: The pass key of the {house} house is ")


def ask(model, tokenizer, house, key, length, attention):
    """How many digits of the key are the most likely token where they stand."""
    question = question_of(tokenizer, house)
    digits = tokenizer.encode(key)
    model.truncate(length)
    hidden = model.forward(question + digits[:-1], attention)
    best = model.logits(hidden[-len(digits):]).argmax(-1)
    return int((best == digits).sum()), len(digits)


def ask_for(model, tokenizer, needle_of, length, method, options):
    """The columns of one key of one method, without those of the text."""
    house, key = needle_of
    sparse = Sparse({int(x) for x in options.dense_layers.split(",")}, method, options.trained,
                    budget=options.budget, sink=options.sink, window=options.window)
    right, all_digits = ask(model, tokenizer, house, key, length,
                            None if method == "full" else sparse)
    visited = np.mean(sparse.read, 0)[0] if sparse.read else math.nan
    return dict(model=model.config.name, date=time.strftime("%Y-%m-%d"), length=length,
                house=house, method=method, budget=options.budget, visited=f"{visited:.4g}",
                digits=right, found=int(right == all_digits))


def missing_methods(rows, name, length, options):
    """The methods that have no rows yet for a document and a length."""
    done = [row["method"] for row in rows if row["document"] == name
            and row["length"] == str(length) and float(row["budget"]) == options.budget]
    wanted = "full", "streaming", *options.methods.split(",")
    return [method for method in wanted if done.count(method) < len(HOUSES)]


def run_length(model, tokenizer, row, length, options):
    missing = missing_methods(read_rows(options.out, COLUMNS), row.name, length, options)
    if not missing:
        return
    tokens = tokenizer.encode(row.find()[0])
    if len(tokens) < length:
        raise Refused(f"--lengths {length}: {row.name} has only {len(tokens)} tokens")
    room = model.config.context - max(len(question_of(tokenizer, house)) + len(key)
                                      for house, key in HOUSES)
    if length > room:
        raise Refused(f"--lengths {length}: with the question the model takes at most {room}")
    text, places = text_with_keys(tokens, tokenizer, length)
    model.truncate(0)
    model.forward(text)
    for method in missing:
        rows = [ask_for(model, tokenizer, (house, key), length, method, options)
                for house, key in HOUSES]
        for each, place in zip(rows, places):
            each.update(document=row.name, depth=f"{place / length:.2f}")
            append_row(options.out, each, COLUMNS)
        print(f"{length} tokens, {method}: {sum(each['found'] for each in rows)} of {len(rows)} "
              "keys", flush=True)


def measure(options):
    path = model_path(options)
    row, = chosen_documents(options)[:1]
    model, tokenizer = Llama.load(path), Tokenizer(GgufFile(path).metadata)
    check_methods(options, model.config)
    for length in options.lengths.split(","):
        run_length(model, tokenizer, row, int(length), options)


def main(arguments):
    return status_of("needles", measure, parse_arguments(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
