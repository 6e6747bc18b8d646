"""How good a change search is, by queries whose answers are known: the measures and tables of CHANGE.

``queries``, ``judgements`` and ``runs`` are the files, plain and TREC's; ``measures`` says how good a ranked
list and its subgraph are; ``experiment`` asks all queries in all ways; ``tables`` puts together the paper's
table 2 and figures 1 to 5; ``significance`` compares two ways query by query.
"""
