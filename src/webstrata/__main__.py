"""``python -m webstrata`` is the command ``webstrata``."""

from webstrata.cli import main

if __name__ == "__main__":
    main()
