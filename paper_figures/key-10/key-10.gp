# height 430
bytes = 2
about = "H200, m = 128, bfloat16, "
load "plots/bandwidth.gp"
