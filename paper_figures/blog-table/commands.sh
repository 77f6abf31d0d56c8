plots/histogram_note.py table
