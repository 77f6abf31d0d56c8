# height 760
set multiplot layout 2,2 margins 0.075,0.98,0.07,0.945 spacing 0.085,0.11
of(m, share) = strcol("method") eq m && strcol("of") eq share ? column("layer") + \
    0.07 * (column("head") - 4) : NaN
at(k, x) = column("k") == k ? x : NaN
layers = "0 2 8 15 28"
in(l, h, share) = strcol("method") eq "topk" && strcol("of") eq share && \
    column("layer") == word(layers, l) && column("head") == h ? column("k") : NaN
of_all = "share of the attention mass"
outside = "share of the mass outside of sink and window"
set yrange [0:1.02]
do for [row=1:2] {
    share = row == 1 ? "all" : "outside"
    unset logscale x
    set title (row == 1 ? "the 256 largest of 8192, of each head" : \
        "the same outside of sink and window, of each head") font ",10" offset 0,-0.6
    set xlabel (row == 2 ? "layer" : "")
    set xrange [-0.8:29.8]
    set xtics autofreq
    set ylabel (row == 1 ? of_all : outside) offset 1
    set ytics 0,0.2,1
    if (row == 1) {
        set key bottom right samplen 1 font ",9"
        plot csv using (at(256, of("topk", share))):"mass" with points pt 7 ps 0.35 \
            lc rgb "#0072B2" title "a head"
    } else {
        set yrange [0:1.16]
        set key top center horizontal samplen 1 font ",9"
        plot csv using (at(256, of("topk", share))):"mass" with points pt 7 ps 0.35 \
                lc rgb "#0072B2" title "256 largest", \
            csv using (of("kmeans", share)):"mass" with points pt 9 ps 0.4 \
                lc rgb "#D55E00" title "k-means after RoPE", \
            csv using (of("kmeans-unroped", share)):"mass" with points pt 5 ps 0.3 \
                lc rgb "#009E73" title "before RoPE"
    }
    set title (row == 1 ? "the k largest, heads of five layers" : \
        "the k largest outside of sink and window") font ",10" offset 0,-0.6
    set xlabel (row == 2 ? "k" : "")
    set logscale x 2
    set xrange [14:4700]
    set xtics (16, 64, 256, 1024, 4096)
    set ylabel ""
    set yrange [0:1.02]
    set key bottom right vertical samplen 2 font ",9"
    plot for [l=1:5] for [h=0:8] csv using (in(l, h, share)):"mass" with linespoints ls l lw 0.8 \
        ps 0.35 title (h == 0 ? "layer ".word(layers, l) : "")
}
unset multiplot
