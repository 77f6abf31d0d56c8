/* test_timings.c - tables of times as people and tools write them: columns, units, separators; and
 * what may be two things.
 *
 * Against: the rows and the messages typed here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/calibrate/timings_table.h>

/* Two rows: n 8192 and 131072, k 64, m 16 and 4, 6.28 and 11.85 us, float32. */
static const struct {
    const char *text, *columns, *time_unit, *kernel, *noted;
} table_cases[] = {
    {"n,k,m,time_us,dtype\n8192,64,16,6.28,float32\n131072,64,4,11.85,float32\n", 0, 0, 0, ""},
    {"n, k, m, time_us, dtype\n8192, 64, 16, 6.28, torch.float32\n"
     "131072, 64, 4, 11.85, torch.float32\n",
     0, 0, 0, ""},
    {"\xEF\xBB\xBFn;k;m;time_us;dtype\r\n8192;64;16;6,28;fp32\r\n131072;64;4;11,85;fp32\r\n", 0, 0,
     0, "decimal commas"},
    {"n\tk\tm\tdtype\ttime_us\n8192\t64\t16\tF32\t6.28\n131072\t64\t4\tF32\t11.85\n", 0, 0, 0, ""},
    {"Timed today:\n\n| N | K | M | dtype | latency (ms) |\n|---|:-:|---|--:|--|\n"
     "| 8192 | 64 | 16 | float32 | 0.00628 |\n| 131072 | 64 | 4 | float32 | 0.01185 |\n",
     0, 0, 0, "n is N, k is K, m is M, the time is latency (ms) in ms"},
    {"vocab,topk,batch_size,dtype,Time [s]\n8192,64,16,float,6.28e-6\n"
     "131072,64,4,float,11.85e-6\n",
     "dtype=dtype", 0, 0, NULL},
    {"seq_len,topk,bs,dtype,median_ns\n8192,64,16,single,6280\n131072,64,4,single,11850\n", 0, 0, 0,
     "n is seq_len, k is topk, m is bs, the time is median_ns in ns"},
    {"M,N,dtype,latency\n16,8192,float32,6.28\n4,131072,float32,11.85\n", "k=64", "us", 0,
     "n is N, k is 64, m is M, the time is latency in us"},
    {"bs,M,k,dtype,time_us\n16,8192,64,float32,6.28\n4,131072,64,float32,11.85\n", "m=bs, n=M", 0,
     0, "n is M, m is bs"},
    {"n,k,m,time_us,dtype\n8192,64,16,0.00628,float32\n131072,64,4,0.01185,float32\n", 0, "ms", 0,
     "the time is time_us in ms"},
    {"n,k,m,min_ms,mean_ms,median_ms,dtype\n8192,64,16,.001,9,.00628,float32\n"
     "131072,64,4,.001,9,.01185,float32\n",
     0, 0, 0, "the time is median_ms in ms"},
    {"method,n,k,m,time_us,dtype\nslow,8192,64,16,40,float32\nfast,8192,64,16,6.28,float32\n"
     "slow,131072,64,4,80,float32\nfast,131072,64,4,11.85,float32\n",
     0, 0, "fast", "kernel is method"},
    {"batch,num_heads,n,k,time_us,dtype\n2,8,8192,64,6.28,float32\n"
     "4,1,131072,64,11.85,float32\n",
     "m=batch*num_heads", 0, 0, "m is batch"},
    {"n,k,m,elapsed_s,med_us,T{ct}\n8192,64,16,628,6.28,F32\n131072,64,4,118,11.85,F32\n", 0, 0, 0,
     "the time is med_us in us"},
    {"n,k,m,S,time (\xB5s),dtype\n8192,64,16,1,6.28,f32\n131072,64,4,1,11.85,f32\n", 0, 0, 0,
     "in us"},
    {"n,k,m,Time (%),Total Time (ns),Avg (ns),Med (ns),in_dtype\n"
     "8192,64,16,9,1e9,7000,6280,F32\n131072,64,4,8,2e9,12000,11850,F32\n",
     0, 0, 0, "the time is Med (ns) in ns"},
    {"sep=;\nn;k;m;time_us;dtype\n8192;64;16;6.28;f32;\n999;64;16;OOM;f32\n999;64;16;;f32\n"
     "131072;64;4;11.85;f32;\n",
     0, 0, 0, ""},
    {"n,k,m,dtype,time_us,mine_us\n8192,64,16,f32,9,6.28\n131072,64,4,float32,9,11.85\n",
     "time=mine_us", 0, 0, "the time is mine_us in us"},
    {"n,k,m,dtype,bytes,avg_us\n8192,64,16,f32,7,6.28\n131072,64,4,f32,7,11.85\n", 0, 0, 0,
     "the time is avg_us in us"},
    {" | n | k | m | ms | dtype | day |\n |---|--|--|--|--|--|\n"
     " | 8192 | 64 | 16 | .00628 | f32 | 1.2.26 |\n | 131072 | 64 | 4 | .01185 | f32 | 1.2.26 |\n",
     0, 0, 0, "the time is ms in ms"},
    {"n;k;m;ms;dtype;day\n8192;64;16;0,00628;f32;01.02.2026\n131072;64;4;0,01185;f32;1.2.2026\n", 0,
     0, 0, "decimal commas"},
    {"n,k,m,dtype,GB/s\n8192,64,16,uint32,83.48535031847134\n131072,64,4,i32,176.9748523206751\n",
     0, 0, 0, "reading n m values"},
    /* nvbench: --csv, and what it prints */
    {"Device,Device Name,KeyT{ct},Elements{io},SelectedElements,Segments,Skipped,Samples,"
     "CPU Time (sec),Noise (%),GPU Time (sec),Noise (%),Elem/s (elem/sec),"
     "GlobalMem BW (bytes/sec),Samples,Batch GPU (sec)\n"
     "0,NVIDIA H100 PCIe,F32,8192,64,16,No,100,1e-5,1.5,6.28e-6,2.5,1e9,1e9,1000,4e-6\n"
     "0,NVIDIA H100 PCIe,F32,131072,64,4,No,90,2e-5,1.5,11.85e-6,2.5,1e9,1e9,900,9e-6\n",
     0, 0, 0, "the time is GPU Time (sec) in s"},
    {"# Devices\n* SM Version: 900 (PTX Version: 900)\n## topk\n"
     "|  KeyT  |      Elements      | SelectedElements | m | Samples |  CPU Time  | Noise | "
     "GPU Time  | Noise |\n|--------|--------------------|----|---|---|---|---|---|---|\n"
     "|    F32 |     2^13 = 8192    | 64 | 16 | 99x | 10.1 us | 2.5% | 6.280 us | 1.3% |\n"
     "|    F32 |   2^17 = 131072    | 64 |  4 | 88x | 19.1 us | 2.5% | 0.01185 ms | 1.3% |\n",
     0, 0, 0, "the time is GPU Time in the unit of each field"},
    /* pytest-benchmark compare --csv: seconds */
    {"name,param:dtype,param:k,param:m,param:n,min,max,mean,stddev,rounds,median,iqr,outliers,"
     "ops\n"
     "t.py::test_topk,float32,64,16,8192,1e-6,9e-6,7e-6,1e-7,1000,6.28e-06,1e-7,3;4,150000\n"
     "t.py::test_topk,float32,64,4,131072,1e-6,9e-5,2e-5,1e-7,1000,1.185e-05,1e-7,3;5,80000\n",
     0, 0, 0, "the time is median in s"},
    /* triton.testing: what perf_report prints, and the CSV that it saves */
    {"topk-performance:\n          N     m  Triton (us)  Torch (us)\n"
     "0    8192.0  16.0        6.28         40.0\n1  131072.0   4.0       11.85         80.0\n",
     "time=Triton (us),k=64", 0, 0, "the time is Triton (us) in us"},
    {",N,m,Triton,Torch\n0,8192.0,16.0,6.28,40.0\n1,131072.0,4.0,11.85,80.0\n", "time=Triton,k=64",
     "us", 0, "the time is Triton in us"},
    {"n,k,m,dtype,Triton (GB/s),Torch (GB/s)\n8192,64,16,float32,83.48535031847134,9\n"
     "131072,64,4,float32,176.9748523206751,9\n",
     "time=Triton (GB/s)", 0, 0, "reading n m values at Triton (GB/s)"},
    /* the rate of n m values: 4 bytes each */
    {"n,k,m,dtype,GB/s\n8192,64,16,float32,83.48535031847134\n"
     "131072,64,4,float32,176.9748523206751\n",
     0, 0, 0, "the time is that of reading n m values at GB/s"},
};

