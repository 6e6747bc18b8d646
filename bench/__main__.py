"""Every figure of every benchmark: `python -m bench [--quick] [NAME]…`."""

from bench.data import find_figures
from bench.frame import main

if __name__ == "__main__":
    main(find_figures())
