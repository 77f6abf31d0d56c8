# height 1250
model = "serial"
load "plots/tradeoff-grid.gp"
