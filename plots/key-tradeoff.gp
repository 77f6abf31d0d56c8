# height 1000
set multiplot layout 4,4 margins 0.06,0.985,0.08,0.97 spacing 0.014,0.045
down = 4
across = 4
k_bs = "1 2 3 4"
bottom = 0.5
keys = 0.018
show_m = 1
ratio = 0.8
load "plots/tradeoff.gp"
