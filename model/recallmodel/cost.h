/* recallmodel/cost.h - how much work it is: the cost models of the papers, the roofline of a
 * device, and what sparse attention can gain.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_COST_H
#define RECALLMODEL_COST_H

#include "shape.h"

RCM_BEGIN

/* ------------------------------------------------------------------------------------------------
 * Cost models
 */

/* An exact top-k algorithm of a cost model. cost(n, k, m) counts operations of the abstract machine
 * of the model. n is real, because the size of a bucket is n/b. Domain: n >= 1, 1 <= k, m >= 1. */
struct rcm_algorithm {
    const char *name; /* NULL where the source names none */
    const char *formula;
    double (*cost)(double n, double k, double m);
};

/* A cost model is a registry row: its cost is that of its cheapest algorithm. rcm_cost_model(0), ..
 * until NULL. The first three are those of [Key2024]. */
enum rcm_cost_model_number { RCM_BASIC, RCM_SERIAL, RCM_PARALLEL, RCM_COST_MODELS };
#define RCM_MAX_ALGORITHMS 2
struct rcm_cost_model {
    const char *name;
    const char *unit;
    /* the first one with cost == NULL ends the list */
    struct rcm_algorithm algorithms[RCM_MAX_ALGORITHMS];
    /* a second pass: compares each element with a threshold and collects those that reach it */
    double (*scan)(double n, double m);
};
const struct rcm_cost_model *rcm_cost_model(size_t index);

/* The cost of p in a model.
 *   exact = C(n, k, m)
 *   approximate = C(n/b, k_b, m b) + [candidates > k] C(candidates, k, m)
 *   speedup = exact/approximate
 * Domain    outside it `approximate` is NaN and the names are NULL. stage2 is NULL where stage 2 is
 *           not needed. At b = n the parallel stage 1 costs 0: with k = n the speedup is infinite
 *           (NaN at n = 1).
 * Accuracy  a few times 1e-15, relative.
 * Source    [Key2024] Table 1 and section 3, residual terms dropped. */
struct rcm_cost {
    double exact, approximate, speedup;
    const char *stage1, *stage2; /* name of the algorithm that was the cheaper one, or NULL */
};
struct rcm_cost rcm_cost(const struct rcm_cost_model *model, struct rcm_topk p);

/* The cost of exact top-k by threshold: stage 1, the k-th largest candidate, the second pass over
 * the row, and the exact top-k of the `reaching` elements that it collects. NaN outside the domain.
 * Source    docs/models.md 16. */
double rcm_cost_threshold(const struct rcm_cost_model *model, struct rcm_topk p, double reaching);

/* The expected number of insertions that stage 1 makes in one row, if each bucket is a queue that a
 * new element enters only when it exceeds the smallest. In a bucket of s elements in random order,
 * the one at position t enters with probability min(1, k_b/t). Together these are
 * k_b (1 + H(s) - H(k_b)), where H are the harmonic numbers, and s where s <= k_b. NaN outside the
 * domain.
 * Accuracy  relative error <= RCM_INSERTIONS_MAX_RELERR.
 * Source    docs/models.md 11. */
