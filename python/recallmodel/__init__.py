"""Recall and cost of bucketed approximate top-k: the C library for NumPy arrays.

Bucketed top-k splits a row of n values into b buckets and keeps the k_b largest of each (stage 1).
If there are more than k candidates, it takes their exact top-k (stage 2).

Functions take numbers or arrays and broadcast them, unless they say otherwise. They return an array
of the broadcast shape, or a number if all arguments are numbers. Names are those of the command and
of model/recallmodel.h, and results are as accurate as that header promises. simulate runs bucketed
top-k on rows: random ones, correlated ones or your own. sparse_attention computes the attention of
a layer in which each query reads only the keys that a method chooses. topk runs top-k on your
arrays. read_runs reads the measured runs that come with the project.

    >>> import recallmodel as rcm
    >>> f"{rcm.recall(262144, 1024, b=512, k_b=4):.6f}"
    '0.962957'
"""
from ._attention import SparseAttention, attention_methods, sparse_attention
from ._mass import (LostMass, Routing, TokenChange, lost_mass, normal_weights, overlap,
                    quantised_recall, routing, token_change)
from ._model import (Reaching, blocks_loss, blocks_recall, blocks_sd, blocks_smallest, cost,
                     exact_time_us, largest_k, largest_n, loss, loss_binomial, loss_bound,
                     lost_distribution, predict_us, probability_exact, reaching, recall,
                     recall_binomial, recall_quantile, recall_sd, recall_worst_case, smallest_b,
                     survival, version, xla_b)
from ._parts import Merged, Parts, merge_parts, parts
from ._profiles import (Device, Profile, devices, profile, profiles, read_profile, stand_in,
                        write_profile)
from ._rows import Simulation, simulate
from ._runs import Runs, read_runs, runs
from ._select import Beyond, Choice, Contender, Threshold, select
from ._topk import Chosen, TopK, TopKChosen, register_torch, topk
from ._tune import topk_isa, tune, wisdom_path

__all__ = [
    "Beyond", "Choice", "Chosen", "Contender", "Device", "LostMass", "Merged", "Parts", "Profile",
    "Reaching", "Routing", "Runs", "Simulation", "SparseAttention", "Threshold", "TokenChange",
    "TopK", "TopKChosen", "attention_methods", "blocks_loss", "blocks_recall", "blocks_sd",
    "blocks_smallest", "cost", "devices", "exact_time_us", "largest_k", "largest_n", "loss",
    "loss_binomial", "loss_bound", "lost_distribution", "lost_mass", "merge_parts",
    "normal_weights", "overlap", "parts", "predict_us", "probability_exact", "profile", "profiles",
    "quantised_recall", "reaching", "read_profile", "read_runs", "recall", "recall_binomial",
    "recall_quantile", "recall_sd", "recall_worst_case", "register_torch", "routing", "runs",
    "select", "simulate", "smallest_b", "sparse_attention", "stand_in", "survival", "token_change",
    "topk", "topk_isa", "tune", "version", "wisdom_path", "write_profile", "xla_b"]
__version__ = version()
