/* command_topk.c - exact top-k of the rows of a matrix whose columns the ranks of a team share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/clock.h>
#include <base/memory.h>
#include <programs/bench-cpu/library.h>
#include <programs/common/table.h>
#include <programs/common/wrap.h>
#include <sim/team.h>

#include <programs/recallmodel/command.h>
#include <programs/recallmodel/output/colour.h>
#include <programs/recallmodel/question/input.h>
#include <programs/recallmodel/question/question.h>
#include "rounds.h"

struct settings {
    struct question question;
    const char *file, *indices; /* NULL: none */
    struct input_option input;
    struct decimal_list rho;
    uint64_t rows, seed, deal, send; /* 0: not given */
    bool runs;
};

#define AT(member) offsetof(struct settings, member)

static const struct argument topk_options[] = {
    {"--k", "K", BY(read_one_count), IN_QUESTION(k), "elements wanted of each row"},
    {"--file", "ROWS", KIND(read_text, .endings = "npy"), AT(file),
     "a .npy or .safetensors file of rows; each rank reads it"},
    {"--n", "N", BY(read_one_count), IN_QUESTION(n), "elements in a generated row"},
    {"--input", "I", &kind_of_made_input, AT(input),
     "the kind of generated rows (default iid): iid, ar1, lognormal, uniform, ties, sorted, "
     "constant or rope"},
    {"--rho", "R", BY(read_rho), AT(rho), "correlation of neighbours in ar1 (default 0.5)"},
    {"--rows", "M", BY(read_count), AT(rows), "rows (default 16; with --file all)"},
    {"--seed", "S", BY(read_seed), AT(seed), "seed of generated rows (default 1)"},
    {"--deal", "S", BY(read_count), AT(deal),
     "how many neighbours go to a rank at a time (default 1)"},
    {"--runs", NULL, BY(read_switch), AT(runs), "each rank has a run of neighbours"},
    {"--send", "K", BY(read_count), AT(send),
     "what each rank sends (default: what costs least with the second round, by the model)"},
    {"--indices", "FILE", BY(read_text), AT(indices),
     "write the positions of the top k, the best first, a line for each row"},
    OPTIONS_FORM,
};

static const struct argument_rule topk_rules[] = {
    {.options = "--file", .excludes = "--n --input --rho --seed"},
    {.options = "--deal", .excludes = "--runs"},
    {0},
};

/* ---- the answer */

struct topk_row {
    uint64_t n, k, rows, ranks, k_part, bytes_first, bytes_second, bytes_full, unproved_rows;
    double expected_rows, top_k_us, gather_us, merge_us, second_us;
    char checksum[20];
};

static const struct column topk_items[] = {
    {FIELD(struct topk_row, n), EVERYWHERE("n")},
    {FIELD(struct topk_row, k), EVERYWHERE("k")},
    {FIELD(struct topk_row, rows), EVERYWHERE("rows")},
    {FIELD(struct topk_row, ranks), EVERYWHERE("ranks")},
    {FIELD(struct topk_row, k_part), HEADED("k_part", "each\nsends")},
    {FIELD(struct topk_row, bytes_first), HEADED("bytes_first", "bytes")},
    {FIELD(struct topk_row, bytes_second), HEADED("bytes_second", "second\nround")},
    {FIELD(struct topk_row, bytes_full), HEADED("bytes_full", "with\nfull k")},
    {FIELD(struct topk_row, unproved_rows), HEADED("rows_unproved", "not\nproved")},
    {FIELD(struct topk_row, expected_rows), HEADED("rows_unproved_expected", "expec-\nted"),
     .style = STYLE_SHARE},
    {FIELD(struct topk_row, top_k_us), HEADED("top_k_us", "top-k"), .style = STYLE_US},
    {FIELD(struct topk_row, gather_us), HEADED("gather_us", "gather"), .style = STYLE_US},
    {FIELD(struct topk_row, merge_us), HEADED("merge_us", "merge"), .style = STYLE_US},
    {FIELD(struct topk_row, second_us), HEADED("second_us", "second"), .style = STYLE_US},
    {FIELD(struct topk_row, checksum), IN_DATA("checksum")},
};
static const struct columns topk_columns = COLUMNS(struct topk_row, topk_items);

/* Of values and positions: FNV-1a, 64 bits. */
static void put_checksum(char text[20], const struct rounds *rounds, uint64_t cells, size_t bytes)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)cells * bytes; i++)
        sum = (sum ^ (unsigned char)rounds->values[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < (size_t)cells * sizeof(int64_t); i++)
        sum = (sum ^ ((const unsigned char *)rounds->positions)[i]) * UINT64_C(0x100000001b3);
    snprintf(text, 20, "%016" PRIx64, sum);
}

