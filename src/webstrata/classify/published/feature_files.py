"""Feature files of WEBSPAM-UK2006, WEBSPAM-UK2007 and DC2010, in CSV or ARFF.

A file has one row per host: ``#hostid`` (its number in the file of host names), in most files ``hostname``,
then the features; ``?`` and nothing are missing values. Which set it belongs to is known by its columns:

=======================================  ==================================================================
``number_of_pages``,                     feature set 1, "direct features" (obvious_features): part of set A
``length_of_hostname``
``HST_1`` … ``STD_96``                   feature set 3a, content-based: ``HST_1``–``24`` of the home page,
                                         ``HMG_25``–``48`` of the page of maximum PageRank, ``AVG_49``–``72``
                                         the average and ``STD_73``–``96`` the standard deviation over pages.
                                         All are set B
``eq_hp_mp``, ``indegree_hp`` … `LINK`   feature set 2a, link-based, 41 names (hp home page, mp page of the
                                         largest PageRank): set link
``log_indegree_hp``,                     feature set 2b, transformed: names made of those of 2a, ``log``,
``log(avgin_of_out*outdegree)_mp``, …    ``min``, ``max``, ``avg`` and signs (`WORDS`): set link
names with idr, igr, odr, ogr, crcc,     "Temporal Features for Web Spam Detection" of SZTAKI, ARFF, one file
xjaccard, psimrank as words of their     per pair of months, transformed features included: set temporal-link
own (``xjac``, ``psim`` in short)
=======================================  ==================================================================

Within each group of 24, features 7–14 are corpus precision and recall, 15–22 query precision and recall.
Set **A** is HST, AVG and STD without 7–14 (48, SPAM 5.1) and the direct features; set **Aa** its query
precision and recall (24).

Described on the pages "Pre-computed feature sets" of WEBSPAM-UK2007
(chato.cl/webspam/datasets/uk2007/features) and of EU-2010 (dms.sztaki.hu/node/349), and in the files that
these name: ``…content_based_features.txt``, ``…link_based_features.txt``, ``…_transformed.txt``. The names of
the attributes of the temporal files (dms.sztaki.hu, "Temporal Features for Web Spam Detection": similarity
metrics, death and growth rates, and their transformations) are described nowhere. They are recognized by the
measures of SPAM, section 3.1, as whole words: ``log_IDR`` has one, ``bridge`` and ``progress`` have none.
Attributes of such a file without one are left out, and listed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from webstrata.classify.published.arff import read_arff
from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

IDS, NAMES, CLASSES = ("hostid", "host_id", "id"), ("hostname", "host", "host_name"), ("class", "label")
DIRECT = ("number_of_pages", "length_of_hostname")
GROUPS = {"HST": range(1, 25), "HMG": range(25, 49), "AVG": range(49, 73), "STD": range(73, 97)}
"""The groups of content-based features, and the numbers of each."""
_MEASURES = (
    "assortativity", "avgin_of_out", "avgout_of_in", "indegree", "neighbors_2", "neighbors_3", "neighbors_4",
    "outdegree", "pagerank", "prsigma", "reciprocity", "siteneighbors_1", "siteneighbors_2",
    "siteneighbors_3", "siteneighbors_4", "truncatedpagerank_1", "truncatedpagerank_2",
    "truncatedpagerank_3", "truncatedpagerank_4", "trustrank",
)  # fmt: skip
LINK = frozenset({"eq_hp_mp", *(f"{name}_{page}" for name in _MEASURES for page in ("hp", "mp"))})
"""The features of set 2a, by their exact names."""
WORDS = (
    *_MEASURES,
    "siteneighbors",
    "truncatedpagerank",
    "neighbors",
    "log",
    "min",
    "max",
    "avg",
    "hp",
    "mp",
)
"""What the names of set 2b consist of, beside signs."""
_CONTENT = re.compile(r"(HST|HMG|AVG|STD)_([1-9]\d?)$")
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_MEASURE = re.compile("eq_hp_mp|" + "|".join(_MEASURES) + "|siteneighbors|truncatedpagerank|neighbors")
_TRANSFORMED = re.compile(rf"(?:(?:{_WORD})(?![A-Za-z])|[_()*/+\-. ])+")
_MOTION = re.compile(r"(?<![a-z])(?:(xjac(?:card)?)|(psim(?:rank)?)|idr|igr|odr|ogr|crcc)(?![a-z])", re.I)


@dataclass(frozen=True)
class FeatureFile:
    """Features of hosts as a file has them."""

    path: Path
    kind: str
    """``direct``, ``content``, ``link`` or ``motion``; nothing where the columns are of no known set."""
    hosts: list[int] | list[str]
    """The number of each host, or its name where there are no numbers."""
    columns: list[str]
    values: npt.NDArray[np.float64]
    left_out: tuple[str, ...] = ()
    """Attributes of a temporal file whose measure is not known."""


def read_feature_file(path: Path) -> FeatureFile:
    r"""The features of a CSV or ARFF file, or `FormatError` where it has no column of hosts.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk-2007-05.obvious_features.csv"
    >>> _ = path.write_text("#hostid,hostname,number_of_pages,length_of_hostname\n7,a.co.uk,12,?\n")
    >>> found = read_feature_file(path)
    >>> found.kind, found.hosts, found.columns, found.values.tolist()
    ('direct', [7], ['number_of_pages', 'length_of_hostname'], [[12.0, nan]])
    """
    is_arff = ".arff" in path.name.lower()
    columns = _read_arff(path) if is_arff else _read_csv(path)
    plain = {name.lstrip("#").strip().lower(): name for name in columns}
    ids = next((plain[name] for name in IDS if name in plain), None)
    named = next((plain[name] for name in NAMES if name in plain), None)
    if ids is None and named is None:
        what = f"relation {_relation(path)!r}" if is_arff else "it"
        raise FormatError(
            f"{path}: {what} has no hostid or hostname among its columns ({', '.join(list(columns)[:3])}, …)"
            "; expected a feature file of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010"
        )
    known = {ids, named, *(plain[name] for name in CLASSES if name in plain)}
    features = [
        name for name, column in columns.items() if name not in known and not isinstance(column, list)
    ]
    kind = tell_kind(features)
    if is_arff and not kind:
        raise FormatError(
            f"{path}: relation {_relation(path)!r} has none of the features of WEBSPAM-UK2006, "
            f"WEBSPAM-UK2007 or DC2010 (its first is {features[0] if features else 'missing'}); move "
            "the file elsewhere"
        )
    left_out = tuple(name for name in features if kind == "motion" and not _MOTION.search(name))
    features = [name for name in features if name not in left_out]
    hosts = _to_ids(path, columns[ids]) if ids else [str(name) for name in columns[named or ""]]
    size = (len(hosts), len(features))
    values = (
        np.stack([np.asarray(columns[name]) for name in features], axis=1) if features else np.zeros(size)
    )
    return FeatureFile(path, kind, hosts, features, values, left_out)


def tell_kind(columns: Sequence[str]) -> str:
    """Which published set has such columns; nothing where none has.

    Examples
    --------
    >>> [tell_kind([name]) for name in ("HST_1", "log_indegree_hp", "IDR", "sepal", "HST_25", "bridge_mp")]
    ['content', 'link', 'motion', '', '', '']
    """
    if any(_match_content(name) for name in columns):
        return "content"
    if any(name in DIRECT for name in columns):
        return "direct"
    if any(_MOTION.search(name) for name in columns):
        return "motion"
    return "link" if any(_is_link(name) for name in columns) else ""


def _match_content(name: str) -> tuple[str, int] | None:
    """The group and number of a content-based feature."""
    matched = _CONTENT.match(name)
    return (matched[1], int(matched[2])) if matched and int(matched[2]) in GROUPS[matched[1]] else None


def _is_link(name: str) -> bool:
    if name in LINK:
        return True
    is_placed = any(page in re.split(r"[^a-z]", name) for page in ("hp", "mp"))
    return is_placed and bool(_MEASURE.search(name)) and bool(_TRANSFORMED.fullmatch(name))


def choose_content(columns: Sequence[str], name: str) -> list[int]:
    """The places of the columns that a content set has.

    Examples
    --------
    >>> names = [f"HST_{n}" for n in range(1, 25)] + [f"HMG_{n}" for n in range(25, 49)]
    >>> names += [f"AVG_{n}" for n in range(49, 73)] + [f"STD_{n}" for n in range(73, 97)]
    >>> [len(choose_content(names, name)) for name in ("A", "Aa", "B")]
    [48, 24, 96]
    """
    found = []
    for place, column in enumerate(columns):
        matched = _match_content(column)
        if not matched:
            continue
        nth = (matched[1] - 1) % 24 + 1
        corpus, queries = 7 <= nth <= 14, 15 <= nth <= 22
        if name == "B" or (matched[0] != "HMG" and not corpus and (name == "A" or queries)):
            found.append(place)
    return found


def name_motion(column: str) -> str:
    """The name of a temporal feature, which begins with its measure as our own do.

    Examples
    --------
    >>> [name_motion(name) for name in ("IDR", "log_XJac_2", "PSimRank-4", "log IGR", "IGR/IDR")]
    ['idr', 'xjaccard log_xjac_2', 'psimrank-4', 'igr log igr', 'igr/idr']
    """
    low = column.lower()
    matched = _MOTION.search(low)
    if matched is None:
        raise ValueError(f"{column}: not the name of a temporal feature")
    measure = "xjaccard" if matched[1] else "psimrank" if matched[2] else matched[0]
    return low if low.startswith(measure) else f"{measure} {low}"


def _read_arff(path: Path) -> dict[str, npt.NDArray[np.float64] | list[str | None]]:
    return read_arff(path).columns


def _relation(path: Path) -> str:
    return read_arff(path).relation


def _read_csv(path: Path) -> dict[str, npt.NDArray[np.float64] | list[str | None]]:
    wrong: list[csv.InvalidRow] = []

    def refuse(row: csv.InvalidRow) -> str:
        wrong.append(row)
        return "error"

    options = csv.ConvertOptions(null_values=["?", "", "NaN", "nan", "null"], strings_can_be_null=True)
    with explained(path, "read"):
        try:
            table = csv.read_csv(
                path, parse_options=csv.ParseOptions(invalid_row_handler=refuse), convert_options=options
            )
        except (pa.ArrowException, UnicodeDecodeError) as error:
            where = f", line {wrong[0].number}" if wrong and wrong[0].number else ""
            what = (
                f"expected {wrong[0].expected_columns} values, got {wrong[0].actual_columns}"
                if wrong
                else str(error).splitlines()[0]
            )
            raise FormatError(f"{path}{where}: {what}; the file is cut off or damaged") from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise FormatError(f"{path}: the file is cut off or damaged ({error})") from None
    found: dict[str, npt.NDArray[np.float64] | list[str | None]] = {}
    for name in table.column_names:
        column = table[name]
        is_text = pa.types.is_string(column.type)
        found[name] = column.to_pylist() if is_text else column.cast(pa.float64()).to_numpy()
    return found


def _to_ids(path: Path, column: npt.NDArray[np.float64] | list[str | None]) -> list[int]:
    numbers = np.asarray(column, np.float64) if not isinstance(column, list) else np.array([np.nan])
    if np.isnan(numbers).any() or (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        raise FormatError(f"{path}: a host id is missing or no whole number; the file is damaged")
    return [int(number) for number in numbers]
