/* test_measured.c - what was timed on this machine, before what is predicted.
 *
 * Against: the rule in other words; a profile times a known factor; lines that are read back; files
 * of /proc that the test writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>
#include <unistd.h>

#include <tests/test.h>

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* ---- lines */

static struct rcm_measured drawn_row(void)
{
    static const char *const names[] = {"recallmodel", "torch.topk", "numpy.argpartition"};
    struct rcm_measured row = {.dtype = (enum rcm_dtype)draw(3), .threads = draw(9)};
    row.p.n = 2 + draw(1 << 20);
    row.p.k = 1 + draw(row.p.n / 2);
    row.p.m = 1 + draw(100);
    if (draw(2)) {
        row.p.k_b = 1 + draw(row.p.k < 4 ? row.p.k : 4);
        row.p.b = rcm_deployable_b(row.p).low;
        row.p.assignment = (enum rcm_assignment)draw(2);
    }
    row.time_us = 0.25 + (double)draw(1 << 20) / 16.0; /* six digits hold some of these */
    row.low_us = row.time_us / 2.0;
    row.high_us = row.time_us * 2.0;
    snprintf(row.name, sizeof row.name, "%s", names[draw(3)]);
    snprintf(row.machine, sizeof row.machine, "A CPU; family %u; 4 processors", (unsigned)draw(9));
    snprintf(row.version, sizeof row.version, "0.1.%u", (unsigned)draw(9));
    snprintf(row.package, sizeof row.package, draw(2) ? "torch 2.9.1" : "");
    snprintf(row.date, sizeof row.date, "2026-11-29");
    return row;
}

START_TEST(test_a_line_is_read_back)
{
    char line[RCM_MEASURED_LINE], again[RCM_MEASURED_LINE];
    for (unsigned i = 0; i < 10000; i++) {
        const struct rcm_measured row = drawn_row();
        struct rcm_measured back;
        ck_assert(rcm_measured_write(&row, line) == strlen(line) && *line);
        ck_assert_msg(rcm_measured_read(line, &back) == 0, "%s", line);
        ck_assert_msg(rcm_same_measured(&row, &back), "%s", line);
        ck_assert(fabs(back.time_us / row.time_us - 1.0) < 1e-5);
        ck_assert(rcm_measured_write(&back, again) > 0 && strcmp(line, again) == 0);
    }
}
END_TEST

START_TEST(test_what_is_no_line)
{
    static const char good[] =
        "recallmodel,1000,10,,,1,f32,,1,5,4,6,A CPU; 2 processors,0.1.0,,2026-11-29";
    static const char *const bad[] = {
        "",
        "recallmodel",
        RCM_MEASURED_COLUMNS,
        ",1000,10,,,1,f32,,1,5,4,6,A,0.1.0,,d",                    /* nobody's */
        "recallmodel,1000,1001,,,1,f32,,1,5,4,6,A,0.1.0,,d",       /* k above n */
        "recallmodel,1000,10,4,1,1,f32,interleaved,1,5,4,6,A,0,,", /* b k_b below k */
        "recallmodel,1000,10,,,0,f32,,1,5,4,6,A,0.1.0,,d",         /* no rows */
        "recallmodel,1000,10,,,1,f31,,1,5,4,6,A,0.1.0,,d",
        "recallmodel,1000,10,,,1,f32,striped,1,5,4,6,A,0.1.0,,d",
        "recallmodel,1000,10,,,1,f32,,1,5,6,7,A,0.1.0,,d", /* the median outside its interval */
        "recallmodel,1000,10,,,1,f32,,1,0,0,6,A,0.1.0,,d",
        "recallmodel,1000,10,,,1,f32,,1,nan,4,6,A,0.1.0,,d",
        "recallmodel,1000,10,,,1,f32,,1,5,4,inf,A,0.1.0,,d",
        "recallmodel,-1000,10,,,1,f32,,1,5,4,6,A,0.1.0,,d",
        "recallmodel,1000,10,,,1,f32,,1,5,4,6,A,0.1.0,,d,more",
        "a name of more than thirty-one letters,1000,10,,,1,f32,,1,5,4,6,A,0.1.0,,d",
    };
    struct rcm_measured row;
    char torn[sizeof good];
    ck_assert(rcm_measured_read(good, &row) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(rcm_measured_read(bad[i], &row) != 0, "%s", bad[i]);
    /* torn before the last comma, it is no line */
    for (size_t length = 0; length < (size_t)(strrchr(good, ',') - good); length++) {
        snprintf(torn, sizeof torn, "%.*s", (int)length, good);
        ck_assert_msg(rcm_measured_read(torn, &row) != 0, "%s", torn);
    }
}
END_TEST

/* ---- the machine */

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL);
    fputs(text, file);
    fclose(file);
}

