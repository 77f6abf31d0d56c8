"""What topk of a CUDA tensor chooses by the card, and where it finds the kernels, without a GPU and
without PyTorch.

The verdict on a card, of our kernels and `torch.topk`. Against: `select`.
"""
import importlib
import sys

import pytest

import recallmodel as rcm
from recallmodel import _library, _topk, _topk_gpu


@pytest.mark.parametrize("card", ["H200", "B200"])
@pytest.mark.parametrize("n, m, k, recall, dtype", [
    (2**20, 1, 16, 0.9, "f32"), (2**20, 8, 16, 0.9, "f16"), (2**20, 1, 256, 0.99, "bf16"),
    (2**17, 64, 2048, 0.95, "f32"), (8192, 8, 50, 0.9, "f16"), (2**20, 256, 50, 0.9, "f32")])
def test_what_is_chosen_on_a_card(n, m, k, recall, dtype, card):
    """The verdict of select on the card, of what is here."""
    way = _topk_gpu.choose(n, m, k, recall, None, None, f"NVIDIA {card}", dtype)
    want = rcm.select(n, k, recall, m=m, device=card, kernel="ours", objective="time",
                      dtype=dtype)
    here = {one.name for one in way.choice.contenders if one.callable}
    assert here <= {"ours", "recallmodel", "torch.topk"} and way.choice.contenders[0].callable
    assert (way.choice.b, way.choice.k_b) == (want.b, want.k_b)
    if want.verdict == "buckets" or want.contenders[0].name == "recallmodel":
        assert (way.choice.verdict, way.choice.too_close) == (want.verdict, want.too_close)
    assert way.choice.contenders[0].kind == way.choice.verdict
    if way.choice.verdict == "buckets":
        assert way[:3] == (1, want.b, want.k_b)
        ours = _topk.way_of(n, m, k, recall, None, None, None, "interleaved", None)
        assert ours[:3] != way[:3], "that of a CPU"
    else:
        assert way[:4] == _topk.EXACT[:4]


def test_exact_on_a_card_that_is_not_known():
    for card in ("NVIDIA H20", "NVIDIA B100", ""):
        assert _topk_gpu.choose(2**20, 1, 16, 0.9, None, None, card, "f32") == _topk.EXACT
        with pytest.raises(ValueError, match="recall = 2.0"):
            _topk_gpu.choose(2**20, 1, 16, 2.0, None, None, card, "f32")
    for confidence in (0.9, 0.999):
        way = _topk_gpu.choose(2**20, 8, 16, 0.9, confidence, None, "NVIDIA H200", "f16")
        loose = _topk_gpu.choose(2**20, 8, 16, 0.9, None, None, "NVIDIA H200", "f16")
        assert way.method == 0 or way.b * way.k_b > loose.b * loose.k_b


def test_the_package_of_the_kernels(tmp_path, monkeypatch):
    """recallmodel_cuda is found without importing it, and only of this version."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    name = "librecallmodel-gpu"
    with pytest.raises(ImportError, match=rf"^{name}.so is missing: pip install .*\[cuda\]"):
        _library.cuda_package()
    package = tmp_path / "recallmodel_cuda"
    package.mkdir()
    (package / f"{name}.so.9.9").touch()
    importlib.invalidate_caches()
    with pytest.raises(ImportError, match=f"^recallmodel is {rcm.__version__}, but "
                                          r"recallmodel-cuda 9.9: pip install .*\[cuda\]'$"):
        _library.cuda_package()
    (package / f"{name}.so.{rcm.__version__}").touch()
    assert _library.cuda_package() == package and package.name not in sys.modules
    # A library that cannot be loaded is one line, too.
    for folder in ("_HERE", "_BUILD"):
        monkeypatch.setattr(_library, folder, tmp_path)
    monkeypatch.delenv("RECALLMODEL_LIBRARY", raising=False)
    with pytest.warns(RuntimeWarning, match=r"not by our kernels: cannot load [^\n]*\[cuda\]'$"):
        assert _topk_gpu.gpu.__wrapped__() is None
