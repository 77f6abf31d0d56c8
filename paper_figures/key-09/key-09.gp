# height 430
bytes = 4
load "plots/bandwidth.gp"
