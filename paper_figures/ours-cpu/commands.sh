plots/cpu.py frontier
