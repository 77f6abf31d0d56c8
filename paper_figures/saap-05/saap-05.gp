# height 700
set multiplot layout 2,2 margins 0.07,0.80,0.08,0.95 spacing 0.05,0.11
array heads[4] = ["2 0", "8 3", "15 6", "28 0"]
# The paper's methods in colour; over them, in grey, what it does not compare.
methods = "'saap' 'saap-roped' 'kmeans-unroped trained' 'kmeans trained' 'kmeans' 'lsh-magicpig' \
    'lsh-argmax' 'lsh-gray' 'quest' 'bucketed' 'sparq' 'topk'"
names = "'SAAP, before RoPE' 'SAAP, after' 'k-means, before' 'k-means, after' \
    'k-means, after, own keys' 'MagicPIG' 'Reformer (argmax)' 'KDEformer (Gray)' 'Quest' \
    'bucketed, k_b = 1' 'SparQ, r = 16' 'exact top-k'"
others = 9
line_of(m) = method(word(word(methods, m), 1))
in(m, h) = strcol("method") eq m && strcol("layer") eq word(heads[h], 1) && column("visited") > 0
# The error of a random selection of as many keys, between the seven that were measured.
array log_visited[28]
array log_error[28]
add(what) = (count = count + 1, log_visited[count] = log(column("visited")), \
    log_error[count] = log(column("error")), what)
count = 0
do for [h=1:4] { stats csv using (in("random", h) ? add(0) : NaN) nooutput }
segment(at, i) = i % 7 == 6 || log_visited[i + 1] >= at ? i : segment(at, i + 1)
between(at, i) = log_error[i] + (log_error[i + 1] - log_error[i]) * (at - log_visited[i]) \
    / (log_visited[i + 1] - log_visited[i])
random(visited, h) = exp(between(log(visited), segment(log(visited), 7 * h - 6)))
of(m, h) = in(word(methods, m), h) ? column("selectivity") : NaN
set logscale xy
set xrange [0.0175:0.5]
set xtics (0.02, 0.05, 0.1, 0.2, 0.4)
set format y @ten
set key at screen 0.995,0.94 right Left reverse font ",9" spacing 1.25
do for [h=1:4] {
    set title "layer ".word(heads[h], 1).", head ".word(heads[h], 2) font ",10" offset 0,-0.6
    set xlabel (h > 2 ? "selectivity, the dense part counted" : "")
    set ylabel (h % 2 ? "error, that of a random selection = 1" : "") offset 1
    set yrange [(h == 2 ? 4e-7 : 1e-4):3]
    plot for [m=others:words(methods)] csv using (of(m, h)): \
            (column("error") / random(column("visited"), h)) with linespoints ls line_of(m) \
            lc rgb "#aaaaaa" lw 1 notitle, \
        1 with lines ls method("random") title "random", \
        for [m=1:others - 1] csv using (of(m, h)): \
            (column("error") / random(column("visited"), h)) with linespoints ls line_of(m) \
            dt m == 5 ? 2 : 1 title word(names, m), \
        for [m=others:words(methods)] keyentry with linespoints ls line_of(m) lc rgb "#aaaaaa" \
            lw 1 title word(names, m)
    unset key
}
unset multiplot
