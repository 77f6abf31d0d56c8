# height 950
set multiplot layout 4,5 margins 0.085,0.985,0.085,0.968 spacing 0.014,0.045
down = 4
across = 5
k_bs = "1 2 4 8"
bottom = 0.2
keys = 0.018
show_m = 0
ratio = 0.8
load "plots/tradeoff.gp"
