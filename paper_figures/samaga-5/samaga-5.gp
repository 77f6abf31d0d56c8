# height 320
# column
unset border
unset tics
unset grid
unset key
set margins 1,1,0,2
set title "n = 20 balls, k = 3 best (orange), b = 4 buckets of stride 4, k_b = 1 (thick ring)" \
    font ",11" offset 0,-0.4
set xrange [-0.2:24.2]
set yrange [-2.1:2.1]
at(i, bucket) = 1 + i + bucket
set style fill solid 1.0 border lc rgb "#333333"
do for [j=0:3] {
    set object j+1 rectangle from 0.35+6*j,-0.9 to 5.65+6*j,0.9 fs empty border lc rgb "#999999"
    set label j+1 sprintf("bucket %d", j) at 3+6*j,1.35 center
}
plot csv using (at(column("i"), column("bucket"))):(0):(0.42): \
         (column("is_top") == 1 ? 0xE69F00 : 0xEEEEEE) with circles lc rgb variable, \
     csv using (column("is_kept") == 1 ? at(column("i"), column("bucket")) : NaN):(0):(0.42) \
         with circles lw 3.5 lc rgb "black" fs empty border, \
     csv using (at(column("i"), column("bucket"))):(0):"rank" with labels font ",10", \
     csv using (3 + 6*column("bucket")):(int(column("i")) % 5 == 0 ? -1.4 : NaN): \
         (sprintf("X = %d, lost max(X - 1, 0) = %d", column("best"), column("lost"))) \
         with labels font ",10"
