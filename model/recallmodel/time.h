/* recallmodel/time.h - how long it takes: what a kernel starts for a shape, what was fitted to
 * measured runs, and the predicted time. Files of profiles: profile_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_TIME_H
#define RECALLMODEL_TIME_H

#include "cost.h"
#include "shape.h"

RCM_BEGIN

/* ------------------------------------------------------------------------------------------------
 * Kernels
 */

/* How the time of a kernel is modelled. Each model is a row in model/time/predict.c, and has a
 * column in the table of parameters. */
enum rcm_time_model {
    RCM_TIME_UNKNOWN,
    RCM_TIME_BY_WORK, /* what the kernel starts, and what it waits for (docs/models.md 14) */
    RCM_TIME_SHORT,   /* only times are known, not work (14) */
    RCM_TIME_CPU,     /* a CPU runs it (14) */
    /* It finds the exact top-k alone, without stage 1 (19). It goes the long way where `splits`
     * says so; NULL: from long_n elements on, which the runs tell. */
    RCM_TIME_EXACT
};
#define RCM_TIME_MODELS 5

/* What stage 1 of a kernel starts for p, by the rule of the kernel itself: the part of the time
 * model that is known and not fitted. */
struct rcm_work {
    double blocks;   /* thread blocks, each about as large */
    double elements; /* that a thread reads, one after the other */
    double lines;    /* of 128 bytes, that all warps ask for */
    bool merges;     /* the threads of a block share a bucket and merge what they kept */
    bool inserts;    /* an element that beats its queue takes a warp another way */
};

#define RCM_EDGES_MOST 8

/* What a kernel can run, and how it runs it. A registry row: rcm_kernel(0), which runs anything, ..
 * until NULL. */
struct rcm_kernel {
    const char *name;
    const char *limits;
    uint64_t k_b_max;
    bool any_b;      /* it runs every b */
    bool divides;    /* it runs only b that divide n */
    bool contiguous; /* its buckets are runs of neighbours; those of others are interleaved */
    /* the smallest b >= low that it runs for n, k, k_b and m of p, but for `divides`; 0: none */
    uint64_t (*next_b)(struct rcm_topk p, uint64_t low, const struct rcm_restriction *restriction);
    /* for values of so many bytes and p in the domain; NULL: not known */
    struct rcm_work (*work)(struct rcm_topk p, double bytes);
    /* does its stage 2 divide a row among blocks? */
    bool (*splits)(double m, double candidates);
    /* the b from which it works in another way, how many there are; NULL: none */
    size_t (*edges)(struct rcm_topk p, uint64_t b[RCM_EDGES_MOST]);
    uint64_t lanes; /* of a vector: it works on so many buckets at once; 0: on each alone */
    /* kernels of one family share the parameters of a profile: the first name */
    const char *family;
    enum rcm_time_model model;
    bool once; /* of RCM_TIME_EXACT: what a long row waits for is not repeated in waves of rows */
    bool
        borrows; /* its model is that of another kernel, so that what is known of that may be off */
};
const struct rcm_kernel *rcm_kernel(size_t index);

/* The kernel with that name, or NULL. */
const struct rcm_kernel *rcm_kernel_by_name(const char *name);

/* Can the kernel run this shape? p is in the domain of rcm_check. The rule that select, predict and
 * calibrate share. */
