"""Small data sets in the formats of WEBSPAM-UK2006, WEBSPAM-UK2007 and DC2010."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

HOSTS = 60
CONTENT = [
    *(f"HST_{n}" for n in range(1, 25)),
    *(f"HMG_{n}" for n in range(25, 49)),
    *(f"AVG_{n}" for n in range(49, 73)),
    *(f"STD_{n}" for n in range(73, 97)),
]
LINK = ["eq_hp_mp", "indegree_hp", "indegree_mp", "pagerank_hp", "reciprocity_mp"]
TRANSFORMED = ["log_indegree_hp", "log_pagerank_hp", "log(avgin_of_out*outdegree)_mp"]


def name(host: int) -> str:
    """The name of a host as published."""
    return f"{'www.' if host % 2 else ''}h{host}.co.uk"


def is_spam(host: int) -> bool:
    """What the labels say; every third host."""
    return host % 3 == 0


def _values(columns: list[str], seed: int) -> npt.NDArray[np.float64]:
    random = np.random.default_rng(seed)
    spam = np.array([is_spam(host) for host in range(HOSTS)])
    return random.normal(size=(HOSTS, len(columns))) + 1.5 * spam[:, None]


def write_csv(path: Path, columns: list[str], seed: int, *, named: bool = True) -> None:
    """A feature file in CSV, with a missing value."""
    lines = [",".join(["#hostid", *(["hostname"] if named else []), *columns])]
    for host, row in enumerate(_values(columns, seed)):
        cells = ["?" if host == 4 and place == 1 else f"{value:.5f}" for place, value in enumerate(row)]
        lines.append(",".join([str(host), *([name(host)] if named else []), *cells]))
    _write(path, "\n".join(lines) + "\n")


def write_arff(path: Path, columns: list[str], seed: int, relation: str = "uk-2007-05") -> None:
    """A feature file in ARFF, with the class behind it."""
    lines = [f"% {relation}", f"@RELATION '{relation}'", "", "@ATTRIBUTE hostid NUMERIC"]
    lines += [f"@ATTRIBUTE '{column}' NUMERIC" for column in columns]
    lines += ["@ATTRIBUTE class {spam,nonspam}", "@DATA"]
    for host, row in enumerate(_values(columns, seed)):
        kind = "spam" if is_spam(host) else "nonspam"
        lines.append(",".join([str(host), *(f"{value:.5f}" for value in row), kind]))
    _write(path, "\n".join(lines) + "\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def write_uk2007(folder: Path) -> Path:
    """Labels of 40 hosts for training and 18 for testing, two undecided; features and host graph."""
    names = "".join(f"{host} {name(host)}\n" for host in range(HOSTS))
    _write(folder / "links" / "uk-2007-05.hostnames.txt.gz", names)
    graph = [
        str(HOSTS),
        *(f"{(host + 1) % HOSTS}:{host + 1} {(host + 7) % HOSTS}:2" for host in range(HOSTS)),
    ]
    _write(folder / "links" / "uk-2007-05.hostgraph_weighted.graph-txt.gz", "\n".join(graph) + "\n")
    _write(folder / "labels" / "WEBSPAM-UK2007-hostnames.txt", names)
    for number, hosts in ((1, range(40)), (2, range(40, 60))):
        lines = []
        for host in hosts:
            label = "undecided" if host in (41, 43) else "spam" if is_spam(host) else "nonspam"
            lines.append(
                f"{host} {label} {1.0 if is_spam(host) else 0.0:.2f} j1:{'S' if is_spam(host) else 'N'}"
            )
        _write(folder / "labels" / f"WEBSPAM-UK2007-SET{number}-labels.txt", "\n".join(lines) + "\n")
    features = folder / "features"
    write_csv(features / "uk-2007-05.obvious_features.csv.gz", ["number_of_pages", "length_of_hostname"], 1)
    write_csv(features / "uk-2007-05.content_based_features.csv.gz", CONTENT, 2)
    write_csv(features / "uk-2007-05.link_based_features.csv", LINK, 3)
    write_csv(features / "uk-2007-05.link_based_features_transformed.csv", TRANSFORMED, 4, named=False)
    motion = ["IDR", "IGR", "IGR/IDR", "XJac_1", "log_XJac_2", "PSimRank_1"]
    write_arff(features / "temporal-2007-04-2007-05.arff", motion, 5, "temporal link features")
    return folder


def write_uk2006(folder: Path) -> Path:
    """Labels by name with judgments, and a host graph with arrows."""
    _write(folder / "uk-2006-05.hostnames.txt", "".join(f"{host} {name(host)}\n" for host in range(HOSTS)))
    for number, hosts in ((1, range(40)), (2, range(40, 60))):
        marks = [("S", "spam") if is_spam(host) else ("N", "normal") for host in hosts]
        lines = [
            f"{name(host)} j1:{mark},odp:N 0.50 {label}"
            for host, (mark, label) in zip(hosts, marks, strict=True)
        ]
        _write(folder / f"webspam-uk2006-set{number}-labels.txt", "\n".join(lines) + "\n")
    write_csv(folder / "uk-2006-05.content_based_features.csv", CONTENT, 2)
    lines = [f"{host} -> {(host + 1) % HOSTS}:3" for host in range(HOSTS)]
    _write(folder / "uk-2006-05.hostgraph_weighted.txt", "\n".join(lines) + "\n")
    return folder


def write_dc2010(folder: Path) -> Path:
    """Names before numbers, assessments and unified judgments, and counts of terms."""
    _write(folder / "DiscoveryChallenge2010.hostnames.txt", "".join(f"{name(n)} {n}\n" for n in range(HOSTS)))
    header = "ID;UserID;Web Spam;News/Editorial;Commercial;Neutrality"
    lines = [header]
    for host in range(40):
        rest = "?;?;?" if is_spam(host) else f"{'News-Edit' if host % 2 else 'NonNews-Edit'};NonCommercial;3"
        lines.append(f"{host};7;{'Spam' if is_spam(host) else 'NonSpam'};{rest}")
    lines += ["1;8;Spam;?;?;?", "1;9;NonSpam;?;?;?", "2;9;Spam;?;?;?"]  # 1 is not spam by 2 to 1, 2 is a tie
    _write(folder / "en.useful-labels.csv", "\n".join(lines) + "\n")
    rows = [f"{n};;{int(is_spam(n))};{n % 2};0;1;0;0;{n % 2};0;0;5" for n in range(40, 60)]
    _write(folder / "en.unified.test.csv", "\n".join(rows) + "\n")
    write_csv(folder / "v2-DiscoveryChallenge2010.content_based_features.csv", CONTENT, 2)
    _write(
        folder / "top_terms.stopped.en.txt", "".join(f"{word} 9 3\n" for word in ("hotel", "pill", "rose"))
    )
    counts = [f"{n} {1 if is_spam(n) else 2} {n + 1} 2{' 0 1 1' if n % 4 == 0 else ''}" for n in range(HOSTS)]
    _write(folder / "v2-host_tfdf.en.txt", "\n".join(counts) + "\n")
    return folder
