# height 430
# column
programs = "fibonacci exponentiation"
names = "'additions' 'multiplications'"
of(i) = strcol("isa") eq "avx512" && strcol("program") eq word(programs, i)
do for [i=1:2] {
    stats csv using (of(i) ? column("rate_per_s") : NaN) nooutput
    rate = sprintf("%s, %.0fe9 a second", word(names, i), STATS_max / 1e9)
    eval sprintf("rate%d = rate", i)
    stats csv using (of(i) ? column("time_us")/1000 : NaN) nooutput
    eval sprintf("least%d = STATS_min", i)
}
least(i) = i == 1 ? least1 : least2
set margins 9,3,4,2
set title "s32[4096, 4096], AVX-512, one thread of an AMD EPYC" font ",9"
set logscale x 10
set logscale y 10
set format x @ten
set format y "%g"
set xlabel "operations"
set ylabel "time (ms)" offset 1
set xrange [1e8:5e10]
set yrange [2:400]
set key top left reverse Left
plot for [i=1:2] csv using (of(i) ? column("operations") : NaN):(column("time_us")/1000) \
         with points ls i ps 1 title (i == 1 ? rate1 : rate2), \
     for [i=1:2] csv using (of(i) ? column("operations") : NaN):(column("fitted_us")/1000) \
         with lines ls i dt 3 title (i == 1 ? "the same line, not fitted here" : ""), \
     for [i=1:2] csv using (of(i) && column("is_fitted") == 1 ? column("operations") : NaN): \
         (column("fitted_us")/1000) with lines ls i lw 2.2 \
         title (i == 1 ? "fitted where operations decide" : ""), \
     for [i=1:2] least(i) with lines lw 1 dt 2 lc rgb "#555555" \
         title (i == 1 ? "memory: the least time" : "")
