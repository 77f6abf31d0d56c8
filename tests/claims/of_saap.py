"""of_saap.py - the claims of Mazare et al. 2025 (SAAP), arXiv 2502.08246.

SPDX-License-Identifier: Apache-2.0
"""
from claim import claim, figure, number, one, paper, pick, span

paper("Mazare et al. 2025, SAAP (arXiv 2502.08246)")


@claim("Figure 1", "Queries and keys have different distributions.", "saap-01")
def asymmetric():
    means = {}
    for rope in "before", "after":
        for what in "query and key", "key and key":
            rows = pick(figure("saap-01"), rope=rope, what=what)
            total = sum(float(row["y"]) for row in rows)
            means[rope, what] = sum(number(row, "x") * float(row["y"]) for row in rows) / total
    return (all(means[rope, "query and key"] < 0 < means[rope, "key and key"]
                for rope in ("before", "after")),
            "The cosine of a query and a key of SmolLM2-135M is {:.2f} in the mean, that of two "
            "keys {:.2f} (before RoPE; {:.2f} and {:.2f} after it).".format(*means.values()))


def imbalances(rope, sampling):
    return [number(row, "imbalance")
            for row in pick(figure("saap-02"), rope=rope, sampling=sampling)]


@claim("Abstract, Figure 2", "RoPE hinders the assignment to buckets.", "saap-02")
def rope_hinders():
    ranges = [imbalances(rope, "one time range") for rope in ("before", "after")]
    prompts = [imbalances(rope, "one prompt") for rope in ("before", "after")]
    return ((max(ranges[0]) < min(ranges[1]), max(prompts[0]) < max(prompts[1])),
            f"Keys of one time range: imbalance {span(ranges[0], '.1f')} before it, "
            f"{span(ranges[1], '.1f')} after. A new prompt: {span(prompts[0], '.1f')} before, "
            f"{span(prompts[1], '.1f')} after.")


@claim("Figure 3", "Few weights hold most of the mass.", "saap-03")
def mass():
    rows = pick(figure("saap-03"), k=256, of="all", method="topk")
    first = [number(row, "mass") for row in rows if row["layer"] == "0"]
    rest = [number(row, "mass") for row in rows if row["layer"] != "0"]
    return ((min(rest) > .5, min(first) > .5), f"The 256 largest of 8192 hold {span(rest)} from "
            f"layer 1 on, {span(first)} in layer 0.")


def losses(**wanted):
    return [number(row, "error") for row in pick(figure("saap-05"), budget=0.05, **wanted)]


@claim("Figure 5", "The query model finds more than k-means does with the query itself.",
       "saap-05")
def query_model():
    ours, other = losses(method="saap"), losses(method="kmeans-unroped trained")
    return (tuple(a < b for a, b in zip(ours, other)),
            f"At 5 % of the keys it loses less in {sum(a < b for a, b in zip(ours, other))} of "
            f"{len(ours)} heads: errors " +
            ", ".join(f"{a:.3f} and {b:.3f}" for a, b in zip(ours, other)) + ".")


@claim("Figure 5", "Partitions before RoPE are better than after it.", "saap-05, "
       "[real-data.md](real-data.md)")
def before_rope():
    after, before = (losses(method=f"kmeans{way} trained") for way in ("", "-unroped"))
    queries = list(zip(losses(method="saap-roped"), losses(method="saap")))
    kmeans = list(zip(after, before))
    return (tuple(b < a for a, b in kmeans + queries),
            f"Of {len(after)} heads at 8192 tokens k-means before RoPE loses less in "
            f"{sum(b < a for a, b in kmeans)}, and up to {max(b / a for a, b in kmeans):.0f} times "
            f"as much; with a query model it loses less in {sum(b < a for a, b in queries)}. The "
            "paper has 100,000 tokens and more.")


@claim("Figure 5", "Hashes lose more than partitions.", "saap-05")
def hashes():
    of = {name: losses(method=name) for name in ("lsh-gray", "lsh-argmax", "lsh-magicpig", "saap")}
    return (tuple(a > b for name in of if name != "saap" for a, b in zip(of[name], of["saap"])),
            "Heads of {} in which saap loses less: {} (single hash), {} (Reformer), {} "
            "(MagicPIG).".format(len(of["saap"]), *(sum(a > b for a, b in zip(of[name], of["saap"]))
                                                   for name in list(of)[:3])))


@claim("Figure 4", "Perplexity falls to that of all keys as more keys are read.", "saap-04")
def perplexity():
    shares = "0.01", "0.05", "0.2"
    of = {method: [max(number(row, "over_full") for row in pick(
        figure("saap-04"), method=method, layers="all but 0", budget=share)) for share in shares]
        for method in ("topk", "kmeans")}
    return (tuple(a > b > c and c < .01 for a, b, c in of.values()),
            "SmolLM2-135M, two texts, 1, 5 and 20 % of the keys: the loss grows by up to "
            "{:.3f}, {:.3f} and {:.4f} with the largest keys, {:.2f}, {:.2f} and {:.3f} with "
            "k-means.".format(*of["topk"], *of["kmeans"]))


@claim("Abstract, 5.3", "It reads 20 times less and saves 60 % of the time at 171k tokens.",
       "saap-pair")
def saved():
    rows = figure("saap-pair")
    full, kmeans = one(rows, method="full"), one(rows, method="kmeans-unroped")
    times = number(full, "bytes_read") / number(kmeans, "bytes_read")
    time = 1 - 1 / number(kmeans, "ratio")
    return ((times > 20, time > .6),
            f"On a CPU, with generated keys and k-means in place of a query model, reading "
            f"{100 * number(kmeans, 'selectivity'):.1f} % of the keys takes {times:.0f} times "
            f"fewer bytes and saves {100 * time:.0f} % of the time.")
