# height 440
documents = "essay python-source"
titles = "'an essay' \"Python's tarfile.py\""
methods = "topk bucketed sparq quest kmeans kmeans-unroped"
names = "'exact top-k' 'bucketed, k_b = 1' 'SparQ, r = 16' 'Quest, pages of 16' \
    'k-means, after RoPE' 'k-means, before RoPE'"
is(d, m) = strcol("document") eq word(documents, d) && strcol("method") eq m
sparse(d) = strcol("document") eq word(documents, d) && strcol("method") ne "streaming"
array full[2]
array streaming[2]
array largest[2]
do for [d=1:2] {
    stats csv using (is(d, "full") ? column("perplexity") : NaN) nooutput
    full[d] = STATS_mean
    stats csv using (is(d, "streaming") ? column("perplexity") : NaN) nooutput
    streaming[d] = STATS_mean
    stats csv using (sparse(d) ? column("perplexity") : NaN) nooutput
    largest[d] = STATS_max
}
set multiplot layout 1,2 margins 0.085,0.965,0.13,0.91 spacing 0.065,0
set logscale x
set xrange [0.004:0.09]
set xtics ("0.5 %%" 0.005, "1 %%" 0.01, "2 %%" 0.02, "5 %%" 0.05)
set xlabel "keys visited beside the dense part, of 8192"
set key top right font ",9" spacing 0.95
do for [d=1:2] {
    set title sprintf("%s (dense part alone: %.1f)", word(titles, d), streaming[d]) \
        font ",10" offset 0,-0.6
    set ylabel (d == 1 ? "perplexity of the last 1024 tokens" : "") offset 0
    rise = 0.05 * (largest[d] - full[d])
    set yrange [full[d] - rise:largest[d] + rise]
    plot full[d] with lines ls 9 title (d == 1 ? "all keys" : ""), \
        for [m=1:words(methods)] csv using (is(d, word(methods, m)) ? column("visited") : NaN) \
            :"perplexity" with linespoints ls m title (d == 1 ? word(names, m) : "")
}
unset multiplot
