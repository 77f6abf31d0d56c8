# height 330
set multiplot layout 1,4 margins 0.085,0.985,0.23,0.92 spacing 0.014,0.1
down = 1
across = 4
k_bs = "1"
bottom = 0.5
keys = 0.05
show_m = 0
ratio = 0.1
load "plots/tradeoff.gp"
