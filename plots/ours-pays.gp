# height 1000
set multiplot layout 3,3 margins 0.075,0.99,0.085,0.965 spacing 0.03,0.07
set tics out font ",9" scale 0.4
unset grid
unset key
set title font ",10" offset 0,-0.7
# The classes of the gain, and a mark with its number.
colour(g) = g < 1.1 ? 0xD55E00 : g < 1.5 ? 0xF0B27A : g < 3 ? 0xD6E6F2 : g < 10 ? 0x8BBDE0 : 0x3F8FC8
shown(g) = g < 9.95 ? sprintf("%.1f", g) : sprintf("%.0f", g)
here(source, kernel, k, m) = strcol("source") eq source && column("recall") == 0.95 && \
    (kernel eq "any" || strcol("kernel") eq kernel) && (k == 0 || column("k") == k) && \
    (m == 0 || column("m") == m)
Class = "1 1.2 2 5 20"
Named = "'below 1.1: do not approximate' '1.1 to 1.5' '1.5 to 3' '3 to 10' 'above 10'"
do for [i=1:5] {
    set label 10+i word(Named, i) at screen 0.1+(i == 1 ? 0 : 0.17+0.12*(i-1)),0.022 \
        offset 1.5,0 point pt 5 ps 1.8 lc rgb colour(word(Class, i)+0) font ",10"
}
set logscale xy 2
set format x @two
set xtics (2**8, 2**10, 2**12, 2**14, 2**16, 2**18, 2**20, 2**22) offset 0,0.3
do for [row=1:2] {
    k = row == 1 ? 512 : 2048
    do for [column=1:3] {
        kernel = word("torch.topk flashinfer_default flashinfer_clusters", column)
        title = word("torch.topk default clusters", column)
        set title sprintf("B200, %s%s, k = %d", column == 1 ? "" : "FlashInfer ", title, k)
        if (column == 1) { set ytics (1, 16, 64, 256) } else { set ytics ("" 1, "" 16, "" 64, "" 256) }
        set ylabel (column == 1 ? "rows m" : "") offset 1
        set format y (column == 1 ? "%g" : "")
        set xrange [2**8.3:2**19.7]
        set yrange [0.4:700]
        at(is) = is ? column("n") : NaN
        plot csv using (at(here("flashinfer/exact-blackwell", kernel, k, 0))):"m": \
                 (colour(column("gain"))) with points pt 5 ps 2.9 lc rgb variable, \
             csv using (at(here("flashinfer/exact-blackwell", kernel, k, 0))):"m": \
                 (shown(column("gain"))) with labels font ",8"
        unset for [i=11:15] label i
    }
}
# Kernels of TensorRT-LLM's study, from the slowest to the fastest.
Kernels = "trtllm_radix_cuda hpc_ops_fp32 deepselect_fp32 flashinfer_0_6_14 \
sglang_v2_plan_transform gvr_v2"
place(name) = sum [i=1:6] (name eq word(Kernels, i) ? i : 0)
unset logscale y
set xlabel "n" offset 0,0.8
do for [panel=1:2] {
    m = panel == 1 ? 1 : 1024
    set title sprintf("B200, cold rows, k = 512, m = %d", m)
    set xrange [2**9.4:2**18.6]
    set yrange [0.4:6.6]
    set ylabel "" 
    if (panel == 1) { set ytics ("TRT-LLM\nradix" 1, "hpc-ops" 2, "Deep-\nSelect" 3, \
        "Flash-\nInfer" 4, "SGLang" 5, "gvr\\_v2" 6) font ",8" } \
    else { set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6) }
    at(is) = is ? column("n") : NaN
    plot csv using (at(here("trtllm/exact-b200", "any", 512, m))):(place(strcol("kernel"))): \
             (colour(column("gain"))) with points pt 5 ps 2.9 lc rgb variable, \
         csv using (at(here("trtllm/exact-b200", "any", 512, m))):(place(strcol("kernel"))): \
             (shown(column("gain"))) with labels font ",8"
}
set title "H100 PCIe, torch.topk, m = 256"
set logscale y 2
set format y @two
set ytics (1, 2**4, 2**8, 2**12, 2**16, 2**20) font ",9"
set label 20 "k" at graph 0.03,0.94
one(is) = is && column("k") != 2 && column("k") != 3
set xrange [2**9:2**23]
set yrange [2**-1.2:2**21]
plot csv using (at(one(here("keyetal/exact", "any", 0, 256)))):"k":(colour(column("gain"))) \
         with points pt 5 ps 2.0 lc rgb variable, \
     csv using (at(one(here("keyetal/exact", "any", 0, 256)))):"k":(shown(column("gain"))) \
         with labels font ",7"
unset multiplot
