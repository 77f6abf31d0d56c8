"""Memory of topk that is not there."""
import pytest

from recallmodel import _topk_call


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError, match=r"needs 1.15e\+09 GB beside x .*; give threads=1"):
        _topk_call._memory(1 << 60)
