# height 800
set multiplot layout 2,2 margins 0.065,0.99,0.105,0.965 spacing 0.075,0.115
set tics out font ",9" scale 0
unset grid
unset key
set title font ",10" offset 0,-0.7
# A cell: x and y are places in the lists of the panel; its colour is the fastest contender.
names = "radix threshold torch.topk gvr_v2 buckets"
array Strong[5] = [0x8BBDE0, 0x8BBDE0, 0x8FD3BC, 0xE3BAD2, 0xF0B27A]
array Pale[5] = [0xDCEAF6, 0xDCEAF6, 0xDDF2EB, 0xF6E9F1, 0xFBE9D7]
array Title[4] = ["H200, k = 256, float32 above float16: ours (radix), torch.topk, buckets", \
    "H100 PCIe, m = 256, float16: torch.topk, buckets", \
    "B200, float32: five or six exact kernels (buckets not measured)", \
    "Xeon (Emerald Rapids), one thread, float32: ours, buckets"]
array Panel[4] = ["H200", "H100-PCIe", "B200", "CPU"]
array Ns[4] = ["4096 16384 65536 131072 262144 1048576 4194304", \
    "1024 4096 16384 65536 262144 1048576 4194304", \
    "1027 2051 4099 8195 16387 32771 65538 131075 262127", \
    "4096 16384 65536 100000 128256 262144 1048576 3000000 4194304 8388608 16777216"]
array Ys[4] = ["1 8 64 256 1024", "4 16 64 256 1024 4096 16384 65536 262144 1048576", \
    "512,1 1024,1 512,1024 1024,1024", "16 64 256 1024 4096"]
place(list, text) = sum [i=1:words(list)] (word(list, i) eq text ? i : 0)
power(text) = text eq "3000000" ? "3e6" : text eq "100000" ? "1e5" : text eq "128256" ? "1.3e5" : \
    sprintf("2^{%d}", log(text)/log(2) + 0.5)
x(p) = strcol("panel") ne Panel[p] ? NaN : \
    place(Ns[p], p == 3 && strcol("n") eq "65539" ? "65538" : strcol("n"))
y(p) = p == 1 ? place(Ys[1], strcol("m")) + (strcol("dtype") eq "float32" ? 0.23 : -0.23) : \
    place(Ys[p], p == 3 ? strcol("k").",".strcol("m") : strcol("k"))
color(lead) = (lead < 1.1 ? Pale[place(names, strcol("fastest"))] : \
    Strong[place(names, strcol("fastest"))])
shown(lead) = lead < 9.95 ? sprintf("%.2f", lead) : sprintf("%.0f", lead)
is_buckets(is, p) = (strcol("fastest") eq "buckets") == is ? x(p) : NaN
legend = "'buckets, recall .95 (framed)' 'exact, ours' torch.topk gvr_v2 'pale: lead below 1.1'"
array Swatch[5] = [Strong[5], Strong[1], Strong[3], Strong[4], 0xE8E8E8]
array Left[5] = [0.06, 0.31, 0.46, 0.60, 0.72]
do for [i=1:5] {
    set label i word(legend, i) at screen Left[i],0.024 offset 1.5,0 noenhanced \
        point pt 5 ps 1.8 lc rgb Swatch[i] font ",10"
}
do for [p=1:4] {
    tall = p == 1 ? 0.2 : 0.44
    set title Title[p] noenhanced
    set xrange [0.4:words(Ns[p])+0.6]
    set yrange [0.4:words(Ys[p])+0.6]
    unset xtics; unset ytics
    set xtics scale 0 () offset 0,0.3 nomirror
    set ytics scale 0 () offset 0.5,0 nomirror
    do for [i=1:words(Ns[p])] { set xtics add (power(word(Ns[p], i)) i) }
    do for [i=1:words(Ys[p])] {
        text = word(Ys[p], i)
        if (p == 3) { text = text[strstrt(text, ",")+1:*]."\n".text[1:strstrt(text, ",")-1] }
        if (p == 2) { text = power(text) }
        set ytics add (text i)
    }
    set ylabel word("m k 'm over k' k", p) offset (p == 1 || p == 4 ? 1.5 : 1)
    set xlabel (p == 3 ? "n, about" : "n") offset 0,0.6
    plot csv using (is_buckets(0, p)):(y(p)):(0.47):(tall):(color(column("lead"))) \
             with boxxyerror fs solid noborder lc rgb variable, \
         csv using (is_buckets(1, p)):(y(p)):(0.47):(tall):(color(column("lead"))) \
             with boxxyerror fs solid noborder lc rgb variable, \
         csv using (is_buckets(1, p)):(y(p)):(0.45):(tall - 0.015) \
             with boxxyerror fs empty lc rgb "#B34E00" lw 1.8, \
         csv using (x(p)):(y(p)):(shown(column("lead"))) with labels font ",9"
    unset for [i=1:5] label i
}
unset multiplot
