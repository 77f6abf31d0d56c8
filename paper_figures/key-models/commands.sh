plots/key_models.py table