bool rcm_kernel_runs(const struct rcm_kernel *kernel, struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------
 * Profiles
 */

/* A kernel on a device: what was fitted to measured runs (recallmodel calibrate), and how far these
 * runs extend. Parameters are positive; 0: the runs do not determine it. All names are those of the
 * lines in the file of a profile. */
struct rcm_profile {
    const char *name; /* of the device */
    const struct rcm_kernel *kernel;
    enum rcm_dtype dtype;
    const char *date;   /* of the calibration */
    const char *source; /* where the runs come from */
    const char *runs;   /* which runs they were */
    /* the card, where `name` is that of a kernel (exact top-k alone), or the CPU as rcm_this_cpu()
     * has it; NULL or "": not stated */
    const char *card;
    /* the card to which it was carried (rcm_stand_in), from which type; NULL: it was not */
    const char *stands_in_for;
    enum rcm_dtype carried_from;
    /* measured here over predicted, of buckets and of exact top-k (rcm_fit_here); 0: not known */
    double here_ratio, here_exact_ratio;
    /* it was carried with its own band, which is of its runs alone (rcm_carry_buckets) */
    bool own_band;

    double launch_us;      /* a kernel's start and end */
    double block_us;       /* from one thread block's start to the next, on the whole device */
    double blocks_at_once; /* that the device holds; more run in waves */
    /* one element of one thread, in cache, for this k_b; at most five of them */
    double element_us_1, element_us_2, element_us_3, element_us_4, element_us_8, element_us_16;
    double insert_us;         /* an insertion of a warp, for each k_b; CPU: for each pair of k_b */
    double memory_ratio;      /* the time of an element from memory over that from cache */
    double cache_bytes;       /* bytes of all rows at which half come from memory */
    double roof_bytes_per_s;  /* of memory, as the runs show it */
    double l3_bytes_per_s;    /* CPU: of the last cache */
    double lines_per_us;      /* of 128 bytes, that all warps can ask for */
    double merge_us;          /* merging the queues of a block, for each of k_b + 3 */
    double select_launch_us;  /* stage 2 in one block a row: its start and end */
    double select_element_us; /* each candidate of a row */
    double select_batch_us;   /* each candidate, more as rows share the device */
    double split_launch_us;   /* stage 2 in several blocks a row: its start and end */
    double split_block_us;    /* each block of a row */
    double split_element_us;  /* each candidate of all rows */
    double operations_per_s;  /* short model: vector operations, 5 k_b - 2 an element */
    double keep_us;           /* CPU: each candidate that stage 1 keeps */
    double scan_us;           /* CPU: an element, of which the best of a lane is kept */
    double offer_us;          /* the best of a block, for each k_b */
    double sort_us;           /* CPU, stage 1 by sorting: an exchange, for each element */
    double single_ratio;      /* CPU, stage 1: time of a vector that goes by alone */
    double resolve_us;        /* an element of a block that is looked at again */
    double split_ratio;       /* CPU, stage 1: where b elements are not whole lines of the cache */
    double narrow_ratio;      /* CPU: time from memory, of neighbours that are a few lines */
    double wanted_us;         /* CPU, exact top-k by groups: each of the k that are wanted */
    double dense_us;          /* CPU, exact top-k: an element of a row too short for groups */
    double collect_us;        /* each of the k that are wanted of such a row */
    double thread_us;         /* CPU: the start of each thread but the first */
    double contiguous_ratio;  /* GPU, stage 1 but its start: contiguous over interleaved buckets */
    double contiguous_us;     /* CPU, contiguous buckets: an element, more than interleaved */
    double contiguous_bucket_us; /* the same: a bucket */
    double row_us;               /* kernels of exact top-k alone: a row, whatever its length */
    double row_element_us;       /* each element of a row */
    double rows_at_once;         /* rows that the device holds; more wait in waves */
    double long_n;               /* a row of so many elements goes the long way */
    double long_us;              /* the long way: a row, whatever its length */
    double long_element_us;      /* the long way: each element of a row */

    /* the ranges of the runs */
    double n_low, n_high, k_low, k_high, b_low, b_high, k_b_low, k_b_high, m_low, m_high;
    double elements_high; /* the most elements of all rows, m n, of exact top-k alone; 0: any */
    double candidates_low, candidates_high; /* b k_b; 0: not stated */
    double run_count, exact_count;          /* runs of two stages; runs of exact top-k */
    /* |predicted/measured - 1|, of the runs */
    double median_error, p95_error, worst_error;
    /* of sizes n that a fit to the others did not see; 0: not tried */
    double held_out_median_error, held_out_p95_error;
    /* measured/predicted of these: 5 % are below, 5 % above; 0: not tried */
    double held_out_p05_ratio, held_out_p95_ratio;
    /* the same for exact top-k, which the two before do not contain */
    double held_out_exact_p05_ratio, held_out_exact_p95_ratio;
    /* exact top-k alone: of numbers k that a fit to the others did not see; 0: not tried */
    double held_out_k_median_error, held_out_k_p95_error;
    /* of contiguous buckets: how many runs, and measured/predicted, of which 5 % are below and 5 %
     * above; 0: none */
    double contiguous_count, contiguous_p05_ratio, contiguous_p95_ratio;
    /* the caches of a CPU, the last two; 0: not known, taken as 1 MiB and 32 MiB */
    double l2_bytes, l3_bytes;
    double threads; /* of a CPU, for which it predicts; 0 is 1 */
};

/* The parameters, in order: rcm_time_parameter(0), .. until NULL. There are RCM_TIME_PARAMETERS, at
 * most RCM_TIME_PARAMETERS_MOST of them in a profile. */
#define RCM_TIME_PARAMETERS 44
#define RCM_TIME_PARAMETERS_MOST 24
struct rcm_time_parameter {
    const char *name, *unit, *meaning;
    const char *lacks; /* what rcm_profile_lacks() says where it is needed and 0 */
    size_t offset;     /* into struct rcm_profile */
    unsigned k_b;      /* of the time of an element; 0: another parameter */
    bool needed;       /* by every prediction by work and of a CPU; elsewhere 0 leaves a term out */
    bool contiguous;   /* of contiguous buckets alone, which have a fit of their own */
    double start[RCM_TIME_MODELS]; /* where a fit of each model begins; 0: it is not in the model */
};
const struct rcm_time_parameter *rcm_time_parameter(size_t index);

/* Its value in a profile, to read and to set. The parameter is a row of rcm_time_parameter. Any
 * value is stored as it is; a prediction wants it positive, or 0 for a parameter that the runs do
 * not determine. */
double rcm_time_value(const struct rcm_profile *profile,
                      const struct rcm_time_parameter *parameter);
void rcm_set_time_value(struct rcm_profile *profile, const struct rcm_time_parameter *parameter,
                        double value);

/* Does it predict the time of buckets that are assigned so? Interleaved ones always, unless its
 * kernel has contiguous ones alone; contiguous ones where runs of them were measured. Of others
 * rcm_predict() gives the time of those that it knows. */
bool rcm_profile_knows(const struct rcm_profile *profile, enum rcm_assignment assignment);

/* The profiles that come with the library: rcm_profile(0), .. until NULL. */
const struct rcm_profile *rcm_profile(size_t index);

/* What a profile lacks to predict a time, as a phrase that continues "the profile ..". NULL: it
 * lacks nothing. */
const char *rcm_profile_lacks(const struct rcm_profile *profile);

/* "AMD EPYC, family 25, model 17", or of ARM "implementer 0x41, part 0xd40": the card of a profile
 * of the kernel cpu that was measured here. Reads /proc/cpuinfo. False, and "": not known. */
#define RCM_CPU_TEXT 100
bool rcm_this_cpu(char text[RCM_CPU_TEXT]);

/* The profile of a CPU that comes with the library and is named so: of several that begin so
 * (rcm_name_begins) that of this CPU, or the first. NULL: none does. */
const struct rcm_profile *rcm_cpu_meant(const char *name);

/* The profile by which topk/ chooses on a CPU: the one that was measured on it; or else the first
 * of a CPU, in *carried, with the wider of its own errors and those of RCM_OTHER_CPUS.
 * cpu       as rcm_this_cpu() writes it
 * Returns   NULL: no profile of a CPU comes with the library */
const struct rcm_profile *rcm_profile_of_cpu(const char *cpu, struct rcm_profile *carried);

/* ------------------------------------------------------------------------------------------------
 * Stand-ins: the profile of another card, for a card that has none
 */

/* Which profile stands in for which cards, and why. A registry row: rcm_stand_in(0), .. until NULL.
 * The first row that fits is taken. The ratios are measured/predicted where a profile was carried
 * to a card whose runs it had not seen: 5 % lie below the low one, 5 % above the high one. */
struct rcm_stand_in {
    const char *cards;   /* how the names of the cards begin; "": every card */
    const char *profile; /* the name of the profile */
    const char *why;
    double low_ratio, high_ratio;             /* of both stages */
    double exact_low_ratio, exact_high_ratio; /* of exact top-k; 0: not known */
    const char *measured;                     /* which runs say so */
};
const struct rcm_stand_in *rcm_stand_in(size_t index);

/* A profile carried to another card, to another type, or both. What is bound by the memory scales
 * with its bandwidth, and so do lines that came more slowly than the memory of `from` has them;
 * what all multiprocessors do together with their number; vector operations, and faster lines, with
 * their rate; a launch with the shortest kernel of both, if both were measured; the passes of a
 * stage 2 over its candidates with the width of the type. Latency stays, and so does what is not
 * known of both cards. The error of the fit becomes the ratios of a stand-in.
 * from, to   the cards; of `to` the bandwidth must be known. They may be the same.
 * Source     docs/models.md 21. */
struct rcm_profile rcm_carry(const struct rcm_profile *profile, const struct rcm_device *from,
                             const struct rcm_device *to, enum rcm_dtype dtype,
                             const struct rcm_stand_in *stand_in);

/* How far exact kernels carry from one card to another, by runs of the same kernel on two or more:
 * 90 % of the runs lay between these times the prediction. RCM_OTHER_CARDS: cards with CUDA of two
 * architectures, or of one that has no row; it is the widest that a kernel showed. RCM_OTHER_CPUS:
 * of topk/, from one CPU to another. A registry: (0), .. until NULL. */
#define RCM_OTHER_CARDS "other cards"
#define RCM_OTHER_CPUS "other CPUs"
struct rcm_exact_carried {
    const char *architecture;
    double low_ratio, high_ratio;
    const char *measured; /* which kernels, between which cards */
};
const struct rcm_exact_carried *rcm_exact_carried(size_t index);
const struct rcm_exact_carried *rcm_exact_carried_of(const char *architecture); /* NULL: no row */

/* The profile of a kernel of exact top-k alone, carried to another card: the roof scales with the
 * bandwidth of the memory, the rows at once with the multiprocessors, and all else stays, because
 * it is latency. The error of the fit becomes the ratios of rcm_exact_carried;
 * 0, which is unknown, where that has none for the two cards.
 * from, to   the cards; a rate that is not known of both does not scale.
 * Source     docs/models.md 21. */
struct rcm_profile rcm_carry_exact(const struct rcm_profile *profile, const struct rcm_device *from,
                                   const struct rcm_device *to);

/* The profile of buckets carried to another card with the same kernel and type, as rcm_carry() does
 * it. No buckets were measured on two such cards: an end of the band is that of the fit or that
 * of rcm_exact_carried(), whichever is wider. Both are unknown where one of the two is. Beyond the
 * runs the band grows as that of the profile does.
 * from, to   the cards; of `to` the bandwidth must be known.
 * Source     docs/models.md 21. */
struct rcm_profile rcm_carry_buckets(const struct rcm_profile *profile,
                                     const struct rcm_device *from, const struct rcm_device *to);

/* The stand-in for a card: this project's buckets on a card with CUDA that can run them, and else
 * the first row of rcm_stand_in() that fits. own: a profile of the card itself, which is then
 * carried to dtype alone; or NULL. kernel: NULL or rcm_kernel(0): any. dtype: NULL: that of the
 * profile.
 * Returns    whether there is one; *out then points to the texts of the library and of `device`. */
bool rcm_stand_in_for(const struct rcm_device *device, const struct rcm_profile *own,
                      const struct rcm_kernel *kernel, const enum rcm_dtype *dtype,
                      struct rcm_profile *out);

/* What answers for a card, a kernel and a type (NULL: any): a profile of the card; if none has
 * both, one of another type of the same width; then one of another kernel of the same family; then
 * one that differs in both; then one of another width, carried to the type; then a stand-in. own:
 * the only profile of the card that is looked at; NULL: those of the library with its name. Of a
 * kernel of exact top-k alone none is taken. rcm_predict_as(&profile, kernel, p) is the prediction.
 */
struct rcm_profile_answer {
    bool found;
    struct rcm_profile profile;      /* carried: with stands_in_for */
    const struct rcm_kernel *kernel; /* that was asked for, or the profile's */
    enum rcm_dtype dtype;            /* likewise */
    bool other_kernel, other_dtype;  /* the profile is of another, and not carried */
};
struct rcm_profile_answer rcm_profile_for(const struct rcm_device *device,
                                          const struct rcm_profile *own,
                                          const struct rcm_kernel *kernel,
                                          const enum rcm_dtype *dtype);

/* ------------------------------------------------------------------------------------------------
 * Predicted times
 */

/* Which numbers of a question lie outside the runs of a profile, or whether the kernel works in
 * another way. A number that lies beyond by at most a factor counts as within, but k_b, of which
 * none does. Of profiles of both stages the factor is 2: up to there the errors are those within
 * (docs/calibrating.md). Of exact top-k alone it is so much that runs of n = 262127 answer for
 * 2^18, and m n counts as m: runs of long rows and runs of many rows say nothing of many long ones.
 */
#define RCM_BEYOND_MARGIN 2.0
#define RCM_BEYOND_SLACK 1.01
enum rcm_beyond {
    RCM_BEYOND_N = 1,
    RCM_BEYOND_K = 2,
    RCM_BEYOND_B = 4,
    RCM_BEYOND_K_B = 8,
    RCM_BEYOND_M = 16,
    RCM_BEYOND_KERNEL = 32,     /* the kernel that was run starts something else for this shape */
    RCM_BEYOND_CANDIDATES = 64, /* b k_b */
};

/* Of shapes that lie beyond the runs by more than that, 90 % took between these shares of the
 * predicted time (docs/calibrating.md). The band of a prediction beyond is at least so wide, but of
 * a stand-in, whose own is of runs of other cards. */
#define RCM_BEYOND_LOW_RATIO 0.25
#define RCM_BEYOND_HIGH_RATIO 2.3

/* Their names, such as "n, m"; "" for 0. */
#define RCM_BEYOND_TEXT 32

/* The b that lie within the runs at this n, k, k_b and m; p.b is not read. {0, 0}: one of those
 * four lies beyond. */
struct rcm_range rcm_b_within_runs(const struct rcm_profile *profile, struct rcm_topk p);

void rcm_beyond_text(unsigned beyond, char text[RCM_BEYOND_TEXT]);

/* The predicted time of both stages, of the buckets of p, or as rcm_profile_knows() says.
 * Domain    p deployable or b k_b < k. The shape of the kernel must be known. k_b lies between the
 *           smallest and the largest that has a time of an element (between two of them it is
 *           interpolated in logarithms; the short model takes any k_b). The profile has what the
 *           prediction needs. Otherwise NaN; always NaN for a kernel of exact top-k alone, whose
 *           profile has no stage 1.
 * Accuracy  the profile states its errors. low_us and high_us are a band of held-out runs, not a
 *           bound.
 * Source    docs/models.md 14. */
struct rcm_prediction {
    double time_us, stage1_us;
    double stage2_us; /* 0 where there are no more than k candidates */
    /* 90 % of the held-out runs lay between: time_us times the ratios of the profile, the low end
     * no less than rcm_least_us() of the card; NaN where the ratios are not known */
    double low_us, high_us;
    /* what takes most of stage 1: "launch", "threads", "waves", "memory", "lines", "blocks",
     * "merge", "operations" */
    const char *bound;
    const char *stage2; /* "none", "one block", "split" */
    /* n, k, b, k_b and m lie between those of the runs: beyond is 0. False outside the domain */
    bool within_runs;
    unsigned beyond; /* of enum rcm_beyond: which of them do not */
};
struct rcm_prediction rcm_predict(const struct rcm_profile *profile, struct rcm_topk p);

/* The same for another kernel of the family of the profile, with the parameters of the profile: for
 * example Graphcore's kernel with one thread a bucket, by a profile of its own rule. Where the two
 * kernels start the same for p, it is rcm_predict. Elsewhere the band is NaN, because no run tells
 * the error, and beyond has RCM_BEYOND_KERNEL. NaN for a kernel of another family. */
struct rcm_prediction rcm_predict_as(const struct rcm_profile *profile,
                                     const struct rcm_kernel *kernel, struct rcm_topk p);

/* The predicted time of the exact top-k of all n, as stage 2 does it, or as the kernel does it that
 * finds the exact top-k alone. p.b and p.k_b are not read. Rows may be padded with what is never
 * wanted: it is the time of rcm_predict_exact_padded().
 * Domain    1 <= k <= n; for a kernel of exact top-k alone k < n, because k = n selects nothing.
 *           The profile has what the prediction needs: if it counts runs, at least one of exact
 *           top-k among them (exact_count), because stage 2 of a few candidates says nothing about
 *           a whole row (on a V100S it would be 2.3 times too long). Otherwise NaN.
 * Returns   microseconds of one call for all m rows.
 * Accuracy  the profile states its errors; docs/runs.md lists those of exact kernels.
 * Source    docs/models.md 14 and 19. */
double rcm_predict_exact(const struct rcm_profile *profile, struct rcm_topk p);

/* The same of rows of n elements as they are, to fit a profile and to compare it with runs; with
 * its band, which is that of the held-out runs of exact top-k; stage1_us is 0. If the profile
 * counts no runs at all, n counts as beyond them. */
#define RCM_BAND_RUNS 8 /* a band needs so many held-out runs; of fewer than 20: least and most */
struct rcm_prediction rcm_predict_exact_unpadded(const struct rcm_profile *profile,
                                                 struct rcm_topk p);

/* The same of rows that may be padded: of n, and of the longer rows at which the kernel begins to
 * work in another way, whichever takes least. It never falls as n grows,
 * up to the longest row of the runs (n_high, and elements_high over m): between two such lengths
 * every term of the time grows, so that the least of all longer rows is at n or at one of them.
 * Rows are not padded beyond the runs.
 * Domain    that of rcm_predict_exact(). A kernel that no run shows at n may be known at a longer
 *           row; where none is, NaN.
 * Returns   the prediction; in *padded_n the length that takes least, 0: that is n. */
struct rcm_prediction rcm_predict_exact_padded(const struct rcm_profile *profile, struct rcm_topk p,
                                               uint64_t *padded_n);

/* The predicted time of exact top-k by threshold: both stages of p, whose k-th largest candidate is
 * the threshold, a second pass over the row, and the exact top-k of the E[R] elements that it
 * collects. The second pass reads from memory what does not fit into cache_bytes. NaN outside the
 * domain and where the profile does not determine it. The library of the
 * kernel cpu finds every exact top-k by threshold, with groups of its own: rcm_predict_exact(). */
double rcm_predict_threshold(const struct rcm_profile *profile, struct rcm_topk p, double reaching);

/* ------------------------------------------------------------------------------------------------
 * Ties
 */

/* Which of equal elements a kernel takes where not all of them are among the top k. */
enum rcm_keeps_ties {
    RCM_TIES_ANY,         /* it may differ from one run to the next, or is not known */
    RCM_TIES_REPEATABLE,  /* the same for the same input, but not the first */
    RCM_TIES_BY_POSITION, /* the first in the row */
};
const char *rcm_ties_name(enum rcm_keeps_ties ties); /* any, repeatable, position */

/* What the code of a kernel does. A registry row: rcm_tie_rule(0), .. until NULL. By name: the row
 * whose `kernel` is the longest beginning of the name of a kernel, a profile or of runs; NULL: it
 * was not read. */
struct rcm_tie_rule {
    const char *kernel;
    enum rcm_keeps_ties ties;
    const char *option; /* what changes it, and at what cost; NULL: nothing that is known */
    const char *source;
};
const struct rcm_tie_rule *rcm_tie_rule(size_t index);
const struct rcm_tie_rule *rcm_tie_rule_of(const char *name);

/* Of buckets by this kernel; and of exact top-k as the profile predicts it. */
enum rcm_keeps_ties rcm_kernel_ties(const struct rcm_kernel *kernel);
enum rcm_keeps_ties rcm_exact_ties(const struct rcm_profile *profile);

/* The fastest exact kernel that can be called on the card: the first of rcm_exact_contenders
 * (provider.h), whose arguments these are.
 * Returns   whether there is one, in *out, which points to the texts of the library and
 *           `device`. */
bool rcm_fastest_exact(const struct rcm_device *device, const enum rcm_dtype *dtype,
                       enum rcm_keeps_ties ties, struct rcm_topk p, struct rcm_profile *out);

/* ------------------------------------------------------------------------------------------------
 * Quirks
 */

/* What measured runs show of a card that no rate of it tells. A registry: rcm_quirk(0), .. until
 * NULL. rcm_quirk_of: the one that a shape meets on a card, or NULL. */
struct rcm_quirk {
    const char *card, *kernels, *when;
    bool (*meets)(struct rcm_topk p);
    double median_ratio,
        high_ratio; /* of the times of shapes that meet it, over the nearest others */
    const char *runs, *mend;
};
const struct rcm_quirk *rcm_quirk(size_t index);
const struct rcm_quirk *rcm_quirk_of(const struct rcm_device *device, struct rcm_topk p);

RCM_END

#endif
