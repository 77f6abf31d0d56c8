plots/cpu.py models
