"""Perplexity of the end of a document when every layer but the first, or stated layers alone, read
only what a method chooses: method by method and budget by budget, into a CSV file.

The first 7168 tokens go through dense attention, once; their keys and values are kept in a file.
The other 1024 go through recallmodel.sparse_attention. A finished row is in the file at once, and
the same command continues where it was stopped. docs/sparse.md says more.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import csv
import math
import pathlib
import sys
import time
import zlib

import numpy as np

from . import documents
from .__main__ import Refused, chosen_documents, model_path
from .gguf_file import GgufError, GgufFile
from .model import Llama
from .tokens import Tokenizer

try:
    import recallmodel
except ImportError as error:
    sys.exit(f"perplexity: {error}; build with make, and set PYTHONPATH=python:tools")

COLUMNS = ("model", "date", "document", "tokens_crc32", "n", "n_q", "layers", "method", "budget",
           "visited", "selectivity", "bytes_read", "perplexity", "loss", "over_full",
           "over_full_se")
METHODS = "topk,bucketed,sparq,kmeans,kmeans-unroped,quest"
BLOCK = 64  # tokens whose losses count as one group
TRAINED = "-trained"  # behind a method: with centroids of other documents


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="perplexity", description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the CSV file")
    parser.add_argument("--documents", default="essay,python-source", metavar="NAME,..",
                        help="as in real_tensors (essay,python-source)")
    parser.add_argument("--text", action="append", default=[], metavar="FILE",
                        help="a text of your own, instead; may be repeated")
    parser.add_argument("--model", help="a GGUF file of a Llama model")
    parser.add_argument("--tokens", type=int, default=8192, metavar="N", help="in all (8192)")
    parser.add_argument("--last", type=int, default=1024, metavar="N_Q",
                        help="tokens at the end that read sparsely (1024)")
    parser.add_argument("--methods", default=METHODS, metavar="NAME,..",
                        help="with options behind colons: bucketed:k_b=4:ratio=2 "
                        f"({METHODS})")
    parser.add_argument("--budgets", default="0.01,0.05,0.2", metavar="X,..",
                        help="shares of the keys (0.01,0.05,0.2)")
    parser.add_argument("--dense-layers", default="0", metavar="L,..",
                        help="layers that read everything (0)")
    parser.add_argument("--layers", metavar="L,..",
                        help="only these read sparsely (all but the dense ones)")
    parser.add_argument("--trained", type=pathlib.Path, metavar="FOLDER",
                        help="of layer-02.index and so on, which recallmodel sparse --save wrote: "
                        "for saap, saap-roped, kmeans-trained, kmeans-unroped-trained")
    parser.add_argument("--sink", type=int, default=1, help="first keys that are always read (1)")
    parser.add_argument("--window", type=int, default=128, help="last keys that are (128)")
    parser.add_argument("--threads", type=int, default=1, help="of the sparse attention (1)")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("build/prefills"),
                        help="folder for what the first tokens leave behind (build/prefills)")
    return parser.parse_args(arguments)


def tokens_of(row, tokenizer, count):
    """The first tokens of a document."""
    tokens = tokenizer.encode(row.find()[0])[:count]
    if len(tokens) < count:
        raise Refused(f"--tokens {count}: {row.name} has only {len(tokens)} tokens")
    return np.asarray(tokens, np.int32)


def prefill(model, tokens, folder):
    """Dense attention over these tokens, or what it left behind in `folder`."""
    path = folder / f"prefill-{zlib.crc32(tokens.tobytes()):08x}-{len(tokens)}.npy"
    model.truncate(0)
    if path.exists():
        model.fill_cache(np.load(path))
        return
    model.forward(tokens)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path, model.all_caches())


def without_options(method):
    return method.split(":", 1)[0]


def options_of(method):
    """Those behind the colons, whole numbers."""
    try:
        return {name: int(value)
                for name, value in (option.split("=") for option in method.split(":")[1:])}
    except ValueError:
        raise Refused(f"--methods: {method} is not NAME:OPTION=NUMBER; give bucketed:k_b=4, "
                      "say") from None


def is_trained(method):
    """Does it need what was trained on other documents?"""
    return method.startswith("saap") or method.endswith(TRAINED)


class Sparse:
    """Attention by a method, for Llama.forward; it remembers what was read."""

    def __init__(self, dense_layers, method, trained=None, **arguments):
        self._dense_layers = dense_layers
        self._arguments = {**arguments, **options_of(method),
                           "method": without_options(method).removesuffix(TRAINED)}
        self._trained = trained if is_trained(method) else None
        self.read = []

    def __call__(self, layer, q, k, v, q_unroped, k_unroped):
        if layer in self._dense_layers:
            return None
        index = self._trained and self._trained / f"layer-{layer:02d}.index"
        got = recallmodel.sparse_attention(q, k, v, queries_unroped=q_unroped,
                                           keys_unroped=k_unroped, index=index, layer=layer,
                                           **self._arguments)
        self.read.append((got.visited, got.selectivity, got.bytes_read))
        return got.output


def over_full(losses, full):
    """The mean of losses - full, and its standard error over blocks of neighbouring tokens."""
    groups = len(losses) // BLOCK
    if groups < 2:
        return (losses - full).mean(), math.nan
    means = (losses - full)[-groups * BLOCK:].reshape(groups, BLOCK).mean(1)
    return (losses - full).mean(), means.std(ddof=1) / math.sqrt(groups)


def dense_layers(options, count):
    """The numbers of the layers that read everything, of `count`, and what a row says of the
    others."""
    if options.layers:
        sparse = sorted({int(x) for x in options.layers.split(",")})
        return set(range(count)) - set(sparse), " ".join(map(str, sparse))
    dense = sorted({int(x) for x in options.dense_layers.split(",")})
    return set(dense), "all but " + " ".join(map(str, dense))


def runs_of(options):
    """(method, budget) in the order in which they run: the middle budget first."""
    budgets = sorted((float(x) for x in options.budgets.split(",")),
                     key=lambda x: abs(math.log(x / 0.05)))
    yield "full", 1.0
    yield "streaming", budgets[0]
    for budget in budgets:
        for method in options.methods.split(","):
            yield method, budget


def read_rows(path, columns=COLUMNS):
    """What is done already; none if there is no file."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != columns:
            raise Refused(f"--out {path}: it has other columns than {','.join(columns)}; give "
                          "another file")
        return list(reader)


