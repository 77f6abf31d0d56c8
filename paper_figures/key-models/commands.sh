plots/key_models.py runs/keyetal/
