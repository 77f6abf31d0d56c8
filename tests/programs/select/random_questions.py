"""random_questions.py - questions to `recallmodel select` by chance, as options.

SPDX-License-Identifier: Apache-2.0
"""

# What random questions hardly ever meet: an exact kernel that is faster, an upper end, a quirk.
RARE = ("--n 131072 --k 2048 --m 64 --recall 0.95 --device h100-pcie",
        "--n 65536 --k 1024 --m 8 --recall 0.9 --device h100-pcie",
        "--n 10751 --k 438 --recall 0.95 --device cpu-epyc-zen4 --exact-us 300",
        "--n 151936 --k 50 --m 64 --device b200 --budget 22",
        "--n 65536 --k 512 --m 32 --recall 0.9 --kb-max 1 --align 16 --device a10g")


# Names as people write them, and those whose answers differ most from each other.
NAMES = ("h100-pcie", "h200", "b200", "mi300x", "rtx4090", "tpuv6e", "v100s", "h100", "b300",
         "a10g", "cpu-epyc-zen4", "cpu", "NVIDIA-H100-NVL", "4090")


def question(random_, devices=()):
    """The options of a question to select; devices: the names of others."""
    n = int(2 ** random_.uniform(6, 24))
    k = int(2 ** random_.uniform(0, min(13, random_.uniform(3, 20)))) % (n // 2) + 1
    if n > 4096 and random_.random() < 0.2:
        k = random_.choice([512, 1024, 2048])  # what the exact kernels of serving stacks have
    options = ["--n", n, "--k", k]
    if random_.random() < 0.7:
        options += ["--m", int(2 ** random_.uniform(0, 9))]
    device = random_.choice([None, random_.choice(NAMES), random_.choice([*devices, *NAMES])])
    if random_.random() < 0.15:
        options += ["--budget", random_.choice([5, 20, 100, 1000, 10 ** 4])]
    else:
        options += ["--recall", random_.choice(["0.8", "0.9", "0.95", "0.99", "0.999"])]
        if random_.random() < 0.2:
            options += ["--confidence", random_.choice(["0.9", "0.99"])]
    if device:
        options += ["--device", device]
        if random_.random() < 0.15:
            options += ["--dtype", random_.choice(["f32", "f16", "bf16"])]
        if random_.random() < 0.15:
            options += ["--objective", "roofline"]
        elif random_.random() < 0.1:
            options += ["--beyond-runs"]
        if random_.random() < 0.2:
            options += ["--exact-us", random_.choice([3, 30, 300])]
        elif random_.random() < 0.1:
            options += ["--exact-kernel", "gvr_v2"]
    elif random_.random() < 0.5:
        options += ["--objective", random_.choice(["basic", "serial", "parallel"])]
    if random_.random() < 0.1:
        options += ["--align", 128]
    return options