def append_row(path, row, columns=COLUMNS):
    """Adds a row; in a new file behind the names of the columns."""
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow({key: format(value, ".6g") if isinstance(value, float) else value
                         for key, value in row.items()})


def run_one(model, tokens, options, method, budget, full):
    """The columns of one run, and the losses of the tokens."""
    first = options.tokens - options.last
    sparse = Sparse(dense_layers(options, model.config.layers)[0], method, options.trained,
                    budget=budget, sink=options.sink, window=options.window,
                    threads=options.threads)
    losses = model.tail_losses(tokens, first, sparse if method != "full" else None)
    seen = (options.tokens - (options.last - 1) / 2) / options.tokens
    dense = [seen, seen, 2 * 2 * model.config.head_dim * seen * options.tokens]  # float16
    read = np.mean(sparse.read, 0).tolist() if sparse.read else dense
    over, error = over_full(losses, losses if full is None else full)
    return dict(zip(("visited", "selectivity", "bytes_read"), read), loss=float(losses.mean()),
                perplexity=float(np.exp(losses.mean())), over_full=float(over),
                over_full_se=float(error)), losses


def run_document(model, tokens, name, options):
    crc = f"{zlib.crc32(tokens.tobytes()):08x}"
    names = dict(model=model.config.name, date=time.strftime("%Y-%m-%d"), document=name,
                 tokens_crc32=crc, n=options.tokens, n_q=options.last)
    full, sparse_layers = None, dense_layers(options, model.config.layers)[1]
    for method, budget in runs_of(options):
        names["layers"] = "none" if method == "full" else sparse_layers
        done = any(row["tokens_crc32"] == crc and row["method"] == method
                   and row["n_q"] == str(options.last) and row["layers"] == names["layers"]
                   and (method in ("full", "streaming") or row["budget"] == f"{budget:.6g}")
                   for row in read_rows(options.out))
        if done and method != "full":
            continue
        if full is None:
            prefill(model, tokens[:options.tokens - options.last], options.cache)
        start = time.process_time()
        columns, losses = run_one(model, tokens, options, method, budget, full)
        full = losses if method == "full" else full
        if not done:
            append_row(options.out, {**names, "method": method, "budget": budget, **columns})
        print(f"{name}: {method} {budget:g}: perplexity {columns['perplexity']:.3f}, "
              f"{time.process_time() - start:.0f} s of CPU", flush=True)


def check_methods(options, config):
    known = [*recallmodel.attention_methods(), "kmeans" + TRAINED, "kmeans-unroped" + TRAINED]
    for method in options.methods.split(","):
        options_of(method)
        if without_options(method) not in known:
            raise Refused(f"--methods: there is no {method}; known: {', '.join(known)}")
        if is_trained(method) and not options.trained:
            raise Refused(f"--methods: {method} needs what was trained; give --trained")
    for name in ("layers", "dense_layers"):
        given = getattr(options, name, None) or "0"
        if not all(x.isdecimal() and int(x) < config.layers for x in given.split(",")):
            raise Refused(f"--{name.replace('_', '-')} {given}: give numbers from 0 to "
                          f"{config.layers - 1}")


def check(options, config):
    """The budgets and methods are checked by recallmodel; here what comes before."""
    if not 2 <= options.tokens <= config.context:
        raise Refused(f"--tokens {options.tokens}: the model takes 2 to {config.context}")
    if not 1 < options.last < options.tokens:
        raise Refused(f"--last {options.last}: give 2 to {options.tokens - 1}")
    check_methods(options, config)
    for text in options.budgets.split(","):
        try:
            right = 0 < float(text) <= 1
        except ValueError:
            right = False
        if not right:
            raise Refused(f"--budgets {text}: give shares in (0, 1], such as 0.01,0.05")


def measure(options):
    path = model_path(options)
    rows = chosen_documents(options)
    model, tokenizer = Llama.load(path), Tokenizer(GgufFile(path).metadata)
    check(options, model.config)
    for row in rows:
        run_document(model, tokens_of(row, tokenizer, options.tokens), row.name, options)


def status_of(name, work, options):
    """Does the work; what goes wrong becomes one line and a status."""
    try:
        work(options)
    except (Refused, GgufError, ValueError, documents.Missing) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{name}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{name}: stopped; the same command continues", file=sys.stderr)
        return 130
    return 0


def main(arguments):
    return status_of("perplexity", measure, parse_arguments(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
