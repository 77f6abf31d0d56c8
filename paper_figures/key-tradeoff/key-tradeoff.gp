# height 1330
set multiplot layout 6,4 margins 0.085,0.985,0.062,0.977 spacing 0.014,0.036
down = 6
across = 4
k_bs = "1 2 4"
bottom = 0.5
keys = 0.015
show_m = 1
ratio = 0.12
load "plots/tradeoff.gp"
