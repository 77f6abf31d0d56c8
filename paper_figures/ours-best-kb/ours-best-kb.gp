# height 720
# A column for each way to choose, a row for each k. A cell is an n and a recall: its colour is k_b,
# its number b k_b / k. Grey: exact top-k is faster. Empty: no shape has the recall.
set multiplot
set lmargin at screen 0; set rmargin at screen 0.1
unset key
set xrange [9:23]
set yrange [-0.5:5.5]
unset colorbox
set cbrange [0:6]
set palette maxcolors 7
set palette defined (0 "#FFF0A0", 1 "#F9B64E", 2 "#E5632F", 3 "#B0305F", 4 "#7A1C6D", 5 "#451077", \
    6 "#1B0C41")
ways = "measured calibrated measured calibrated basic serial parallel"
rows_of = "1 1 256 256 1 1 1"
shares = "64 n/64 n/16 n/4"
recalls = "0.7 0.8 0.85 0.9 0.95 0.99"
place(r) = (r > 0.75) + (r > 0.82) + (r > 0.87) + (r > 0.92) + (r > 0.97)
log2(x) = log(x) / log(2)
# Screen coordinates of column i (1..7) and row j (1..4): the left and the lower edge.
left(i) = 0.075 + (i - 1) * 0.1315
low(j) = 0.155 + (4 - j) * 0.195
at = "(strcol('by') eq way && strcol('m') eq m && strcol('k_over_n') eq share ? ".\
    "log2(column('n')) : NaN)"
y = "(place(column('recall_target')))"
pays = "column('speedup') > 1"
do for [j=1:4] {
    do for [i=1:7] {
        set lmargin at screen left(i); set rmargin at screen left(i) + 0.123
        set bmargin at screen low(j); set tmargin at screen low(j) + 0.178
        way = word(ways, i); m = word(rows_of, i); share = word(shares, j)
        if (j == 1) {
            set title (i <= 4 ? way.", m = ".m : way." cost") font ",9" offset 0,-0.8
        } else { unset title }
        if (i == 1) {
            set ylabel (j == 1 ? "k = 64" : "k = ".share) offset 1.5
            set ytics (".7" 0, ".8" 1, ".85" 2, ".9" 3, ".95" 4, ".99" 5) scale 0 font ",9"
        } else { unset ylabel; set ytics ("" 0) scale 0 }
        set xtics 10,4,22 scale 0 font ",9"
        set format x (j == 4 ? "2^{%g}" : "")
        plot csv using (@at):(@y):(@at-0.95):(@at+0.95):(@y-0.47):(@y+0.47): \
                 (@pays ? log2(column('k_b')) : NaN) \
                 with boxxyerror fs solid noborder lc palette, \
             csv using (column('speedup') <= 1 ? @at : NaN):(@y):(@at-0.95):(@at+0.95): \
                 (@y-0.47):(@y+0.47) with boxxyerror fs solid noborder lc rgb "#DDDDDD", \
             csv using (@pays && column('k_b') < 4 ? @at : NaN):(@y): \
                 (strcol('candidates_over_k')) with labels font ",9" tc rgb "#000000", \
             csv using (@pays && column('k_b') >= 4 ? @at : NaN):(@y): \
                 (strcol('candidates_over_k')) with labels font ",9" tc rgb "#ffffff", \
             csv using (column('speedup') <= 1 ? @at : NaN):(@y): \
                 (strcol('candidates_over_k')) with labels font ",9" tc rgb "#777777"
    }
}
# The legend, in a panel of its own.
set lmargin at screen 0.075; set rmargin at screen 0.987
set bmargin at screen 0.03; set tmargin at screen 0.075
unset title; unset ylabel; unset xtics; unset ytics; unset border
set xrange [0:14]; set yrange [0:1]
set label 5 "recall" at screen 0.03,0.945
set label 1 "n" at screen 0.53,0.105 center
set label 2 "k_b:" at 0,0.5 left font ",9"
set label 3 "number: b k_b / k" at 8.3,0.5 left font ",9"
set label 4 "grey: exact top-k is faster" at 10.9,0.5 left font ",9"
plot for [p=0:6] "+" using (1.3 + p):(0.5):(0.9 + p):(1.3 + p):(0.15):(0.85):(p) every ::0::0 \
         with boxxyerror fs solid noborder lc palette, \
     for [p=0:6] "+" using (1.4 + p):(0.5):(sprintf("%d", 2**p)) every ::0::0 \
         with labels left font ",9"
unset multiplot
