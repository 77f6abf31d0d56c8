# height 720
documents = "essay python-source"
titles = "'an essay' \"Python's tarfile.py\""
methods = "topk bucketed sparq quest kmeans kmeans-unroped"
names = "'exact top-k' 'bucketed, k_b = 1' 'SparQ, r = 16' 'Quest, pages of 16' \
    'k-means, after RoPE' 'k-means, before RoPE'"
all_but = "all but 0"
named = "'4, 6 and 8' '15 and 22'"
stated = "'4 6 8' '15 22'"
is(d, m) = strcol("document") eq word(documents, d) && strcol("method") eq m \
    && (strcol("layers") eq all_but || m eq "full")
sparse(d) = strcol("document") eq word(documents, d) && strcol("method") ne "streaming" \
    && strcol("layers") eq all_but
is_stated(s, m) = strcol("layers") eq word(stated, s) && strcol("method") eq m \
    && column("budget") == 0.05
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
array alone[2]
do for [s=1:2] {
    stats csv using (is_stated(s, "streaming") ? column("over_full") : NaN) nooutput
    alone[s] = STATS_mean
}
set multiplot
set lmargin at screen 0.085
set tmargin at screen 0.95
set bmargin at screen 0.49
set logscale x
set xrange [0.004:0.26]
set xtics ("0.5 %%" 0.005, "1 %%" 0.01, "2 %%" 0.02, "5 %%" 0.05, "10 %%" 0.1, "20 %%" 0.2)
set xlabel "keys visited beside the dense part, of 8192"
set key top right font ",9" spacing 0.95
do for [d=1:2] {
    set lmargin at screen (d == 1 ? 0.085 : 0.565)
    set rmargin at screen (d == 1 ? 0.485 : 0.965)
    set title sprintf("%s (dense part alone: %.1f)", word(titles, d), streaming[d]) \
        font ",10" offset 0,-0.6
    set ylabel (d == 1 ? "perplexity of the last 1024 tokens" : "") offset 0
    rise = 0.05 * (largest[d] - full[d])
    set yrange [full[d] - rise:largest[d] + rise]
    plot full[d] with lines ls 9 title (d == 1 ? "all keys" : ""), \
        for [m=1:words(methods)] csv using (is(d, word(methods, m)) ? column("visited") : NaN) \
            :"perplexity" with linespoints ls method(word(methods, m)) \
            title (d == 1 ? word(names, m) : "")
}
# The stated layers alone: a line for each method.
ways = "topk saap-roped kmeans-trained kmeans saap kmeans-unroped-trained kmeans-unroped"
place(m) = strstrt(" ".ways." ", " ".m." ") == 0 ? NaN \
    : words(ways) + 1 - words(substr(ways, 1, strstrt(" ".ways." ", " ".m." ")))
set tmargin at screen 0.36
set bmargin at screen 0.085
unset logscale x
set xrange [*<0:*]
set xtics autofreq
set xlabel "loss of a token over that with all keys, nats, with its standard error" \
    offset screen 0.17, 0
set ylabel ""
set yrange [0.5:words(ways) + 0.5]
set arrow from 0, graph 0 to 0, graph 1 nohead ls 9
set key top right
do for [panel=1:2] {
    set lmargin at screen (panel == 1 ? 0.25 : 0.635)
    set rmargin at screen (panel == 1 ? 0.6 : 0.965)
    if (panel == 1) {
        set ytics ("exact top-k" 7, "SAAP after RoPE" 6, "k-means after RoPE, trained" 5, \
            "k-means after RoPE" 4, "SAAP (before RoPE)" 3, "k-means before RoPE, trained" 2, \
            "k-means before RoPE" 1)
        set title sprintf("the essay, a few layers at 5 %% (dense part alone: %.3f and %.3f)", \
            alone[1], alone[2]) font ",9" offset 0,-0.6
    } else {
        set ytics ("" 7, "" 6, "" 5, "" 4, "" 3, "" 2, "" 1)
        set xtics 0.05
        unset key
        set xlabel ""
        set title sprintf("all layers but the first (%.3f)", log(streaming[1]/full[1])) \
            font ",9" offset 0,-0.6
    }
    plot for [s=1:(panel == 1 ? 2 : 0)] csv using (column("over_full")) \
            :(is_stated(s, strcol("method")) ? place(strcol("method")) + 0.3 - 0.2 * s : NaN) \
            :"over_full_se" with xerrorbars lw 1.6 pt 5 + s ps 0.8 \
            lc rgb word("#777777 #000000", s) title "layers ".word(named, s), \
        csv using (column("over_full")):(panel == 2 && sparse(1) && column("budget") == 0.05 \
            ? place(strcol("method")) : NaN):"over_full_se" with xerrorbars lw 1.6 pt 8 ps 0.8 \
            lc rgb "#000000" notitle
}
unset multiplot
