# height 640
set multiplot layout 2,3 margins 0.055,0.99,0.085,0.95 spacing 0.074,0.115
of(rope, what) = strcol("rope") eq rope && strcol("what") eq what ? column("x") : NaN
do for [rope in "before after"] {
    set title "principal components, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "first component" offset 0,0.6
    set ylabel "second component" offset 2
    set key top center samplen 0.5 font ",9"
    plot csv using (of(rope, "key")):"y" with points pt 7 ps 0.3 lc rgb "#0072B2" title "keys", \
        csv using (of(rope, "query")):"y" with points pt 7 ps 0.3 lc rgb "#D55E00" title "queries"
    set title "cosines, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "cosine"
    set ylabel "density" offset 0.5
    set xrange [-1:1]
    set yrange [0:5.4]
    set key top left Left reverse samplen 1.5 font ",9"
    plot csv using (of(rope, "key and key")):"y" with histeps ls 1 title "key and key", \
        csv using (of(rope, "query and key")):"y" with histeps ls 2 title "query and key"
    set xrange [*:*]
    set title "shares of 128 buckets, ".rope." RoPE" font ",10" offset 0,-0.6
    set xlabel "rank of the bucket by its keys"
    set ylabel "share" offset 2.5
    set key top right noreverse Right
    set xrange [0:129]
    set logscale y
    set ytics offset 0.5
    set yrange [0.0001:2]
    set format y "%g"
    plot csv using (of(rope, "queries in bucket")):"y" with points ls 2 title "of the queries", \
        csv using (of(rope, "keys in bucket")):"y" with lines ls 1 title "of the keys"
    unset logscale y
    set ytics offset 0.5
    set yrange [*:*]
    set xrange [*:*]
}
unset multiplot
