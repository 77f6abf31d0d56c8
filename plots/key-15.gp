# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.15,0.9 spacing 0.06,0
set logscale x 2
set logscale y 2
set format x @two
set xlabel "n"
set xrange [2**9.5:2**22.5]
set yrange [6:30000]
ks = "1 16 256"
ours = there(runs."/key-15.csv")
torch = there(runs."/torch-key-15.csv")
do for [m in "1 256"] {
    set title sprintf("exact top-k (torch.topk), m = %s, H100 PCIe, float16", m) font ",10" \
        offset 0,-0.6
    set ylabel (m eq "1" ? "us a call" : "") offset 1
    if (m eq "1") { set key top left reverse Left font ",8" } else { unset key }
    serial = m eq "1" ? 2**31.8 : 2**30.2
    parallel = m eq "1" ? 2**24.8 : 2**23.3
    plot for [i=1:3] csv using (column("m") == m+0 \
             && column("k") == word(ks, i)+0 ? column("n") : NaN):"exact_us" with lines ls i \
             title "k = ".word(ks, i).", predicted", \
         for [i=1:3] published."/keyetal/exact.csv" \
             using (column("m") == m+0 \
             && column("k") == word(ks, i)+0 ? column("n") : NaN):"time_us_median" \
             with points ls i title (i == 1 ? "measured (points)" : ""), \
         for [i=1:3] (ours eq "" ? "/dev/null" : ours) \
             using (ours eq "" ? NaN : column("m") == m+0 \
             && column("k") == word(ks, i)+0 ? column("n") : NaN):"time_us_median" \
             with points ls i pt 2 title (i == 1 && ours ne "" ? "ours, measured (crosses)" : ""), \
         for [i=1:3] (torch eq "" ? "/dev/null" : torch) \
             using (torch eq "" ? NaN : column("m") == m+0 \
             && column("k") == word(ks, i)+0 ? column("n") : NaN):"time_us_median" \
             with points ls i pt 6 \
             title (i == 1 && torch ne "" ? "torch.topk, our run (circles)" : ""), \
         csv using (column("m") == 1 && column("k") == 256 ? column("n") : NaN): \
             (column("cost_serial_exact")/serial*1e6) with lines ls 9 \
             title "serial radix select, shifted as in the paper", \
         csv using (column("m") == 1 && column("k") == 256 ? column("n") : NaN): \
             (column("cost_parallel_exact")/parallel*1e6) with lines ls 9 dt 4 \
             title "parallel radix select, likewise"
}
unset multiplot
