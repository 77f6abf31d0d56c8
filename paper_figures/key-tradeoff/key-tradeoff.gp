# height 640
set multiplot layout 2,3 margins 0.085,0.985,0.145,0.955 spacing 0.014,0.085
down = 2
across = 3
k_bs = "1 2 4"
bottom = 0.5
keys = 0.03
show_m = 1
ratio = 0.08
load "plots/tradeoff.gp"
