plots/cpu.py map