START_TEST(test_this_machine)
{
    char folder[] = "/tmp/measured-XXXXXX", text[RCM_MACHINE_TEXT], command[100];
    struct rcm_device_text device;
    ck_assert(mkdtemp(folder) != NULL);
    setenv("RECALLMODEL_PROC", folder, 1);
    ck_assert(!rcm_this_machine(false, text) && !*text);
    ck_assert(!rcm_this_machine(true, text) && !*text && !rcm_device_here(true, &device));
    put_file(folder, "cpuinfo",
             "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
    ck_assert(rcm_this_machine(false, text));
    ck_assert_str_eq(text, "implementer 0x41; part 0xd40; 1 processors");
    put_file(folder, "cpuinfo",
             "processor\t: 0\nmodel name\t: A, B # C\ncpu family\t: 25\nmodel\t\t: 17\n\n"
             "processor\t: 1\nmodel name\t: A, B # C\n");
    ck_assert(rcm_this_machine(false, text));
    ck_assert_str_eq(text, "A; B ? C; family 25; model 17; 2 processors");
    put_file(folder, "driver/nvidia/gpus/0000:41:00.0/information",
             "Model: \t\t NVIDIA H200\nIRQ:   99\n");
    put_file(folder, "driver/nvidia/gpus/0000:c1:00.0/information", "Model: \t\t NVIDIA L4\n");
    ck_assert(rcm_this_machine(true, text));
    ck_assert_str_eq(text, "NVIDIA H200; driver unknown");
    put_file(folder, "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n"
             "GCC version:  gcc version 12.3.0\n");
    ck_assert(rcm_this_machine(true, text));
    ck_assert_str_eq(text, "NVIDIA H200; driver 580.65.06");
    ck_assert(rcm_device_here(true, &device) && strcmp(device.device.name, "H200") == 0);
    struct rcm_measured row = {.threads = 0};
    snprintf(row.machine, sizeof row.machine, "%s", text);
    snprintf(row.version, sizeof row.version, "%s", rcm_version());
    ck_assert(rcm_measured_here(&row, true, text) && !rcm_measured_here(&row, false, text));
    row.threads = 1;
    ck_assert(!rcm_measured_here(&row, true, text));
    row = (struct rcm_measured){.version = "0.0.9"};
    snprintf(row.machine, sizeof row.machine, "%s", text);
    ck_assert(!rcm_measured_here(&row, true, text));
    /* a card that nobody knows has a profile of its own name */
    put_file(folder, "driver/nvidia/gpus/0000:41:00.0/information", "Model: NVIDIA Q9000\n");
    ck_assert(rcm_device_here(true, &device) && device.has_profile);
    ck_assert_str_eq(device.device.name, "NVIDIA Q9000");
    ck_assert_str_eq(device.profile.stands_in_for, "NVIDIA Q9000");
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert(system(command) == 0);
    unsetenv("RECALLMODEL_PROC");
}
END_TEST

/* ---- the choice */

static struct rcm_selection asked_of(struct rcm_profile *profile, struct rcm_topk p, double loss,
                                     const struct rcm_measured *rows, size_t count)
{
    struct rcm_selection s = {.p = p,
                              .target = {.loss = loss},
                              .kernel = profile->kernel,
                              .objective = rcm_objective_by_name("time"),
                              .measured = rows,
                              .measured_count = count,
                              .machine = {.profile = profile, .dtype = profile->dtype}};
    rcm_fit_here(profile, &s);
    return s;
}

static struct rcm_profile cpu_profile(void)
{
    struct rcm_profile carried;
    return *rcm_profile_of_cpu("", &carried);
}

static struct rcm_measured timed(const char *name, struct rcm_topk p, double us)
{
    struct rcm_measured row = {
        .p = p, .threads = 1, .time_us = us, .low_us = 0.95 * us, .high_us = 1.05 * us};
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

#define EXACT_ROWS 2
#define ROWS (EXACT_ROWS + 6)

/* Of what was timed for these rows: the fastest that loses nothing, unless buckets that reach the
 * target are faster by more than both intervals. */
START_TEST(test_the_choice_is_what_was_timed)
{
    unsigned buckets_chosen = 0, exact_chosen = 0;
    for (unsigned i = 0; i < 300; i++) {
        struct rcm_profile profile = cpu_profile();
        struct rcm_topk p = {.n = 5000 + draw(50000), .k = 16 + draw(100), .m = 1 + draw(4)};
        struct rcm_measured rows[ROWS + 3];
        const double loss = 0.05, base = 100.0;
        double best = INFINITY, exact = INFINITY;
        const char *fastest = NULL;
        for (unsigned j = 0; j < EXACT_ROWS; j++) {
            const char *name = j ? "torch.topk" : "recallmodel";
            rows[j] = timed(name, p, base + (double)draw(20));
            fastest = rows[j].time_us < exact ? name : fastest;
            exact = fmin(exact, rows[j].time_us);
        }
        for (unsigned j = EXACT_ROWS; j < ROWS; j++) {
            struct rcm_topk q = p;
            q.k_b = 1 + draw(4);
            q.b = rcm_deployable_b(q).low + draw(p.n / 2);
            rows[j] = timed("recallmodel", q, base - 30.0 + (double)draw(60));
            const bool drops = q.k_b * q.b < p.n && rcm_check_deployable(q) == RCM_OK;
            if (drops && rcm_loss_exact(q) <= loss)
                best = fmin(best, rows[j].time_us);
        }
        for (unsigned j = 0; j < 3; j++) { /* of other rows, and far faster */
            rows[ROWS + j] = timed("recallmodel", p, 1e-3);
            rows[ROWS + j].p.n += j == 0;
            rows[ROWS + j].p.k += j == 1;
            rows[ROWS + j].p.m += j == 2;
        }
        struct rcm_answer answer;
        const struct rcm_selection s = asked_of(&profile, p, loss, rows, ROWS + 3);
        const struct rcm_choice choice = rcm_select(&s);
        rcm_answer(&s, &choice, &answer);
        const bool sure = log(exact / best) > hypot(log(1.05), log(1.0 / 0.95));
        ck_assert_msg((choice.deploy == RCM_DEPLOY_BUCKETED) == (best < INFINITY && sure),
                      TOPK_FMT " exact %g best %g", TOPK_ARG(p), exact, best);
        const struct rcm_contender *first = &answer.of[0];
        ck_assert(first->measured && !first->card && !first->profile && !first->carried);
        ck_assert_double_eq(first->time_us, sure && best < INFINITY ? best : exact);
        if (first->kind == RCM_CONTENDER_EXACT)
            ck_assert_str_eq(first->name, fastest);
        if (best < INFINITY)
            ck_assert_double_eq(choice.objective, best);
        buckets_chosen += first->kind == RCM_CONTENDER_BUCKETS;
        exact_chosen += first->kind == RCM_CONTENDER_EXACT;
        char basis[RCM_BASIS_TEXT];
        rcm_basis(first, basis);
        ck_assert_str_eq(basis, "measured here");
    }
    ck_assert(buckets_chosen > 20 && exact_chosen > 20); /* neither is rare */
}
END_TEST

/* Times of several thread counts are not compared: those of the fastest row count, and the profile
 * has its threads. Of two times of one call the shorter counts, with its own interval. */
START_TEST(test_threads_do_not_mix)
{
    const struct rcm_topk p = {.n = 100000, .k = 100, .m = 1},
                          q = {.n = 100000, .k = 100, .m = 1, .b = 512, .k_b = 1};
    for (unsigned first = 0; first < 2; first++) {
        struct rcm_measured rows[] = {timed("recallmodel", p, 80.0), timed("recallmodel", q, 30.0),
                                      timed("recallmodel", p, 50.0), timed("recallmodel", q, 45.0),
                                      timed("recallmodel", p, 51.0), timed("recallmodel", q, 20.0)};
        rows[first].threads = rows[2 + first].threads = 2;
        rows[4].threads = rows[5].threads = 2;
        struct rcm_profile profile = cpu_profile();
        struct rcm_answer answer;
        const struct rcm_selection s = asked_of(&profile, p, 0.1, rows, 6);
        const struct rcm_choice choice = rcm_select(&s);
        rcm_answer(&s, &choice, &answer);
        ck_assert_double_eq(profile.threads, 2.0);
        ck_assert(answer.count == 2 && answer.of[0].kind == RCM_CONTENDER_BUCKETS);
        ck_assert_double_eq(answer.of[0].time_us, 20.0);
        ck_assert_double_eq(answer.of[0].low_us, 0.95 * 20.0);
        ck_assert_double_eq(answer.of[1].time_us, first ? 51.0 : 50.0);
    }
}
END_TEST

/* A measurement answers for its own threads, and stands with its own interval: of calls that were
 * timed by several numbers of threads those of the fastest answer, all by that number; a repeated
 * row gives way to its fastest; of more names than there is room for, the slowest are left out. */
START_TEST(test_a_time_stands_with_its_threads)
{
    for (unsigned i = 0; i < 200; i++) {
        struct rcm_profile profile = cpu_profile();
        struct rcm_topk p = {.n = 5000 + draw(50000), .k = 16 + draw(100), .m = 1}, q = p;
        struct rcm_measured rows[80];
        const uint64_t threads = 1 + draw(4);
        double exact = INFINITY, buckets = INFINITY;
        q.k_b = 1;
        q.b = p.n / 2;
        for (unsigned j = 0; j < 80; j++) {
            char name[20];
            snprintf(name, sizeof name, "peer-%u", j % 29);
            rows[j] = timed(name, j % 2 ? q : p, 50.0 + (double)draw(1000));
            rows[j].threads = 1 + draw(4);
            if (j == i % 80) {
                rows[j].threads = threads;
                rows[j].time_us = rows[j].low_us = rows[j].high_us = 10.0;
            }
        }
        for (unsigned j = 0; j < 80; j++)
            if (rows[j].threads == threads) {
                double *of = j % 2 ? &buckets : &exact;
                *of = fmin(*of, rows[j].time_us);
            }
        struct rcm_answer answer;
        const struct rcm_selection s = asked_of(&profile, p, 0.3, rows, 80);
        const struct rcm_choice choice = rcm_select(&s);
        rcm_answer(&s, &choice, &answer);
        ck_assert_double_eq(profile.threads, (double)threads);
        for (size_t j = 0; j < answer.count; j++) {
            const struct rcm_contender *c = &answer.of[j];
            if (!c->measured)
                continue;
            ck_assert(c->low_us <= c->time_us && c->time_us <= c->high_us);
            if (c->kind == RCM_CONTENDER_BUCKETS)
                ck_assert_double_eq(rcm_predict_here(&s, c->p).time_us, c->time_us);
            double *of = c->kind == RCM_CONTENDER_BUCKETS ? &buckets : &exact;
            ck_assert(c->time_us >= *of);
            *of = c->time_us == *of ? 0.0 : *of; /* the fastest was there */
        }
        ck_assert(exact == 0.0 || exact == INFINITY);
        ck_assert(buckets == 0.0 || buckets == INFINITY);
    }
}
END_TEST

/* What `have` leaves out takes no part, also where it was timed; what others of unknown names do
 * stays. Buckets of another kernel were not timed. */
START_TEST(test_what_was_timed_may_be_left_out)
{
    const enum rcm_dtype type = RCM_BF16;
    struct rcm_profile profile =
        rcm_profile_for(rcm_device_by_name("H200"), NULL, rcm_kernel_by_name("ours"), &type)
            .profile;
    struct rcm_topk p = {.n = 100000, .k = 64, .m = 8}, q = p;
    q.b = 5000;
    q.k_b = 1;
    struct rcm_measured rows[] = {timed("recallmodel", p, 5.0), timed("mine", p, 7.0),
                                  timed("torch.topk", p, 9.0), timed("recallmodel", q, 1.0)};
    for (unsigned i = 0; i < 4; i++) {
        rows[i].dtype = profile.dtype;
        rows[i].threads = 0;
    }
    struct rcm_answer answer;
    struct rcm_selection s = asked_of(&profile, p, 0.05, rows, 4);
    struct rcm_choice choice = rcm_select(&s);
    rcm_answer(&s, &choice, &answer);
    ck_assert(answer.verdict == RCM_VERDICT_BUCKETS && answer.of[0].time_us == 1.0);
    s.have = rcm_providers_named("torch");
    choice = rcm_select(&s);
    rcm_answer(&s, &choice, &answer);
    ck_assert(answer.verdict == RCM_VERDICT_EXACT);
    ck_assert_str_eq(answer.of[0].name, "mine");
    for (size_t i = 0; i < answer.count; i++)
        ck_assert(!answer.of[i].callable || strcmp(answer.of[i].name, "recallmodel") != 0);
}
END_TEST

/* Where all that was timed took 1.7 times the prediction, so does the prediction for other rows. */
START_TEST(test_a_profile_is_fitted)
{
    const struct rcm_profile plain = cpu_profile();
    struct rcm_measured rows[6];
    for (unsigned i = 0; i < 6; i++) {
        struct rcm_topk p = {
            .n = (uint64_t)1 << (12 + i), .k = 32, .m = 1, .b = 64, .k_b = 1 + i % 2};
        const double us = i < 3 ? rcm_predict(&plain, p).time_us : 0.0;
        if (i >= 3)
            p.b = p.k_b = 0;
        rows[i] = timed("recallmodel", p, i < 3 ? 1.7 * us : 0.6 * rcm_predict_exact(&plain, p));
        ck_assert(rows[i].time_us > 0.0);
    }
    for (unsigned i = 0; i < 50; i++) {
        struct rcm_profile profile = plain;
        struct rcm_topk p = {.n = 3000 + draw(30000), .k = 33 + draw(64), .m = 1};
        asked_of(&profile, p, 0.05, rows, 6);
        p.b = 200;
        p.k_b = 2;
        ck_assert(fabs(rcm_predict(&profile, p).time_us / (1.7 * rcm_predict(&plain, p).time_us) -
                       1.0) < 1e-9);
        ck_assert(fabs(rcm_predict_exact(&profile, p) / (0.6 * rcm_predict_exact(&plain, p)) -
                       1.0) < 1e-9);
    }
}
END_TEST

/* The nearer of two measurements rules: 64 times farther in n, (1/4 + 36)^2 / (1/4)^2 to 1. */
START_TEST(test_near_rows_rule)
{
    const struct rcm_profile plain = cpu_profile();
    struct rcm_profile profile = plain;
    struct rcm_topk p = {.n = 4096, .k = 32, .m = 1, .b = 64, .k_b = 1}, far = p;
    far.n *= 64;
    const struct rcm_measured rows[] = {
        timed("recallmodel", p, 2.0 * rcm_predict(&plain, p).time_us),
        timed("recallmodel", far, 8.0 * rcm_predict(&plain, far).time_us)};
    const struct rcm_topk at = {.n = 4096, .k = 32, .m = 1};
    asked_of(&profile, at, 0.05, rows, 2);
    const double near = 16.0, other = 1.0 / (36.25 * 36.25);
    const double want = exp((near * log(2.0) + other * log(8.0)) / (near + other));
    ck_assert(fabs(profile.here_ratio / want - 1.0) < 1e-12);
    ck_assert_double_eq(profile.here_exact_ratio, 0.0); /* none was timed */
}
END_TEST

/* Ten rows at one place, of which half took 1.2 times the prediction and half its inverse: the band
 * is that of their spread, with the error of the mean. Two rows say nothing of a spread. */
START_TEST(test_the_spread_is_the_band)
{
    const struct rcm_profile plain = cpu_profile();
    struct rcm_measured rows[10];
    for (uint64_t i = 0; i < 10; i++) {
        const struct rcm_topk p = {.n = 4096, .k = 32, .m = 1, .b = 64 + i, .k_b = 1};
        rows[i] = timed("recallmodel", p, rcm_predict(&plain, p).time_us * (i % 2 ? 1.2 : 1 / 1.2));
    }
    const double sd = log(1.2) * sqrt(10.0 / 9.0), half = 1.645 * sd * sqrt(1.1);
    for (size_t count = 2; count <= 10; count += 8) {
        struct rcm_profile profile = plain;
        const struct rcm_topk at = {.n = 4096, .k = 32, .m = 1, .b = 100, .k_b = 1};
        asked_of(&profile, at, 0.05, rows, count);
        const struct rcm_prediction r = rcm_predict(&profile, at);
        ck_assert(fabs(r.time_us / rcm_predict(&plain, at).time_us - 1.0) < 1e-9);
        if (count == 10)
            ck_assert(fabs(log(r.high_us / r.time_us) - half) < 1e-9 &&
                      fabs(log(r.low_us / r.time_us) + half) < 1e-9);
        else
            ck_assert(fabs(r.high_us / r.time_us - plain.held_out_p95_ratio) < 1e-9);
    }
}
END_TEST

TEST_MAIN("measured", test_a_line_is_read_back, test_what_is_no_line, test_this_machine,
          test_the_choice_is_what_was_timed, test_threads_do_not_mix,
          test_a_time_stands_with_its_threads, test_what_was_timed_may_be_left_out,
          test_a_profile_is_fitted, test_near_rows_rule, test_the_spread_is_the_band)
