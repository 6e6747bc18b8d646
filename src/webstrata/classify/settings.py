"""What the features of hosts are made of, and how models of them are learned."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting

_ngram = ("between 2 and 8", lambda value: 2 <= value <= 8)
_power = ("a power of 2 from 16 to 4096", lambda value: 16 <= value <= 4096 and value & (value - 1) == 0)
_folds = ("2 or more", lambda value: value >= 2)
_share = ("between 0 and 1", lambda value: 0 <= value <= 1)
_above = ("above 0", lambda value: value > 0)


@dataclass(frozen=True, kw_only=True)
class ClassifySettings(Settings):
    """What the features of hosts are made of."""

    sets: tuple[str, ...] = setting(
        (), "Feature sets that are made, as A,B,link; without any, all that can be made."
    )
    query_words: str = setting(
        "",
        "File with a query a line, the most popular words of which sets A and Aa count; a list of words too.",
    )
    trusted: str = setting("", "File with a host or URL a line from which TrustRank starts.")
    stop_words: str = setting(
        "en",
        "Words that lists of popular words leave out: en for English ones, none, or a file with a word "
        "a line.",
    )
    corpus_pages: int = setting(
        100_000,
        "Pages, spread evenly, that the most frequent words of the corpus are found in; 0 means all.",
        check=not_negative,
    )
    ngram: int = setting(3, "Words that make an n-gram.", check=_ngram)
    registers: int = setting(
        64, "Registers of a counter of supporters; 64 are right to 13%, four times as many to half of it.",
        check=_power,
    )  # fmt: skip
    earlier: tuple[str, ...] = setting(
        (),
        "Earlier snapshots that temporal sets look back at, as 2026-04,2026-05, or all; without any, the "
        "last one for links and all for terms.",
    )
    fingerprints: int = setting(
        128,
        "Fingerprints that similarities of neighbourhoods are estimated by; with 128 they are right to 12% "
        "of their largest value 95 times in 100, with four times as many to half of it.",
        check=positive,
    )
    max_terms: int = setting(10_000, "Terms of the vocabulary at most.", check=positive)
    least_share: float = setting(
        0.1, "Share of sites that a term of the vocabulary must be in.", check=_share
    )
    most_share: float = setting(0.5, "Share of sites that a term of the vocabulary may be in.", check=_share)
    max_pages: int = setting(
        400, "Pages of a site that its terms are counted in, at most; 0 means all.", check=not_negative
    )
    k1: float = setting(
        1.2, "How soon further occurrences of a term stop to count, for BM25.", check=not_negative
    )
    b: float = setting(0.75, "How much the length of a document counts, for BM25.", check=_share)
    decay: float = setting(
        0.5, "How fast older snapshots are forgotten: e to the minus this, for each one back.", check=_above
    )


@dataclass(frozen=True, kw_only=True)
class GateSettings(Settings):
    """How a gate for crawls is learned."""

    pages: int = setting(3, "Pages of a new host that the gate is to see before it decides.", check=positive)
    max_loss: float = setting(
        0.01, "Share of honest hosts, and of their pages, that may be lost.", check=_share
    )
    together: str = setting(
        "both",
        "Hosts that no fold parts: those that share a domain or an address (both), or a domain.",
        check=one_of("both", "domain"),
    )
    folds: int = setting(
        5, "Folds in which hosts are scored by models that have not seen them.", check=_folds
    )
    seed: int = setting(1, "Of folds and models.", check=not_negative)


@dataclass(frozen=True, kw_only=True)
class TrainSettings(Settings):
    """How models of hosts are learned."""

    library: str = setting(
        "standard",
        "Models to choose from: standard, paper (all of SPAM) or small (a few quick ones).",
        check=one_of("standard", "paper", "small"),
    )
    costly: str = setting(
        "missed",
        "Mistake that costs 10 to 300 times the other in cost-sensitive trees: missed (a positive that is "
        "not found) or false-positive, as SPAM prints.",
        check=one_of("missed", "false-positive"),
    )
    term_models: str = setting(
        "both",
        "Models that learn from term vectors: forest, svm (linear support vector machines) or both.",
        check=one_of("both", "forest", "svm"),
    )
    metric: str = setting(
        "auc",
        "What the choice of models makes best: auc, average-precision, f1, accuracy or log-likelihood.",
        check=one_of("auc", "average-precision", "f1", "accuracy", "log-likelihood"),
    )
    together: str = setting(
        "both",
        "Hosts that no split parts: those that share a domain or an address (both), a domain, or an address.",
        check=one_of("both", "domain", "address"),
    )
    folds: int = setting(5, "Folds in which each model scores hosts it was not trained on.", check=_folds)
    time_budget: float | None = setting(
        None, "Time after which no further model is fitted.", unit="seconds", check=not_negative
    )
    seed: int = setting(1, "Of folds, bags and models.", check=not_negative)
