# height 430
bytes = 4
about = "m = 128, float32, "
load "plots/bandwidth.gp"