START_TEST(tables)
{
    for (size_t i = 0; i < sizeof table_cases / sizeof *table_cases; i++) {
        const struct timings_options options = {.columns = table_cases[i].columns,
                                                .time_unit = table_cases[i].time_unit};
        char error[CSV_ERROR], notes[TIMINGS_NOTES];
        struct run_list runs;
        const int count = read_table(table_cases[i].text, strlen(table_cases[i].text), &options,
                                     table_cases[i].kernel, &runs, MESSAGE(notes), MESSAGE(error));
        if (!table_cases[i].noted) { /* "float" may have 4 bytes or 8 */
            ck_assert_msg(count == -1 && strstr(error, "'float' is not a type"), "%s", error);
            continue;
        }
        ck_assert_msg(count == 2, "case %zu: %d runs, %s", i, count, error);
        ck_assert_msg(*table_cases[i].noted ? strstr(notes, table_cases[i].noted) != NULL : !*notes,
                      "case %zu: '%s'", i, notes);
        for (size_t j = 0; j < 2; j++) {
            const struct run *run = &runs.items[j];
            ck_assert_msg(run->p.n == (j ? 131072 : 8192) && run->p.k == 64 &&
                              run->p.m == (j ? 4 : 16) &&
                              fabs(run->time_us / (j ? 11.85 : 6.28) - 1.0) < 1e-14,
                          "case %zu: " TOPK_FMT " %.17g us", i, TOPK_ARG(run->p), run->time_us);
        }
        runs_free(&runs);
    }
}
END_TEST

