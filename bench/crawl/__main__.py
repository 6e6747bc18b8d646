"""The crawler's figures: `python -m bench.crawl [--quick] [NAME]…`."""

from bench.crawl import FIGURES
from bench.frame import main

if __name__ == "__main__":
    main(FIGURES)
