# height 1250
model = "parallel"
load "plots/tradeoff-grid.gp"
