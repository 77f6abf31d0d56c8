plots/monte_carlo.py 430080 3360 1,2,3,4,5,6,8,10,12
