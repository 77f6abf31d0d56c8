"""ctypes for librecallmodel, librecallmodel-sim and librecallmodel-attention.

Here are the structures of model/recallmodel.h, sim/simulate.h and attention/evaluation/outputs.h,
and the functions that the module calls. tests/python/test_recallmodel.py compares the layout of
each structure with that of the C compiler.
"""
import ctypes
import functools
import os
import pathlib
import types
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float,
                    c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)

ASSIGNMENTS = ("interleaved", "contiguous", "contiguous-floor")  # of both libraries
DTYPES = ("f32", "f16", "bf16")                                  # enum rcm_dtype
SIM_DTYPES = ("unknown", "f16", "bf16", "f32", "f64")            # enum sim_dtype
TEXT_KINDS = ("words", "rate", "kernel", "dtype", "parameter", "figure")  # enum rcm_text_kind
# The rates of struct rcm_device.
DEVICE_RATES = ("bandwidth_bytes_per_s", "fma_rate_per_s", "vector_rate_per_s", "matrix_rate_per_s",
                "matrix_rate_printed_per_s")
HEAD_DIM = 128        # of sim_rope_default
HEAD_DIM_MOST = 1024  # RCM_HEAD_DIM_MOST, SIM_HEAD_DIM_MAX
INPUTS = ("placement", "file", "iid", "ar1", "lognormal", "uniform", "ties", "sorted", "constant",
          "rope")
SHUFFLES = ("none", "row", "once")


def number_of(name, names, what):
    """The number of a name in an enumeration."""
    if name not in names:
        raise ValueError(f"{what} {name!r} is not known; give one of {', '.join(names)}")
    return names.index(name)


# ---- the model


class Topk(Structure):
    """struct rcm_topk"""
    _fields_ = [*((name, c_uint64) for name in ("n", "k", "b", "k_b", "m", "valid")),
                ("assignment", c_int)]


class Target(Structure):
    """struct rcm_target"""
    _fields_ = [("loss", c_double), ("align", c_uint64), ("divisors", c_bool)]


class Lost(Structure):
    """struct rcm_lost"""
    _fields_ = [("first", c_uint64), ("most", c_uint64), ("length", c_size_t),
                ("probability", POINTER(c_double))]


class Kernel(Structure):
    """struct rcm_kernel"""
    _fields_ = [("name", c_char_p), ("limits", c_char_p), ("k_b_max", c_uint64), ("any_b", c_bool),
                ("divides", c_bool),
                *((name, c_void_p) for name in ("next_b", "work", "splits", "edges")),
                ("lanes", c_uint64), ("family", c_char_p), ("times_only", c_bool), ("cpu", c_bool),
                ("exact_only", c_bool), ("once", c_bool), ("borrows", c_bool)]


class Algorithm(Structure):
    """struct rcm_algorithm"""
    _fields_ = [("name", c_char_p), ("formula", c_char_p), ("cost", c_void_p)]


class CostModel(Structure):
    """struct rcm_cost_model"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("algorithms", Algorithm * 2),
                ("scan", c_void_p)]


class Device(Structure):
    """struct rcm_device"""
    _fields_ = [("name", c_char_p), *((name, c_double) for name in DEVICE_RATES),
                ("source", c_char_p), ("memory_bytes", c_double),
                ("on_chip_bytes", c_double), ("multiprocessors", c_double),
                ("shortest_kernel_us", c_double), ("architecture", c_char_p)]


class TextKey(Structure):
    """struct rcm_text_key"""
    _fields_ = [("name", c_char_p), ("kind", c_int), ("offset", c_size_t), ("size", c_size_t)]


class TimeParameter(Structure):
    """struct rcm_time_parameter"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p), ("start", c_double),
                ("offset", c_size_t), ("k_b", c_uint), ("always", c_bool), ("times_only", c_bool),
                ("cpu_start", c_double), ("exact_start", c_double)]


class Machine(Structure):
    """struct rcm_machine"""
    _fields_ = [("profile", c_void_p), ("device", POINTER(Device)), ("dtype", c_int),
                ("d", c_uint64), ("beyond_runs", c_bool)]


