# height 720
set multiplot layout 2,2 margins 0.085,0.985,0.165,0.96 spacing 0.02,0.075
down = 2
across = 2
k_bs = "1 2 3-4 5-8 11-16"
bottom = 0.2
keys = 0.055
key_step = 0.16
line_keys = 0.02
show_m = 0
ratio = 0.08
load "plots/tradeoff.gp"
