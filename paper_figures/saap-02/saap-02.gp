# height 440
place(s) = s eq "uniform" ? 1 : s eq "held out" ? 2 : s eq "one prompt" ? 3 : 4
nth(layer) = layer == 2 ? -2 : layer == 8 ? -1 : layer == 15 ? 0 : layer == 22 ? 1 : 2
# Points of a sampling: before RoPE left, after it right, the layers side by side.
at(rope, side) = strcol("rope") eq rope ? \
    place(strcol("sampling")) + 0.18 * side + 0.05 * nth(column("layer")) : NaN
set title "keys of five layers in 128 buckets of k-means; each point is a key head" font ",10" \
    offset 0,-0.6
set xrange [0.5:4.5]
set xtics ("uniform" 1, "held out" 2, "one prompt" 3, "one time range" 4)
set logscale y
set yrange [0.9:20]
set ytics (1, 2, 3, 5, 10, 20)
set ylabel "imbalance, C sum p_i^2" offset 1
set arrow 1 from graph 0,first 1 to graph 1,first 1 nohead ls 9
set key top left Left reverse
plot csv using (at("before", -1)):"imbalance" with points pt 5 ps 0.55 lc rgb "#56B4E9" \
        title "before RoPE", \
    csv using (at("after", 1)):"imbalance" with points pt 9 ps 0.65 lc rgb "#0072B2" \
        title "after RoPE"
