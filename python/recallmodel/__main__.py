"""python -m recallmodel: the command."""
from recallmodel_command import main

if __name__ == "__main__":
    main()