static int write_indices(const char *path, const struct rounds *rounds, uint64_t m, uint64_t k)
{
    FILE *file = fopen(path, "w");
    for (uint64_t i = 0; file && i < m * k; i++)
        fprintf(file, "%" PRId64 "%c", rounds->positions[i], (i + 1) % k ? ' ' : '\n');
    const int failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        usage_error("--indices %s cannot be written; give another file", path);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static int print_row(const struct topk_row *row, enum output output)
{
    struct table *table = table_of(&topk_columns, 0);
    table_add(table, row, false);
    if (output == OUTPUT_JSON) {
        json_t *object = row_as_json(table);
        json_object_set_new(object, "version", json_text(rcm_version()));
        return print_json(object);
    }
    if (output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else {
        print_wrapped("Exact, with the bits of one process (checksum %s).", row->checksum);
        table_print(table, stdout, colour_wanted());
    }
    table_free(table);
    return STATUS_OK;
}

/* ---- what each rank does */

/* What each rank sends, and how many rows the model expects to need a second round. All ranks
 * compute the same. */
static int choose_sends(struct rounds *rounds, const struct settings *s, uint64_t n, uint64_t k,
                        const uint64_t *sizes, double *unproved)
{
    const uint64_t ranks = team_size();
    struct rcm_part of[3] = {{n / ranks + (n % ranks ? 1 : 0), 0, n % ranks ? n % ranks : ranks},
                             {n / ranks, 0, ranks - n % ranks}};
    const size_t length = n % ranks ? 2 : 1;
    const struct rcm_parts parts = {k, of, length};
    if (s->send == 0 && rcm_parts_choose(k, of, length, RCM_PARTS_COST,
                                         (double)rcm_parts_sent_full(parts), RCM_PARTS_EQUAL) == 0)
        return usage_error("what the ranks must send would take too long to compute; give --send");
    for (size_t i = 0; i < length && s->send; i++)
        of[i].send = s->send < of[i].size ? s->send : of[i].size;
    if (rcm_parts_sent(parts) < k)
        return usage_error("--send %" PRIu64 " from each of %" PRIu64
                           " ranks are fewer than k = %" PRIu64 "; give more",
                           s->send, ranks, k);
    *unproved = rcm_parts_probability_unproved(parts);
    rounds->send = require_memory(calloc(ranks, sizeof *rounds->send));
    for (uint64_t p = 0; p < ranks; p++) {
        const uint64_t send = of[length > 1 && p >= n % ranks ? 1 : 0].send, least = 1,
                       most = sizes[p] < k ? sizes[p] : k;
        rounds->send[p] = send < least ? least : send < most ? send : most;
    }
    return STATUS_OK;
}

static int top_k_of(const struct settings *s, const struct matrix *matrix)
{
    const uint64_t ranks = team_size(), n = matrix->n, k = matrix->k;
    struct rounds rounds = {0};
    struct shard shard;
    char error[300] = "";
    double unproved = NAN;
    uint64_t *sizes = require_memory(calloc(ranks, sizeof *sizes)), full = 0;
    for (uint64_t p = 0; p < ranks; p++) {
        sizes[p] = n / ranks + (p < n % ranks);
        full += p ? sizes[p] < k ? sizes[p] : k : 0;
    }
    int status = choose_sends(&rounds, s, n, k, sizes, &unproved); /* the same on all ranks */
    if (status == STATUS_OK) {
        shard_read(&shard, matrix, sizes, team_rank(), (unsigned)ranks, MESSAGE(error));
        team_share_error(MESSAGE(error));
        if (!*error)
            run_rounds(&rounds, &shard, k, sizes, MESSAGE(error));
        if (*error) {
            usage_error("%s", error);
            status = STATUS_FAILED;
        }
        const uint64_t each = value_bytes(matrix->type) + sizeof(int64_t);
        struct topk_row row = {.n = n,
                               .k = k,
                               .rows = matrix->m,
                               .ranks = ranks,
                               .k_part = rounds.send[0],
                               .bytes_first = rounds.bytes_first,
                               .bytes_second = rounds.bytes_second,
                               .bytes_full = full * matrix->m * each,
                               .unproved_rows = rounds.unproved_rows,
                               .expected_rows = unproved * (double)matrix->m,
                               .top_k_us = rounds.top_k_us,
                               .gather_us = rounds.gather_us,
                               .merge_us = rounds.merge_us,
                               .second_us = rounds.second_us};
        if (status == STATUS_OK && team_rank() == 0) {
            put_checksum(row.checksum, &rounds, matrix->m * k, shard.bytes);
            if (s->indices)
                status = write_indices(s->indices, &rounds, matrix->m, k);
            if (status == STATUS_OK)
                status = print_row(&row, s->question.output);
        }
        shard_free(&shard);
    }
    rounds_free(&rounds);
    free(sizes);
    return status;
}

static int check_matrix(struct settings *s, struct matrix *matrix)
{
    if (s->question.k.length == 0)
        return usage_error("--k is missing; for example --k 2048");
    if (!matrix->file && s->question.n.length == 0)
        return usage_error("--n is missing; for example --n 262144, or --file ROWS.npy");
    if (check_rho(&s->rho, s->input.kind, false) != STATUS_OK)
        return STATUS_USAGE;
    matrix->n = matrix->file ? matrix->file->row : s->question.n.items[0];
    matrix->k = s->question.k.items[0];
    matrix->m = s->rows ? s->rows : matrix->file ? matrix->file->rows : 16;
    if (matrix->k > matrix->n)
        return usage_error("--k %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
                           matrix->k, matrix->n);
    if (matrix->n >= UINT64_C(1) << 31)
        return usage_error("--n %" PRIu64 " is too long; give less than 2^31", matrix->n);
    if (matrix->file && matrix->m > matrix->file->rows)
        return usage_error("--rows %" PRIu64 " is more than the %" PRIu64
                           " rows of --file; give at most that",
                           matrix->m, matrix->file->rows);
    if (team_size() > matrix->n || team_size() > RANKS_MOST)
        return usage_error("%u ranks are too many for n = %" PRIu64 "; start fewer, at most %d",
                           team_size(), matrix->n, RANKS_MOST);
    if (matrix->file)
        matrix->type = matrix->file->dtype == SIM_F16   ? RCM_TOP_K_F16
                       : matrix->file->dtype == SIM_F64 ? RCM_TOP_K_F64
                                                        : RCM_TOP_K_F32;
    return topk_library_check();
}

static int run_settings(struct settings *s)
{
    struct row_file file = {.descriptor = -1};
    char reason[500], error[700] = "";
    struct matrix matrix = {.input = s->input.kind,
                            .rho = first_rho(&s->rho, s->input.kind),
                            .seed = s->seed,
                            .deal = s->runs   ? 0
                                    : s->deal ? s->deal
                                              : 1,
                            .type = RCM_TOP_K_F32};
    if (s->file && row_file_open(&file, s->file, SIM_DTYPE_UNKNOWN, 0, MESSAGE(reason)) != 0)
        message_set(MESSAGE(error), "--file %.150s %s", s->file, reason);
    team_share_error(MESSAGE(error));
    matrix.file = s->file ? &file : NULL;
    int status = *error ? usage_error("%s", error) : check_matrix(s, &matrix);
    if (team_max((uint64_t)status) > 0 && status == STATUS_OK)
        status = usage_error("a rank cannot take part; give all of them the same --file and the "
                             "same librecallmodel-topk.so");
    if (status == STATUS_OK)
        status = top_k_of(s, &matrix);
    row_file_close(&file);
    return status;
}

static int run_topk(int count, char **arguments)
{
    struct settings settings = {
        .question = QUESTION_DEFAULT, .input = {.kind = SIM_IID}, .seed = 1};
    int status = arguments_read_ruled(topk_options, topk_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = run_settings(&settings);
    question_free(&settings.question);
    free(settings.rho.items);
    return status;
}

const struct command command_topk = {
    .name = "topk",
    .summary = "exact top-k over the ranks of MPI: a gather, a merge, a proof (recallmodel-mpi)",
    .example = "mpirun -n 8 recallmodel-mpi topk --n 1048576 --k 2048 --rows 64\n"
               "  recallmodel topk --file rows.npy --k 256 --indices top.txt",
    .detail =
        "Each rank has some columns of the matrix and sends the best of them. Rank 0 merges them. "
        "The rows that this does not prove take a second round, in which the ranks in the way of a "
        "proof send k. The answer has the bits of one process.\n"
        "\n"
        "  bytes           what the ranks send to rank 0, with 8 bytes for each position\n"
        "  not proved      the rows of the second round; expected: by the model, if the top k lie "
        "anywhere with equal probability\n"
        "  second          the time of the second round; all times are those of rank 0, of this "
        "run",
    .columns = &topk_columns,
    .options = topk_options,
    .run = run_topk,
};
