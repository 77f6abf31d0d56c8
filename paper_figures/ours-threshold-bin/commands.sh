plots/histogram_note.py threshold
