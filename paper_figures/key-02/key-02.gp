# height 400
# column
unset border
unset tics
unset grid
set margins 1,1,0,2
set title "n = 11, k = 4, b = 3, k_b = 2, interleaved" font ",11" offset 0,-0.4
set xrange [-2.6:11.2]
set yrange [-0.55:5.6]
set style fill solid 0.85 border lc rgb "#333333"
unset key
# A box of width 0.8 for each element; what a stage drops is pale.
colour(s) = s == 0 ? 0x56B4E9 : s == 1 ? 0xE69F00 : 0x009E73
pale = 0xEEEEEE
set label 1 "the row" at -2.5,4.8
set label 2 "stage 1: the largest 2\nof each bucket" at -2.5,2.95
set label 3 "stage 2: the largest 4\nof 6 candidates" at -2.5,0.75
set label 4 "blue, orange, green: buckets 0, 1, 2 (i mod 3); framed: the top 4" at -2.5,-0.35 \
    font ",9"
# Buckets side by side, in order.
start(s) = s == 0 ? 0 : s == 1 ? 4 : 8
place(s, p) = 1.6 + (start(s) + p)*0.82 + 0.25*s
plot csv using (1.6 + 0.82*column("i")):(4.8):(0.37):(0.37):(colour(column("bucket"))) \
         with boxxyerror lc rgb variable, \
     csv using (column("is_top") == 1 ? 1.6 + 0.82*column("i") : NaN):(4.8):(0.37):(0.37) \
         with boxxyerror lc rgb "black" lw 3 fs empty border rgb "black", \
     csv using (1.6 + 0.82*column("i")):(4.8):"value" with labels font ",11", \
     csv using (place(column("bucket"), column("place"))):(2.8):(0.37):(0.37): \
         (column("is_kept") == 1 ? colour(column("bucket")) : pale) \
         with boxxyerror lc rgb variable, \
     csv using (column("is_top") == 1 ? place(column("bucket"), column("place")) : NaN): \
         (2.8):(0.37):(0.37) with boxxyerror lc rgb "black" lw 3 fs empty border rgb "black", \
     csv using (place(column("bucket"), column("place"))):(2.8):"value" with labels font ",11", \
     csv using (column("is_kept") == 1 ? place(column("bucket"), column("place")) : NaN): \
         (0.6):(0.37):(0.37):(column("is_chosen") == 1 ? colour(column("bucket")) : pale) \
         with boxxyerror lc rgb variable, \
     csv using (column("is_kept") == 1 && column("is_top") == 1 ? \
         place(column("bucket"), column("place")) : NaN):(0.6):(0.37):(0.37) \
         with boxxyerror lc rgb "black" lw 3 fs empty border rgb "black", \
     csv using (column("is_kept") == 1 ? place(column("bucket"), column("place")) : NaN):(0.6): \
         "value" with labels font ",11"
