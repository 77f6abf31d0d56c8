# height 430
bytes = 2
load "plots/bandwidth.gp"
