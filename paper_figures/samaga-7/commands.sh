plots/monte_carlo.py 15360 480 1,2,3,4,5,6,8
