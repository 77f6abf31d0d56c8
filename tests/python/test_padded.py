"""Exact top-k takes no longer in a shorter row, which may be padded: predict and exact_time_us.

Against: the prediction at the length to which the row is padded.
"""
import json
import os
import subprocess

import pytest

import recallmodel as rcm

PROGRAM = os.environ.get("RECALLMODEL", "build/recallmodel")


def asked(device, n, k, m):
    """What predict says."""
    return json.loads(subprocess.run(
        [PROGRAM, "predict", "--device", device, "--n", str(n), "--k", str(k), "--m", str(m),
         "--json"], check=True, capture_output=True).stdout)


@pytest.mark.parametrize("device, k, m", [
    ("H100-PCIe", 8, 4096), ("V100", 8, 4096), ("Arc-B580", 8, 4096), ("Gaudi-3", 8, 4096),
    ("MI300X", 8, 4096), ("MI325X", 8, 4096), ("MI355X", 8, 4096), ("cpu-epyc", 8, 1)])
def test_predict(device, k, m):
    before, padded = float("inf"), 0
    for n in (1024, 512, 400, 320, 300, 128):
        here = asked(device, n, k, m)
        exact, to = here["exact_us"], here["exact_padded_n"]
        assert exact <= before
        assert "stand_in" in here or exact == rcm.exact_time_us(device, n, k, m)
        assert all(row["speedup"] == pytest.approx(exact / row["predicted_us"], rel=1e-12)
                   for row in here["predictions"])
        if to:
            padded += 1
            longer = asked(device, to, k, m)
            assert (longer["exact_us"], longer["exact_padded_n"]) == (exact, None)
        before = exact
    assert padded > 0


@pytest.mark.parametrize("name", [p.name for p in rcm.profiles() if p.name[:5] == "torch"])
def test_torch_topk(name):
    times = rcm.exact_time_us(name, range(64, 2000, 16), 16, 8192)
    assert (times[1:] >= times[:-1]).all()
    (row,) = asked(name, 320, 16, 8192)["predictions"]
    assert row["exact_us"] == times[16]
    assert rcm.exact_time_us(name, row["padded_n"] or 320, 16, 8192) == times[16]
