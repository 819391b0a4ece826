"""``python -m memlab.cli``."""

from memlab.cli import main

if __name__ == "__main__":
    main()
