#!/usr/bin/env python3
"""pays_text.py - the sentences and tables of the pages on ours-pays.

    plots/pays_text.py                        prints them
    plots/pays_text.py --write FILE.md ..     writes them into pages, between the marks
                                              <!-- NAME --> and <!-- /NAME -->

The numbers are those of paper_figures/ours-pays.

SPDX-License-Identifier: Apache-2.0
"""
import statistics

from figure import Figure
from pays import LEVELS
from program import fill, words, write_page, wrong

SHORT = {("flashinfer/exact-blackwell", "torch.topk"): "torch.topk, Blackwell*",
         ("flashinfer/exact-blackwell", "flashinfer_default"): "FlashInfer's default, Blackwell*",
         ("flashinfer/exact-blackwell", "flashinfer_clusters"): "FlashInfer's clusters, Blackwell*",
         ("trtllm/exact-b200", "trtllm_radix_cuda"): "TensorRT-LLM's radix, B200, cold",
         ("trtllm/exact-b200", "hpc_ops_fp32"): "hpc-ops, B200, cold",
         ("trtllm/exact-b200", "deepselect_fp32"): "DeepSelect, B200, cold",
         ("trtllm/exact-b200", "flashinfer_0_6_14"): "FlashInfer 0.6.14, B200, cold",
         ("trtllm/exact-b200", "sglang_v2_plan_transform"): "SGLang v2, B200, cold",
         ("trtllm/exact-b200", "gvr_v2"): "gvr_v2, B200, cold",
         ("keyetal/exact", "torch.topk"): "torch.topk, H100 PCIe"}
FASTEST = "trtllm/exact-b200", "gvr_v2"
RECALL = 0.95


def read_numbers():
    """The measured rows of the committed CSV; what can be a number is one."""
    return [{name: number(text) for name, text in row.items()}
            for row in Figure("ours-pays").rows() if row["kind"] == "measured"]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def by_kernel(rows):
    """{(source, kernel): its rows at RECALL}"""
    kernels = {at: [] for at in SHORT}
    for row in rows:
        if row["recall"] == RECALL:
            kernels[row["source"], row["kernel"]].append(row)
    return kernels


def shares(rows):
    """What the measured two stages gain, over the most that they could."""
    return [row["two_stage_gain"] / row["gain"] for row in rows]


def medians(rows, recall):
    """{(source, kernel): the median gain} at a recall"""
    return {at: statistics.median(row["gain"] for row in rows if row["recall"] == recall
                                  and (row["source"], row["kernel"]) == at) for at in SHORT}


def pays_table(rows):
    """Of each kernel the gains, and how many are below each level."""
    heading = " | ".join(f"below {level:g}" for level in LEVELS)
    lines = [f"| exact top-k | shapes | most gain: median (range) | {heading} |",
             "|---|---|---|" + "---|" * len(LEVELS)]
    for at, of in by_kernel(rows).items():
        gains = [row["gain"] for row in of]
        counts = " | ".join(str(sum(gain < level for gain in gains)) for level in LEVELS)
        lines.append(f"| {SHORT[at]} | {len(gains)} | {spread(gains)} | {counts} |")
    less = 1 - min(medians(rows, 0.99)[at] / median for at, median in medians(rows, 0.95).items())
    lines += ["", "*: a Blackwell (card not stated), see below. At a recall of 0.99 the medians "
              f"are up to {100 * less:.0f} % lower."]
    return "\n".join(lines)


def measured(rows):
    """The shapes of an H100 on which Key et al. measured both stages, at RECALL."""
    return [row for row in rows if row["recall"] == RECALL
            and row["two_stage_us"] == row["two_stage_us"]]


def pays_shares(rows):
    both, gvr = measured(rows), [row["gain"] for row in by_kernel(rows)[FASTEST]]
    like = [row for row in both if row["k"] in (256, 1024) and row["n"] <= 2 ** 18]
    best = max(shares(like))
    gains = [row["two_stage_gain"] for row in both]
    return (f"**What a kernel gets of it.** Key et al. measured both stages and torch.topk on "
            f"{len(both)} of these shapes of an H100. At a recall of at least {RECALL:g} their two "
            f"stages are faster in {sum(gain > 1 for gain in gains)} of them, "
            f"{statistics.median(gains):.1f} times in the median: "
            f"{statistics.median(shares(both)):.0%} of the most, and {max(shares(both)):.0%} at "
            f"best. The best share at k = 256 and 1024 and n up to 2^18, as in the runs of gvr_v2, "
            f"is {best:.0%}. Two stages that got it on "
            f"a B200 would be faster than gvr_v2 in {sum(best * gain > 1 for gain in gvr)} of "
            f"{len(gvr)} shapes. To only equal it they must get "
            f"{1 / statistics.median(gvr):.0%} in the median.").replace("%", " %")


def pays_card(rows):
    """The paragraph of docs/choosing.md."""
    gain = medians(rows, RECALL)
    both = measured(rows)
    got = [row["two_stage_gain"] for row in both]
    default, clusters = (gain["flashinfer/exact-blackwell", f"flashinfer_{kind}"]
                         for kind in ("default", "clusters"))
    return (f"**Does approximating pay on my card?** Look at your exact kernel first. At a recall "
            f"of {RECALL:g} two stages at their bound would be faster than torch.topk "
            f"{gain['keyetal/exact', 'torch.topk']:.0f} times on an H100 PCIe and "
            f"{gain['flashinfer/exact-blackwell', 'torch.topk']:.0f} times on a Blackwell (card "
            f"not stated; the bound is that of a B200), in the median of the shapes that were "
            f"measured. "
            f"Over FlashInfer's default kernel it is "
            f"{default:.1f} times, over its clusters {clusters:.1f}, and over gvr_v2 of "
            f"TensorRT-LLM {gain[FASTEST]:.1f}. No kernel gets all of that: the two stages that "
            f"were measured, on the H100, got {statistics.median(shares(both)):.0%} of it in the "
            f"median, and were faster than torch.topk in {sum(g > 1 for g in got)} of {len(got)} "
            f"shapes. So in place of torch.topk, approximate or take a faster exact kernel. In "
            f"place of gvr_v2, do not approximate unless your stage 1 comes close to its "
            f"bound.").replace("%", " %")


# ---- the pages


def texts():
    pays = read_numbers()
    return {"pays": pays_table(pays), "pays-share": fill(pays_shares(pays)),
            "pays-card": fill(pays_card(pays))}


def main(arguments):
    if arguments and (arguments[0] != "--write" or len(arguments) < 2):
        wrong("give nothing, or --write FILE.md ..")
    sentences = texts()
    if not arguments:
        print("\n\n".join(sentences.values()))
    for page in arguments[1:]:
        write_page(page, sentences, some=True)


if __name__ == "__main__":
    main(words())
