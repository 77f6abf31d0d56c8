"""What mypy must refuse: a text for a number, an argument that does not exist, None as a number, a
name that does not exist."""
import recallmodel as rcm

rcm.recall("262144", 1024, 512, 4)  # E
rcm.select(262144, 1024, 0.95, recall=0.9)  # E
rcm.select(262144, 1024, 0.95).b + 1  # E
rcm.topk([1.0], 1, return_choice=True).choise  # E
rcm.select(262144, 1024, 0.95, objective="tme")  # E
rcm.select(262144, 1024, 0.95, dtype="f8")  # E
rcm.recall(262144, 1024, 512, 4, assignment="interlaced")  # E
rcm.topk([1.0], 1, nan="first")  # E
