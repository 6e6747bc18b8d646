"""Benchmarks: us and a peer on the same input in one run; `bench.frame` says how, and how to add one.

::

    make bench                       every figure, full size
    python -m bench.start --quick    one figure, on a small input of its own
    make peers · make bench-data     the programs we compare with · the inputs that figures share
"""
