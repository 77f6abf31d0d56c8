# height 680
set multiplot layout 2,3 margins 0.09,0.985,0.085,0.945 spacing 0.06,0.11
set logscale x 2
set logscale y 10
set format x @two
set tics font ",10"
set xlabel "n" offset 0,0.5
set key bottom right font ",9" samplen 1.4 spacing 0.95 reverse Left
array title[6] = ["B200, f32, k = 512, m = 1", "B200, f32, k = 512, m = 1024", \
    "A100 PCIe, f32, k = 2048, m = 256", "Blackwell, f32, k = 512, m = 1", \
    "Blackwell, f32, k = 512, m = 256", "H100 PCIe, f16, k = 256, m = 256"]
b200 = "gvr_v2_b200 deepselect_b200 sglang_v2_b200 hpc_ops_b200 flashinfer_0_6_14_b200 ". \
    "trtllm_radix_b200"
array kernels[6] = [b200, b200, "flashinfer_filtered_a100 flashinfer_multi_cta_a100", \
    "flashinfer_clusters_blackwell flashinfer_default_blackwell torch_topk_blackwell", \
    "flashinfer_clusters_blackwell flashinfer_default_blackwell torch_topk_blackwell", \
    "torch_topk_h100_pcie"]
# The name of a kernel without its device.
short(name) = system("echo ".name." | sed 's/_\\(b200\\|blackwell\\|a100\\|h100_pcie\\)$//'")
of(p, name, share) = column("panel") == p && strcol("kernel") eq name ? share : NaN
do for [p=1:6] {
    set title title[p] font ",11" offset 0,-0.6
    set ylabel (p % 3 == 1 ? "share of the peak bandwidth" : "") offset 0.5 font ",11"
    if (p == 1 || p == 4) { set yrange [2e-6:0.1]; set ytics ("0.001 %%" 1e-5, "0.01 %%" 1e-4, \
        "0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1) } else { set yrange [8e-4:1]; set ytics \
        ("0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1, "100 %%" 1) }
    plot for [i=1:words(kernels[p])] csv using "n":(of(p, word(kernels[p], i), \
             column("predicted_share"))) with lines ls i notitle, \
         for [i=1:words(kernels[p])] csv using "n":(of(p, word(kernels[p], i), \
             column("share"))) with points ls i title short(word(kernels[p], i)) noenhanced
}
unset multiplot