#define RCM_INSERTIONS_MAX_RELERR 1e-13
double rcm_insertions(struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------
 * Devices
 */

/* Rates of a device, each a peak. fma_rate counts a fused multiply-add of float32 as two, as
 * datasheets do. vector_rate counts compares and selects, which is what stage 1 consists of.
 * matrix_rate is dense bfloat16. matrix_rate_printed is the number that Table 1 of [Samaga2025]
 * uses, 0 where it has none. memory_bytes is the nominal capacity. on_chip_bytes is the largest
 * memory on the chip in which the output of a kernel can stay for the next one: the L2 cache of a
 * GPU, the vector memory (VMEM) of a TPU. multiprocessors counts those of NVIDIA, or the compute
 * units of AMD. shortest_kernel_us is the time of the shortest kernel that was measured on it: the
 * least that a launch takes. Any number but the bandwidth may be 0: unknown. architecture is the
 * maker's name of it, with the compute capability where one name has several; NULL: unknown. */
struct rcm_device {
    const char *name;
    double bandwidth_bytes_per_s;
    double fma_rate_per_s;
    double vector_rate_per_s;
    double matrix_rate_per_s;
    double matrix_rate_printed_per_s;
    const char *source;
    double memory_bytes;
    double on_chip_bytes;
    double multiprocessors;
    double shortest_kernel_us;
    const char *architecture;
};

/* The registry of devices: rcm_device(0), .. until NULL. By name: the whole name, or NULL; letter
 * case, blanks, '-' and '_' do not count. */
const struct rcm_device *rcm_device(size_t index);
const struct rcm_device *rcm_device_by_name(const char *name);

/* The devices that a person may mean: the one with that name, otherwise those whose names begin
 * with it (compared as above, and a beginning does not end inside a number: h20 does not begin
 * H200). Puts the first `most` of them into `found`.
 * Returns   how many there are. 1: found[0] is meant; more: the name is ambiguous; 0: none. */
size_t rcm_devices_by_prefix(const char *name, const struct rcm_device **found, size_t most);

/* The device that a name means, as people, nvidia-smi, PyTorch, rocm-smi, lspci, JAX and clouds
 * write it. In this order: its whole name; a type of machine of a cloud; its name among words of
 * the maker, with its form and its memory. Each word must be one of the device: none is taken for
 * the nearest letters. A card of several forms ("h100", "a100") is the commonest, the SXM card with
 * the most memory, and the others that the name may mean are told.
 * Domain    any text: "H100", "4090", "NVIDIA H100 80GB HBM3", "GH100 [H100 PCIe] (rev a1)",
 *           "p5.48xlarge", "ml.p5.48xlarge". Any other one with a '.' or '/', as paths have, means
 *           none.
 * Returns   the device, and in *count how many others it may be; their first `most` in `others`.
 *           NULL: there is none (*count = 0), or it may be any of *count, whose names begin so.
 * Source    the names are those that CUDA, ROCm, JAX (device_kind) and the PCI IDs give. */
const struct rcm_device *rcm_device_meant(const char *name, const struct rcm_device **others,
                                          size_t most, size_t *count);

/* Is `meant`, the device that a name means, only one that begins so? "MI300" is taken as MI300X,
 * and there is an MI300A. */
bool rcm_device_guessed(const char *name, const struct rcm_device *meant);

/* Is it the name of a part of a card, "H100 MIG 1g.10gb"? None has a row. For a message. */
bool rcm_device_is_part(const char *name);

/* Of a card that has no row: the device that has its chip and its memory (the H800 has those of an
 * H100, the A800 those of an A100; both have slower NVLink, and the H800 fewer float64). For a
 * message: rcm_device_meant() takes no card for another. NULL: none is known. */
const struct rcm_device *rcm_device_same_chip(const char *name);

/* Does a name begin with the prefix, compared as in rcm_device_by_name? A prefix that ends in the
 * middle of a number does not count (H20 does not begin H200), nor does an empty one. */
bool rcm_name_begins(const char *name, const char *prefix);

enum rcm_dtype { RCM_F32, RCM_F16, RCM_BF16 };

/* The bytes of one value: 4 for RCM_F32, 2 for any other number. */
double rcm_dtype_bytes(enum rcm_dtype dtype);

/* f32, f16 or bf16. dtype must be one of the enum. */
const char *rcm_dtype_name(enum rcm_dtype dtype);

/* Also float32, fp16, half, torch.bfloat16, as libraries print them. False: no such type. */
bool rcm_dtype_by_name(const char *name, enum rcm_dtype *dtype);

/* ------------------------------------------------------------------------------------------------
 * Roofline
 */

/* How many vector operations a device can do for each byte, or for each bf16 matrix multiply-add
 * pair, before they become the bottleneck, as in Table 1 of [Samaga2025]: per 4 bytes that are
 * read, and per 256 matrix operations (a dot product of 128 elements). NaN where a rate is 0. */
double rcm_ridge_memory(double vector_rate_per_s, double bandwidth_bytes_per_s);
double rcm_ridge_matrix(double vector_rate_per_s, double matrix_rate_per_s);

/* The largest k_b with 5 k_b - 2 <= ridge, at most RCM_N_MAX. 0 if there is none, or ridge is
 * NaN. */
uint64_t rcm_ridge_k_b(double ridge);

/* Of the bytes that a kernel writes, those that must reach the memory of the device before it ends:
 * all but on_chip_bytes; none where on_chip_bytes is not known, so that a bound stays a bound.
 * Source    docs/models.md 10. */
double rcm_bytes_to_memory(const struct rcm_device *device, double written);

/* The roofline bound of stage 1, for values of e bytes, with a 4-byte index beside each candidate.
 * The rows come from memory, and candidates go there only if they do not fit on the chip.
 *   bytes = m n e + rcm_bytes_to_memory(m candidates (e + 4))
 *   operations = m n (5 k_b - 2)
 *   time = max(bytes/bandwidth, operations/vector_rate)
 * through_memory_us is the same with the bytes of all candidates: the bound for a kernel whose
 * candidates go to memory, and what "roofline" ranks shapes by (select.h).
 * k_b_max is the largest k_b <= ceil(n/b) up to which p (with its b) is memory-bound, 0 if there is
 * none. Without a vector rate the bandwidth alone decides: time_us is time_memory_us, which is
 * still a lower bound, time_vector_us is NaN, and memory_bound = false and k_b_max = 0 mean that
 * they are not known.
 * Domain    all NaN outside that of rcm_topk, and without a bandwidth.
 * Source    [Samaga2025] 2.3 and 6; that candidates may stay on the chip: docs/models.md 10. */
struct rcm_roofline {
    double bytes, operations;
    double time_memory_us, time_vector_us, time_us;
    double through_memory_us;
    bool memory_bound;
    uint64_t k_b_max;
};
struct rcm_roofline rcm_roofline(const struct rcm_device *device, enum rcm_dtype dtype,
                                 struct rcm_topk p);

/* Scores that must be computed first: the products of m vectors with n others, all of d elements of
 * the type. Stage 1 can be fused into the product: then its vector operations run beside the matrix
 * operations, and it writes candidates in place of all scores. With w for rcm_bytes_to_memory,
 *   time = max(bytes/bandwidth, matrix operations/matrix_rate;
 *              fused also: vector operations/vector_rate)
 *   product: e (m d + n d) + w(e m n) bytes, 2 m n d matrix operations
 *   fused:   e (m d + n d) + w(m candidates (e + 4)) bytes, 2 m n d matrix operations and
 *            m n (5 k_b - 2) vector operations
 *   least:   the product with nothing written; no top-k of its elements takes less
 * where a value has e bytes. An intensity is matrix operations for each byte: of the product, with
 * all e m n bytes of scores, and of the fused kernel. Below `ridge` = matrix_rate/bandwidth the
 * memory limits the product.
 * Domain    that of rcm_topk, d >= 1, and every rate that a time needs is known (product, least:
 *           bandwidth and matrix; fused: also vector). Otherwise NaN.
 * Returns   each bound is "memory", "matrix" or "vector"; NULL beside NaN.
 * Source    [Samaga2025] 2.3, 4 and A.12; docs/models.md 10. */
struct rcm_product {
    double product_us, least_us, fused_us;
    double fused_through_memory_us; /* fused_us with the bytes of all candidates */
    const char *product_bound, *fused_bound;
    double product_intensity, fused_intensity, ridge;
};
struct rcm_product rcm_product(const struct rcm_device *device, enum rcm_dtype dtype,
                               struct rcm_topk p, uint64_t d);

/* The same, where a threshold of each row is fused in place of stage 1 (b and k_b are not read):
 * `survivors` of its elements reach it and are handed on, and it comes from the products of
 * `sample` elements, which are computed twice.
 *   fused:   e (m d + n d) + w(m survivors (e + 4)) bytes, 2 m (n + sample) d matrix operations and
 *            m (n + sample) vector operations: one compare an element
 * Domain    0 <= sample, survivors <= n, too; otherwise NaN. */
struct rcm_product rcm_product_above(const struct rcm_device *device, enum rcm_dtype dtype,
                                     struct rcm_topk p, uint64_t d, double sample,
                                     double survivors);

/* The floor of every time: what a kernel takes at the least that reads m rows of n values (m = 0:
 * 1). Its shortest kernel, or the bytes that its cache cannot have held before, at the rate of the
 * memory, whichever is longer. A shorter time was not measured so: most often it has another unit.
 * Of what is unknown, 0, RCM_CACHE_MOST counts, no less than any GPU's cache, and of a GPU, whose
 * architecture is known, RCM_KERNEL_LEAST_US: half of the shortest kernel that was measured on any
 * (1.5 us, on a B200).
 * Returns   microseconds; 0: without a bandwidth nothing is known. */
#define RCM_CACHE_MOST 0x1p28
#define RCM_KERNEL_LEAST_US 0.75
double rcm_least_us(const struct rcm_device *device, enum rcm_dtype dtype, uint64_t n, uint64_t m);

/* Stage 2 at the least: it reads the candidates once. 0 where these are no more than k.
 * Domain    that of rcm_topk, and the bandwidth is known. Otherwise NaN. */
double rcm_stage2_us(const struct rcm_device *device, enum rcm_dtype dtype, struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------
 * Sparse attention
 */

/* A decoder: `layers` of gated feed-forward networks (three matrices of width x ffn) and attention
 * with `heads` queries of `head` elements. heads/kv_heads queries share a head of keys and values.
 * ffn = 0: 8 width^2 parameters in place of 3 width ffn, so that a layer with a head of keys for
 * each query and heads head = width has 12 width^2, the form of [Key2024]. A step multiplies by one
 * embedding of width x vocabulary and reads `embeddings_read` of them whole (1: the output;
 * [Key2024]: 2).
 * Domain    layers, width, head, kv_heads >= 1; heads >= 1 a multiple of kv_heads. vocabulary = 0:
 *           not counted.
 * A registry row: rcm_decoder(0), .. until NULL. By name or prefix as rcm_devices_by_prefix. */
struct rcm_decoder {
    const char *name;
    uint64_t layers, width, vocabulary, head, heads, kv_heads, ffn, embeddings_read;
    const char *source;
};
const struct rcm_decoder *rcm_decoder(size_t index);
size_t rcm_decoders_by_prefix(const char *name, const struct rcm_decoder **found, size_t most);

/* The elements of the matrices of one layer: 2 width head (heads + kv_heads) + 3 width ffn. Norms
 * and biases, less than 1e-3 of them, are not counted. NaN outside the domain. */
double rcm_decoder_layer_parameters(const struct rcm_decoder *decoder);

/* The most that sparse attention can gain in one step of decoding, for one sequence and 2-byte
 * values. A step takes operations/matrix_rate + bytes/bandwidth, and the part of attention shrinks
 * as its transfers do. SparQ reads `components` elements of each of n cached keys, and then k of
 * them whole, keys and values. For a head of d elements
 *   transfers = (2 n d + 2 d) / (n components + 2 k d + 4 d),
 *   speedup   = step / (step - attention + attention/transfers).
 * This takes a group of g = heads/kv_heads queries to choose its components and its k together. If
 * each query chooses its own, and no two agree, up to g times as much is read:
 *   transfers_apart = (2 n d + 2 d) / (n min(g components, d) + 2 min(g k, n) d + 4 d).
 * Domain    1 <= k <= n <= RCM_N_MAX, 1 <= components <= head, both rates known; otherwise NaN.
 * Source    the code of [Key2024], whose Figure 5 shows it as the dashed line (text: k = n/8; code:
 *           n/16). Groups, and what is left out: docs/models.md 15. */
struct rcm_attention {
    double step_us, attention_us; /* dense: one token, and the part of it that is attention */
    double transfers;             /* dense over sparse; below 1 where sparse moves more */
    double speedup;
    double transfers_apart, speedup_apart; /* each query chooses for itself; lower bounds */
    double bytes;                          /* that a dense step reads: the weights and the cache */
};
struct rcm_attention rcm_attention(const struct rcm_decoder *decoder,
                                   const struct rcm_device *device, uint64_t n, uint64_t k,
                                   uint64_t components);

/* The speed-up of the same step if choosing the k keys takes select_us in each layer:
 *   step / (step/speedup + layers select_us).
 * Domain    select_us >= 0, not infinite; `gain` is that of rcm_attention for this decoder.
 *           Otherwise NaN. */
double rcm_attention_selected(const struct rcm_decoder *decoder, struct rcm_attention gain,
                              double select_us);

/* What one step of sparse attention reads, of all queries that decode together. Their buckets are
 * those of a partition of the keys: each is read by one multiprocessor. */
struct rcm_sparse_step {
    double bytes;           /* in all, >= 0 */
    double largest_bucket;  /* bytes of the keys and values of the largest bucket that is visited,
                             * 0 to `bytes`; 0: no buckets */
    double multiprocessors; /* S >= 1, which share the bandwidth evenly; 0: not known, and the
                             * bucket does not count */
    double launches;        /* of kernels, one after the other, >= 0 */
    double launch_us;       /* the start and end of a kernel, >= 0: rcm_profile.launch_us */
};

/* How long the step takes, in microseconds:
 *   launches launch_us + max(bytes/bandwidth, largest_bucket S/bandwidth)
 * The largest bucket counts, not the mean: the step ends when the last multiprocessor has read its
 * bucket. A lower bound of what its bytes cost, as the bandwidth is a peak.
 * Domain    above; a device with a bandwidth. Otherwise NaN.
 * Source    docs/models.md 15; Mazare et al., arXiv 2502.08246, 4.4 (the largest bucket). */
double rcm_sparse_step_us(const struct rcm_device *device, struct rcm_sparse_step step);

RCM_END

#endif