class Objective(Structure):
    """struct rcm_objective"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("motion", c_int), ("need", c_int),
                ("cost_model", c_size_t),
                *((name, c_void_p) for name in ("bucketed", "exact", "threshold"))]


NEEDS = ("nothing", "profile", "device")          # enum rcm_need
DEPLOY = ("bucketed", "exact", "threshold")       # enum rcm_deploy


class Rope(Structure):
    """struct rcm_rope"""
    _fields_ = [("theta", c_double), ("head_dim", c_uint64), ("stretch", c_uint64)]


class Selection(Structure):
    """struct rcm_selection"""
    _fields_ = [("p", Topk), ("target", Target), ("confidence", c_double), ("most_lost", c_uint64),
                ("kernel", POINTER(Kernel)), ("k_b_max", c_uint64),
                ("objective", POINTER(Objective)), ("machine", Machine), ("exact_us", c_double),
                ("exact_low_us", c_double), ("exact_high_us", c_double),
                ("tick", c_void_p), ("tick_context", c_void_p), ("rope", Rope)]


class Point(Structure):
    """struct rcm_point"""
    _fields_ = [("p", Topk), ("objective", c_double)]


class Choice(Structure):
    """struct rcm_choice"""
    _fields_ = [("p", Topk), ("objective", c_double), ("deploy", c_int),
                ("exact_objective", c_double), ("over_exact", c_double), ("threshold", Point),
                ("reaching", c_double), ("beyond", Point), ("too_close", c_bool),
                ("reason", c_int)]


class Goal(Structure):
    """struct rcm_goal"""
    _fields_ = [("recall", c_double), ("loss", c_double), ("most_lost", c_uint64)]


class Reaching(Structure):
    """struct rcm_reaching"""
    _fields_ = [("mean", c_double), ("sd", c_double)]


class Blocks(Structure):
    """struct rcm_blocks"""
    _fields_ = [(name, c_uint64) for name in ("n", "k", "size", "kept")]


# ---- the simulation


class SimShape(Structure):
    """struct sim_shape"""
    _fields_ = [("b", c_uint64), ("k_b", c_uint64), ("assignment", c_int)]


ROW_FILE_AXES = 8


class RowFile(Structure):
    """struct row_file"""
    _fields_ = [("descriptor", c_int), ("dtype", c_int),
                ("rows", c_uint64), ("row", c_uint64), ("axes", c_uint),
                ("axis", c_uint64 * ROW_FILE_AXES),
                *((name, c_uint64) for name in ("offset", "size", "modified_ns")),
                ("format", c_void_p)]


class RowGroups(Structure):
    """struct row_groups"""
    _fields_ = [("groups", c_size_t), ("rows", c_uint64), ("block", c_uint64),
                ("of_row", POINTER(c_uint32)), ("label", POINTER(c_char_p)), ("text", c_void_p),
                ("axes", c_uint), ("axis", c_uint64 * ROW_FILE_AXES), ("identity", c_uint64)]


class SimRope(Structure):
    """struct sim_rope"""
    _fields_ = [("theta", c_double), ("head_dim", c_uint), ("share", c_double),
                ("spread", c_double), ("weight", POINTER(c_double)), ("weights", c_size_t)]


class SimSpec(Structure):
    """struct sim_spec"""
    _fields_ = [("n", c_uint64), ("k", c_uint64), ("valid", c_uint64), ("input", c_int),
                ("file", POINTER(RowFile)), ("groups", POINTER(RowGroups)),
                ("rho", POINTER(c_double)), ("rhos", c_size_t),
                ("shuffle", POINTER(c_int)), ("shuffles", c_size_t), ("shape", POINTER(SimShape)),
                ("shapes", c_size_t), ("rank", POINTER(c_uint64)), ("ranks", c_size_t),
                ("reaching", c_bool), ("weights", c_bool), ("temperature", c_double),
                ("seed", c_uint64), ("repetitions", c_uint64), ("threads", c_uint),
                ("checkpoint", c_char_p), ("checkpoint_seconds", c_double), ("name", c_char_p),
                ("rope", POINTER(SimRope))]


# The numbers of struct sim_result, in its order.
QUANTITIES = ("recall_mean", "recall_sd", "recall_stderr", "recall_worst", "recall_p01",
              "recall_p05", "recall_p50", "recall_value_mean", "exact_rows", "certified_rows",
              "mass_mean", "mass_worst", "value_mean", "value_worst")
REACHING_QUANTITIES = ("reaching_mean", "reaching_sd", "reaching_worst")


class SimLost(Structure):
    """struct sim_lost"""
    _fields_ = [("first", c_uint64), ("length", c_size_t), ("count", POINTER(c_uint64)),
                ("most", c_uint64)]


class SimResult(Structure):
    """struct sim_result"""
    _fields_ = [("rows", c_uint64), *((name, c_double) for name in QUANTITIES),
                ("value_rows", c_uint64), *((name, c_double) for name in REACHING_QUANTITIES),
                ("survived", POINTER(c_uint64)), ("lost", SimLost)]


class SimGroupLost(Structure):
    """struct sim_group_lost"""
    _fields_ = [("rows", c_uint64), ("lost", c_uint64)]


class SimGroup(Structure):
    """struct sim_group"""
    _fields_ = [("lost", SimGroupLost), ("recall_mean", c_double), ("mass_mean", c_double)]


class SimOverGroups(Structure):
    """struct sim_over_groups"""
    _fields_ = [("groups", c_size_t),
                *((name, c_double) for name in ("recall_mean", "recall_se", "recall_low",
                                                "recall_high"))]


TICK = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)


# ---- loading


def _load(name):
    """Loads the library of that name; ImportError if there is none.

    It is the file $RECALLMODEL_LIBRARY, which names librecallmodel; otherwise the newest file of
    that name beside $RECALLMODEL_LIBRARY, beside this file (pip install) or in build/ of the
    source tree, in this order.
    """
    here = pathlib.Path(__file__).resolve().parent
    given = os.environ.get("RECALLMODEL_LIBRARY")
    if given and name == "librecallmodel":
        return ctypes.CDLL(given)
    folders = [pathlib.Path(given).parent] if given else []
    for folder in [*folders, here, here.parents[1] / "build"]:
        found = sorted(folder.glob(name + ".so*"), key=lambda place: place.stat().st_mtime)
        if found:
            return ctypes.CDLL(str(found[-1]))
    raise ImportError(f"{name}.so is neither in {here} nor in {here.parents[1] / 'build'}: "
                      "run make, or pip install . in the source tree")


def _declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype = result
    function.argtypes = arguments
    return function


_model = _load("librecallmodel")


def address(name):
    """The address of a function of the model, as an argument of another function."""
    return ctypes.cast(getattr(_model, name), c_void_p)


text_key = _declare(_model, "rcm_text_key", TextKey, c_size_t)


def _keys():
    """All keys of the text of a profile, in the order of that text."""
    keys = []
    while (key := text_key(len(keys))).name:
        keys.append(key)
    return keys


KEYS = _keys()


def _numbers(*kinds):
    """The names of the keys of these kinds, in the order of their fields in struct rcm_profile."""
    keys = (key for key in KEYS if TEXT_KINDS[key.kind] in kinds)
    return tuple(key.name.decode() for key in sorted(keys, key=lambda key: key.offset))


PARAMETERS = tuple(key.name.decode() for key in KEYS if TEXT_KINDS[key.kind] == "parameter")
FIGURES = _numbers("figure")


class Profile(Structure):
    """struct rcm_profile"""
    _fields_ = [("name", c_char_p), ("kernel", POINTER(Kernel)), ("dtype", c_int),
                *((name, c_char_p) for name in ("date", "source", "runs", "card",
                                                "stands_in_for")),
                ("carried_from", c_int),
                *((name, c_double) for name in _numbers("parameter", "figure"))]


class ProfileAnswer(Structure):
    """struct rcm_profile_answer"""
    _fields_ = [("found", c_bool), ("profile", Profile), ("kernel", POINTER(Kernel)),
                ("dtype", c_int), ("other_kernel", c_bool), ("other_dtype", c_bool)]


class Prediction(Structure):
    """struct rcm_prediction"""
    _fields_ = [*((name, c_double) for name in ("time_us", "stage1_us", "stage2_us", "low_us",
                                                "high_us")),
                ("bound", c_char_p), ("stage2", c_char_p), ("within_runs", c_bool),
                ("beyond", c_uint)]


class DeviceText(Structure):
    """struct rcm_device_text"""
    _fields_ = [("device", Device), ("profile", Profile), ("has_profile", c_bool),
                *((key.name.decode(), c_char * key.size) for key in KEYS
                  if TEXT_KINDS[key.kind] == "words")]


version = _declare(_model, "rcm_version", c_char_p)
each = _declare(_model, "rcm_each", None, c_void_p, c_void_p, c_size_t, c_void_p)
each_objective = _declare(_model, "rcm_each_objective", None, POINTER(Objective), POINTER(Machine),
                          c_void_p, c_size_t, c_void_p)
objective = _declare(_model, "rcm_objective", POINTER(Objective), c_size_t)
goal = _declare(_model, "rcm_goal", c_int, c_char_p, c_uint64, POINTER(Goal))
blocks_check = _declare(_model, "rcm_blocks_check", c_int, Blocks)
blocks_status_text = _declare(_model, "rcm_blocks_status_text", c_size_t, c_int, Blocks, c_char_p,
                              c_size_t)
blocks_recall = _declare(_model, "rcm_blocks_recall", c_double, Blocks)
blocks_loss = _declare(_model, "rcm_blocks_loss", c_double, Blocks)
blocks_sd = _declare(_model, "rcm_blocks_sd", c_double, Blocks)
blocks_smallest = _declare(_model, "rcm_blocks_smallest", c_uint64, Blocks, c_double)
reaching = _declare(_model, "rcm_reaching", Reaching, Topk)
reaching_above = _declare(_model, "rcm_reaching_above", c_double, Topk, c_uint64)
reaching_quantile = _declare(_model, "rcm_reaching_quantile", c_uint64, Topk, c_double)
recall_exact = _declare(_model, "rcm_recall_exact", c_double, Topk)
survival = _declare(_model, "rcm_survival", c_double, Topk, c_uint64)
smallest_b = _declare(_model, "rcm_smallest_b", c_uint64, Topk, Target)
largest_k = _declare(_model, "rcm_largest_k", c_uint64, Topk, Target)
largest_n = _declare(_model, "rcm_largest_n", c_uint64, Topk, Target)
lost = _declare(_model, "rcm_lost", c_int, Topk, POINTER(Lost))
lost_free = _declare(_model, "rcm_lost_free", None, POINTER(Lost))
lost_recall_quantile = _declare(_model, "rcm_lost_recall_quantile", c_double, POINTER(Lost),
                                c_uint64, c_double, c_uint64)
cost_model = _declare(_model, "rcm_cost_model", POINTER(CostModel), c_size_t)
kernel = _declare(_model, "rcm_kernel", POINTER(Kernel), c_size_t)
select = _declare(_model, "rcm_select", Choice, POINTER(Selection))
reason_name = _declare(_model, "rcm_reason_name", c_char_p, c_int)
reason_text = _declare(_model, "rcm_reason_text", c_char_p, c_int)
profile = _declare(_model, "rcm_profile", POINTER(Profile), c_size_t)
profile_lacks = _declare(_model, "rcm_profile_lacks", c_char_p, POINTER(Profile))
time_parameter = _declare(_model, "rcm_time_parameter", POINTER(TimeParameter), c_size_t)
device = _declare(_model, "rcm_device", POINTER(Device), c_size_t)
name_begins = _declare(_model, "rcm_name_begins", c_bool, c_char_p, c_char_p)
profile_text_read = _declare(_model, "rcm_profile_text_read", c_int, c_char_p, c_size_t,
                             POINTER(DeviceText), c_char_p, c_size_t)
profile_text_write = _declare(_model, "rcm_profile_text_write", c_size_t, c_char_p, c_size_t,
                              POINTER(Profile), POINTER(Device), c_void_p)
check = _declare(_model, "rcm_check", c_int, Topk)
status_text = _declare(_model, "rcm_status_text", c_size_t, c_int, Topk, c_char_p, c_size_t)
predict_exact = _declare(_model, "rcm_predict_exact", c_double, POINTER(Profile), Topk)
predict_exact_band = _declare(_model, "rcm_predict_exact_band", Prediction, POINTER(Profile), Topk)
predict = _declare(_model, "rcm_predict", Prediction, POINTER(Profile), Topk)
stand_in_for = _declare(_model, "rcm_stand_in_for", c_bool, POINTER(Device), POINTER(Profile),
                        POINTER(Kernel), POINTER(c_int), POINTER(Profile))
profile_for = _declare(_model, "rcm_profile_for", ProfileAnswer, POINTER(Device),
                       POINTER(Profile), POINTER(Kernel), POINTER(c_int))
this_cpu = _declare(_model, "rcm_this_cpu", c_bool, c_char_p)
CPU_TEXT = 100  # RCM_CPU_TEXT
device_by_name = _declare(_model, "rcm_device_by_name", POINTER(Device), c_char_p)
carry_exact = _declare(_model, "rcm_carry_exact", Profile, POINTER(Profile), POINTER(Device),
                       POINTER(Device))
fastest_exact = _declare(_model, "rcm_fastest_exact", c_bool, POINTER(Device), POINTER(c_int),
                         Topk, POINTER(Profile))
xla_b = _declare(_model, "rcm_xla_b", c_uint64, Topk, c_double)


@functools.lru_cache(maxsize=None)
def sim():
    """The functions of the simulation, loaded at the first call: the model works without them."""
    library = _load("librecallmodel-sim")
    return types.SimpleNamespace(
        row_file_open=_declare(library, "row_file_open", c_int, POINTER(RowFile), c_char_p, c_int,
                               c_uint64, c_char_p, c_size_t),
        row_file_close=_declare(library, "row_file_close", None, POINTER(RowFile)),
        limit=_declare(library, "simulation_limit", c_char_p, POINTER(SimSpec)),
        new=_declare(library, "simulation_new", c_void_p, POINTER(SimSpec), c_char_p, c_size_t),
        run=_declare(library, "simulation_run", c_int, c_void_p, TICK, c_void_p, c_char_p,
                     c_size_t),
        result=_declare(library, "simulation_result", SimResult, c_void_p, c_size_t, c_size_t,
                        c_size_t),
        group=_declare(library, "simulation_group", SimGroup, c_void_p, c_size_t, c_size_t,
                       c_size_t, c_size_t),
        usual_axes=_declare(library, "row_groups_usual_axes", c_uint, POINTER(RowFile)),
        groups_of_axes=_declare(library, "row_groups_of_axes", c_int, POINTER(RowGroups),
                                POINTER(RowFile), c_uint, c_char_p, c_size_t),
        group_label=_declare(library, "row_group_label", None, POINTER(RowGroups), c_size_t,
                             c_char_p, c_size_t),
        over_groups=_declare(library, "sim_over_groups", SimOverGroups, POINTER(SimGroupLost),
                             c_size_t, c_uint64, c_double),
        recall_lower_groups=_declare(library, "sim_recall_lower_groups", c_double,
                                     POINTER(SimGroupLost), c_size_t, c_uint64, c_uint64, c_double,
                                     c_size_t),
        rope_default=SimRope.in_dll(library, "sim_rope_default"),
        free=_declare(library, "simulation_free", None, c_void_p),
        recall_lower=_declare(library, "sim_recall_lower", c_double, POINTER(SimLost), c_uint64,
                              c_double, c_size_t))


# ---- sparse attention


class Context(Structure):
    """struct context"""
    _fields_ = [*((name, c_uint32)
                  for name in ("query_heads", "key_heads", "n", "n_q", "d", "d_v")),
                ("scale", c_float),
                *((name, c_void_p) for name in ("queries", "keys", "values", "queries_unroped",
                                                "keys_unroped"))]


class DensePart(Structure):
    """struct dense_part"""
    _fields_ = [("sink", c_uint32), ("window", c_uint32)]


class MethodOptions(Structure):
    """struct method_options"""
    _fields_ = [("seed", c_uint64), ("dense", DensePart), ("k_b", c_uint64), ("assignment", c_int),
                ("components", c_uint32), ("mean_value", c_bool), ("clusters", c_uint32),
                ("iterations", c_uint32), ("spherical", c_bool), ("inside", c_double),
                ("page", c_uint32), ("block", c_uint32), ("block_factor", c_double),
                ("bits", c_uint32), ("tables", c_uint32), ("chunk", c_uint32),
                ("element_bytes", c_uint32), ("batch", c_uint32)]


class TrainedHeads(Structure):
    """struct trained_heads"""
    _fields_ = [("partitions", c_void_p), ("models", c_void_p), ("models_only", c_bool)]


class OutputsSpec(Structure):
    """struct outputs_spec"""
    _fields_ = [("context", Context), ("layer", c_uint32), ("method", c_void_p),
                ("budget", c_double), ("options", MethodOptions), ("share", c_bool),
                ("threads", c_uint), ("trained", TrainedHeads * 2), ("tick", TICK),
                ("tick_context", c_void_p), ("index", c_char_p)]


class OutputsReport(Structure):
    """struct outputs_report"""
    _fields_ = [("knob", c_uint32),
                *((name, c_double) for name in ("visited", "selectivity", "bytes_read",
                                                "index_bytes"))]


@functools.lru_cache(maxsize=None)
def attention():
    """The functions of sparse attention, loaded at the first call."""
    library = _load("librecallmodel-attention")
    return types.SimpleNamespace(
        methods=(c_void_p * 1000).in_dll(library, "methods"),
        method_by_name=_declare(library, "method_by_name", c_void_p, c_char_p),
        options=_declare(library, "method_options_default", MethodOptions),
        outputs=_declare(library, "sparse_outputs", c_int, POINTER(OutputsSpec), c_void_p,
                         POINTER(OutputsReport), c_char_p, c_size_t))
