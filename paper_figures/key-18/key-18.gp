# height 1250
model = "basic"
load "plots/tradeoff-grid.gp"