/* What may be two things is an error that names it and the mend. */
START_TEST(refused)
{
    static const struct {
        const char *text, *columns, *time_unit, *said;
    } cases[] = {
        {"n,k,batch,rows,time_us\n8,2,1,1,1\n", 0, 0,
         "the columns 3 (batch) and 4 (rows) may both be m; give --columns m=NAME"},
        {"n,k,elapsed_s,avg_us\n8,2,100,3\n", 0, 0, "avg_us and elapsed_s may both be the time"},
        {"bs,n,k,num_heads,time_us\n8,8,2,8,3\n", 0, 0,
         "column 4 (num_heads): does it multiply the rows of a call? give --columns "
         "\"m=bs*num_heads\", or ignore=num_heads"},
        {"B,n,k,num_buckets,kb,time_us\n8,8,2,8,1,3\n", 0, 0, "may both be b; give --columns b="},
        {"N,k,time_us\n8,2,1\n", "n=N,m=N", 0, "takes the column N for two things"},
        {"n,k,bs,time_us\n8,2,1,1\n", "m=8,m=bs", 0, "--columns names m twice"},
        {"n k m time_us\n65536 64 8 20 100\n", 0, 0, "the line has 5 columns, the header has 4"},
        {"n,k,work,work,time_us\n8,2,exact,stage1,3\n", 0, 0, "two columns have the name work"},
        {"n,k,time\n8,2,1\n", 0, 0, "column 3 (time): no unit is said; give --time-unit"},
        {"n,k,time\n8,2,1\n", 0, "h", "--time-unit h is not known; give us, ms, ns or s"},
        {"n,k,time (ms)\n8,2,3 us\n", 0, 0, "'3 us' is not in ms"},
        {"n,k,time_ms,latency_ms\n8,2,3,4\n", 0, 0, "time_ms and latency_ms may both be the time"},
        {"n,k,time_us\n8,2,3\n", "m=batch", 0, "--columns m=batch: there is no such column"},
        {"n,k,time_us\n8,2,3\n", "rows=n", 0, "--columns rows=n; give n, k, m"},
        {"n,k,time_us\n8,2,3\n", "m", 0, "--columns m names no column"},
        {"n,k,GB/s\n8,2,3\n", 0, 0, "gives a rate; say the type of the values"},
        {"n,k,bsz2,time_us\n8,2,1,3\n16,2,4,3\n", 0, 0,
         "column 3 (bsz2): no column says m, the rows of a call, and nobody reads this one; give "
         "--columns m=bsz2 or ignore=bsz2"},
        {"n,k,m,variant,time_us\n8,2,1,a,3\n8,2,1,b,4\n", 0, 0,
         "the lines 2 and 3 have equal shapes, take 3 and 4 us, and differ in variant (a, b)"},
        {"n,k,m,time_us\n8,2,1,3\n8,2,1,7\n", 0, 0, "have equal shapes, and take 3 and 7 us"},
        {"kernel,n,k,m,variant,time_us\na,8,2,1,x,3\nb,8,2,1,x,4\n", "kernel=variant", 0,
         "and differ in other kernel (a, b), which nobody reads"},
        {"gpu,n,k,m,time_us\nNVIDIA H100 PCIe,8,2,1,3\nNVIDIA A100-SXM4-80GB,8,2,1,3\n", 0, 0,
         "in the column device; give --device to choose one"},
        {"op,n,k,m,time_us\nx,8,2,1,3\ny,9,2,1,7\n", 0, 0, "t.csv has x and y in the column op"},
        {"algorithm,n,k,m,time_us\na,8,2,1,3\nb,9,2,1,7\n", 0, 0,
         "has a and b in the column kernel; give --runs-kernel"},
        {"n,k,m,time_us\n8192,64,16,0.00628\n", 0, 0, "are the times in microseconds"},
        {"n;k;time_us\n8;2;1,5\n8;2;1.5\n", 0, 0, "numbers with decimal commas, and others with"},
        {"n\tk\ttime_us\n8.000\t2\t3\n", 0, 0, "'8.000' is not a whole number"},
        {"n\tk\ttime_us\n8,000\t2\t3\n", 0, 0, "'8,000' is not a whole number"},
        {"|n|k|time_us|\n|-|-|--|\n|8|2|3|\n\n|n|k|time_us|\n|--|--|--|\n|8|2|3|\n", 0, 0,
         "'n' is not a whole number"},
        {"{\"benchmarks\": []}\n", 0, 0, "t.csv is JSON; give a table, which pytest-benchmark"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct timings_options options = {.columns = cases[i].columns,
                                                .time_unit = cases[i].time_unit};
        char error[CSV_ERROR], notes[TIMINGS_NOTES];
        struct run_list runs;
        const int count = read_table(cases[i].text, strlen(cases[i].text), &options, NULL, &runs,
                                     MESSAGE(notes), MESSAGE(error));
        ck_assert_msg(count == -1 && strstr(error, cases[i].said), "case %zu: %d, '%s'", i, count,
                      error);
    }
}
END_TEST

/* A repeated measurement is no fault, and neither is what tells no times apart. */
START_TEST(taken)
{
    static const char *const texts[] = {"n,k,m,trial,time_us\n8,2,1,1,3\n8,2,1,2,4\n",
                                        "n,k,m,seed,time_us\n8,2,1,a,3\n8,2,1,b,4\n",
                                        "n,k,m,commit,time_us\n8,2,1,a,3\n8,2,1,b,3.1\n",
                                        "n,k,m,pi,time_us\n8,2,1,.5,3\n8,2,1,1,4\n",
                                        "n,k,bytes,time_us\n8,2,32,3\n16,2,64,4\n",
                                        "n,k,size,time_us\n8,2,8,3\n16,2,16,4\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char error[CSV_ERROR], notes[TIMINGS_NOTES];
        struct run_list runs;
        ck_assert_msg(read_table(texts[i], strlen(texts[i]), &(struct timings_options){0}, NULL,
                                 &runs, MESSAGE(notes), MESSAGE(error)) == 2,
                      "%s: %s", texts[i], error);
        runs_free(&runs);
    }
}
END_TEST

TEST_MAIN("timings", tables, refused, taken)
