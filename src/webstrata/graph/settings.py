"""How the lists of a graph are compressed, and what the graph of a snapshot is built of."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, setting

CODES = (
    "unary",
    "gamma",
    "delta",
    "omega",
    *(f"zeta{k}" for k in range(1, 8)),
    *(f"pi{k}" for k in range(1, 5)),
)
"""Names of codes, as `.properties` has them in capitals."""
COMPRESSION = (
    "window", "chain", "min_interval", "outdegree_code", "reference_code", "block_code", "interval_code",
    "residual_code", "together", "piece", "memory",
)  # fmt: skip
"""Settings that matter wherever a graph is written, not only that of a snapshot."""
FOLDS = ("none", "exact", "fingerprint")
"""Which duplicates are contracted; see `webstrata.graph.fold`."""
UNLIMITED = 2**31 - 1
"""A chain limit that is none, as WebGraph writes it."""

_code = (f"one of {', '.join(CODES)}", lambda value: value in CODES)
_window = ("between 0 and 1024", lambda value: 0 <= value <= 1024)
_chain = ("-1 for no limit, or 0 or more", lambda value: -1 <= value <= UNLIMITED)
_together = ("0, or between 2 and 1000000", lambda value: value == 0 or 2 <= value <= 1_000_000)
_memory = ("at least 16MiB", lambda value: value >= 16 << 20)


@dataclass(frozen=True, kw_only=True)
class GraphSettings(Settings):
    """What the graph of a snapshot is built of, and how it is compressed: by default as WebGraph does."""

    fold: str = setting(
        "none",
        "Contract duplicates onto one node: `none`, `exact` (equal payload and links) or `fingerprint` "
        "(equal payload or fingerprint, as TIME does).",
        check=one_of(*FOLDS),
    )
    frontier: bool = setting(False, "Add link targets that were not captured as nodes without links.")
    nofollow: bool = setting(True, "Count links marked nofollow.")
    self_loops: bool = setting(True, "Count links of a page to itself.")
    multiplicity: bool = setting(False, "Keep for each arc how many links it stands for.")
    hosts: bool = setting(True, "Make the graphs of hosts and domains too.")
    memory: int = setting(
        1 << 30,
        "Memory in which arcs are sorted; what is more goes to files.",
        unit="bytes",
        check=_memory,
        resource=True,
    )
    window: int = setting(
        7, "How many lists back a list may refer to another; 0 for no references.", check=_window
    )
    chain: int = setting(
        3, "How many references may follow one another before a list is found; -1 for no limit.", check=_chain
    )
    min_interval: int = setting(
        4, "How many successive nodes are coded as an interval; 0 for no intervals.", check=not_negative
    )
    outdegree_code: str = setting("gamma", "Code of outdegrees.", check=_code)
    reference_code: str = setting("unary", "Code of references.", check=_code)
    block_code: str = setting("gamma", "Code of the blocks that are copied.", check=_code)
    interval_code: str = setting("gamma", "Code of intervals.", check=_code)
    residual_code: str = setting("zeta3", "Code of all other successors.", check=_code)
    together: int = setting(
        0,
        "Nodes among which references are chosen together, slower and better (10000, say); 0 for one by one.",
        check=_together,
    )
    piece: int = setting(
        1 << 22,
        "Arcs that are compressed apart from others, so that all cores are used; 0 for the whole graph.",
        check=not_negative,
    )

    @property
    def codes(self) -> tuple[str, str, str, str, str]:
        """The five codes, in the order of their fields."""
        return (
            self.outdegree_code, self.reference_code, self.block_code, self.interval_code, self.residual_code
        )  # fmt: skip

    @property
    def max_references(self) -> int:
        """The chain limit as a number that nothing exceeds where there is none."""
        return UNLIMITED if self.chain < 0 else self.chain

    @property
    def is_readable_by_java(self) -> bool:
        """Whether WebGraph in Java reads files with these codes.

        It has other names for the codes of blocks and of their number, and none for that of intervals: these
        must be γ. It does not have ω and π.

        Examples
        --------
        >>> GraphSettings(residual_code="zeta4").is_readable_by_java
        True
        >>> GraphSettings(residual_code="pi2").is_readable_by_java
        False
        """
        return (
            self.outdegree_code in ("gamma", "delta")
            and self.reference_code in ("unary", "gamma", "delta")
            and (self.block_code, self.interval_code) == ("gamma", "gamma")
            and self.residual_code.startswith(("gamma", "delta", "zeta"))
        )
