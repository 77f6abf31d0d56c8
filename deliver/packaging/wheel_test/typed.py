"""A program of a user, which mypy --strict accepts with the types of the module."""
from typing import Optional

import numpy
from numpy.typing import NDArray

import recallmodel as rcm


def smallest(n: int, k: int, target: float) -> Optional[int]:
    choice: rcm.Choice = rcm.select(n, k, target, m=64, profile="H100-PCIe")
    return choice.b


def main() -> None:
    one: float = rcm.recall(262144, 1024, b=512, k_b=4)
    many: NDArray[numpy.float64] = rcm.recall(262144, 1024, b=[512, 1024], k_b=4)
    lost, probability = rcm.lost_distribution(4096, 64, 128, 2)
    rows = numpy.random.default_rng(1).standard_normal((4, 1000), dtype="float32")
    found: rcm.TopK[NDArray[numpy.float32]] = rcm.topk(rows, 10)
    best: NDArray[numpy.float32] = rcm.topk(rows, 3, -1, largest=False, nan="largest").values
    listed: list[int] = rcm.topk([3, 1, 2], 2).indices.tolist()
    chosen: rcm.Chosen = rcm.topk(rows, 10, recall=0.95, return_choice=True).choice
    measured: NDArray[numpy.int64] = rcm.read_runs("keyetal/two-stage")["n"]
    profile: rcm.Profile = rcm.profile("H100-PCIe")
    time: float = rcm.predict_us(profile, 131072, 2048, 4096, 2, m=64)
    print(f"{one:.6f} {many.sum():.6f} {lost.size == probability.size} {found.indices.shape}",
          best.shape, listed,
          chosen.method, len(measured), time > 0, rcm.simulate(rows, 10, 20, 2).rows,
          smallest(131072, 2048, 0.95), rcm.devices("H100")[0].name)


if __name__ == "__main__":
    main()
