# height 430
set multiplot layout 1,2 margins 0.08,0.985,0.24,0.9 spacing 0.07,0
set logscale y 2
set xrange [0.5:16.5]
set yrange [0.8:8.5]
set xtics 1,1,16 font ",9"
set ytics (1, 2, 4, 8)
set xlabel "k_b"
unset key
devices = "A100-PCIe H100-SXM TPUv4 TPUv5e"
do for [i=1:4] {
    set label 10+i word(devices, i) at screen 0.12+0.2*(i-1),0.045 offset 1,0 point ls i ps 1 \
        font ",10"
}
of(i) = strcol("device") eq word(devices, i)
most(x) = x < 1 ? 1 : x
do for [p=1:2] {
    set title (p == 1 ? "vector rates of compares and selects" \
        : "as Table 1 of the paper (multiply-adds count as two)") font ",10" offset 0,-0.6
    set ylabel (p == 1 ? "time of stage 1 / of reading" : "") offset 0.5
    plot for [i=1:4] csv using (of(i) ? column("k_b") : NaN): \
        (most(column("operations") / column(p == 1 ? "ops_per_4_bytes" \
        : "paper_ops_per_4_bytes"))) with linespoints ls i
    unset label # drawn once
}
unset multiplot
