"""What a web was asked to be, beside what it is: settings held against measurements, each with its error.

A measure is right when it differs from its setting by no more than its error, which is three standard errors
plus a systematic part, because settings speak of what is drawn and measurements of what is left of it:

- exponents: 0.02, as sizes are ranks and not draws, and text degrees are cut at 400;
- ``content_links``: 3%, and the links that vanish because their target is away or was replaced, at most;
- shares and rates: 5% of their value, as pages that copy one another are not independent;
- ``nofollow_share``: half of the links to link farms, which are marked by their own rule.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.graph.power_law import PowerLawFit, fit_power_law

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webstrata.invitro.settings import InvitroSettings

SYSTEMATIC_EXPONENT = 0.02
SYSTEMATIC_SHARE = 0.05


@dataclass(frozen=True)
class Measure:
    """A setting, what was found, and by how much the two may differ."""

    setting: str
    what: str
    asked: float
    found: float
    error: float
    fit: PowerLawFit | None = None

    @property
    def is_within(self) -> bool:
        """Whether what was found is what was asked for, within the error."""
        return abs(self.found - self.asked) <= self.error


def measure_exponents(
    settings: InvitroSettings,
    month: int,
    *,
    sizes: NDArray[np.int64],
    in_links: NDArray[np.uint64],
    degrees: NDArray[np.uint32],
) -> list[Measure]:
    """The three exponents and the fewest links of a text; those left out of which there is too little.

    Parameters
    ----------
    settings
        What was asked for.
    month
        The month of the degrees.
    sizes
        Pages of each ordinary host, beyond its home page.
    in_links
        Links from the text of other hosts, for each ordinary host.
    degrees
        Links in the text of each page.

    Examples
    --------
    >>> from webstrata.invitro import InvitroSettings
    >>> ranks = np.arange(1, 2000)
    >>> sizes = (1e5 * ranks ** (-1 / 1.1)).astype(np.int64)
    >>> few = np.array([], dtype=np.uint32)
    >>> none = few.astype(np.uint64)
    >>> [found] = measure_exponents(InvitroSettings(), 0, sizes=sizes, in_links=none, degrees=few)
    >>> found.setting, found.is_within
    ('size_exponent', True)
    """
    found = []
    for name, what, values in (
        ("size_exponent", "pages of a host beyond its home page", sizes),
        ("in_exponent", "links to a host from the text of pages of other hosts", in_links),
        ("out_exponent", "links in the text of a page", degrees),
    ):
        fit = fit_power_law(values)
        if fit:
            error = 3 * fit.standard_error + SYSTEMATIC_EXPONENT
            found.append(Measure(name, what, getattr(settings, name), fit.exponent, error, fit))
        if fit and name == "out_exponent":
            asked = settings.content_links
            share = fit.num_values / max(int(np.count_nonzero(values)), 1)
            power = fit.exponent - 1
            chance = math.sqrt((1 - share) / fit.num_values) / power
            chance += abs(math.log(share)) / power**2 * fit.standard_error
            error = asked * (0.03 + lost_links(settings, month) + 3 * chance)
            what = "where the law of links in texts begins"
            found.append(Measure("content_links", what, asked, fit.scale, error))
    return found


def lost_links(settings: InvitroSettings, month: int) -> float:
    """Share of the links of texts that vanish until a month, at most.

    Examples
    --------
    >>> from webstrata.invitro import InvitroSettings
    >>> round(lost_links(InvitroSettings(host_absence=0.5), 0), 3)
    0.2
    """
    kept = (1 - settings.page_death_rate) ** month * (1 - settings.ephemeral_share * (month > 0))
    return 1 - kept * (1 - (1 - settings.local_share) * settings.host_absence)


def measure_pages_of(
    settings: InvitroSettings, survey: Mapping[str, Any], sizes: NDArray[np.int64]
) -> list[Measure]:
    """Shares of pages and of links that a survey of a month counts.

    Of the 16 places of a folder, the last 13 can be copies; of those that are none, each can be a variation
    or marked noindex. The settings are shares of all pages as if folders were full, so the shares found
    among the places that can be are brought to that by 13 / 16.

    Parameters
    ----------
    settings
        What was asked for.
    survey
        What the core counted.
    sizes
        Pages of the hosts that were surveyed.

    Examples
    --------
    >>> from webstrata.invitro import InvitroSettings
    >>> survey = {"copies": 120, "variations": 50, "noindex": 20, "nofollow": 3, "links": {"text": (99, 9)}}
    >>> found = measure_pages_of(InvitroSettings(), survey, np.array([1000]))
    >>> [(measure.setting, round(measure.found, 3)) for measure in found][:2]
    [('duplicate_share', 0.12), ('near_duplicate_share', 0.059)]
    """
    places = int(np.sum(sizes // 16 * 13 + np.maximum(sizes % 16 - 3, 0)))
    own = places - survey["copies"]
    links = survey["links"]["text"][0]
    spam = settings.comment_spam_share * (1 - settings.local_share) / 2
    return [
        _share(settings, "duplicate_share", "copies among pages", survey["copies"], places, part=13 / 16),
        _share(
            settings,
            "near_duplicate_share",
            "variations among pages",
            survey["variations"],
            own,
            part=13 / 16,
        ),
        _share(settings, "noindex_share", "noindex among pages", survey["noindex"], own, part=13 / 16),
        _share(
            settings, "nofollow_share", "nofollow among links of texts", survey["nofollow"], links, more=spam
        ),
    ]


def measure_hosts(settings: InvitroSettings, months: Sequence[Mapping[str, list[Any]]]) -> list[Measure]:
    """Shares and rates of hosts over the columns of all months.

    Examples
    --------
    >>> from webstrata.invitro import Web
    >>> web = Web("small")
    >>> found = measure_hosts(web.settings, [web.hosts(month) for month in range(4)])
    >>> [measure.setting for measure in found if measure.is_within]
    ['spam_share', 'mirror_share', 'host_absence', 'host_death_rate']
    """
    spam = np.array(months[0]["spam"])
    ordinary = ~spam
    number, total = int(ordinary.sum()), len(spam)
    one_farm = settings.farm_hosts / settings.hosts
    # a mirror needs a domain of its own, which five of eight hosts have
    lonely = ordinary & (np.arange(total) % 8 < 5)
    mirrors = sum(bool(name) for name in months[0]["mirror"])
    away = sum(int(np.sum(~np.array(month["present"])[ordinary])) for month in months)
    found = [
        Measure("spam_share", "hosts of link farms", settings.spam_share, float(spam.mean()), one_farm),
        _share(
            settings,
            "mirror_share",
            "hosts with a mirror, of those alone on a domain",
            mirrors,
            int(lonely.sum()),
        ),
        _share(settings, "host_absence", "hosts away, in all months", away, number * len(months)),
    ]
    if len(months) > 1:
        _, first = np.unique(np.array(months[0]["domain"])[ordinary], return_index=True)
        names = [np.array(month["name"])[ordinary][first] for month in months]
        gone = sum(int(np.sum(one != other)) for one, other in itertools.pairwise(names))
        trials = len(first) * (len(months) - 1)
        found.append(_share(settings, "host_death_rate", "domains replaced in a month", gone, trials))
    return found


def measure_survival(settings: InvitroSettings, survivors: Sequence[tuple[int, int]]) -> list[Measure]:
    """Death rate of pages and share of ephemeral places, from how many addresses live on.

    Of the pages of hosts that stay, s(L) = (1 − e) (1 − d)^L have the same address L months later; d and e
    follow from s(1) and s(2). Indexes of folders are never replaced and do not belong here.

    Parameters
    ----------
    settings
        What was asked for.
    survivors
        For 1 and 2 months: addresses that lived on, and addresses there were.

    Examples
    --------
    >>> from webstrata.invitro import InvitroSettings
    >>> settings = InvitroSettings(page_death_rate=0.1, ephemeral_share=0.2)
    >>> lived = [(round(1e6 * 0.8 * 0.9 ** lag), 10 ** 6) for lag in (1, 2)]
    >>> [round(measure.found, 2) for measure in measure_survival(settings, lived)]
    [0.1, 0.2]
    """
    if len(survivors) < 2 or not all(lived and there for lived, there in survivors[:2]):
        return []
    one, two = (lived / there for lived, there in survivors[:2])
    death = 1 - two / one
    ephemeral = 1 - one / (1 - death)
    # the ratio of two shares, each of a binomial
    error = 3 * math.sqrt(sum((1 - lived / there) / lived for lived, there in survivors[:2]))
    rates = settings.page_death_rate + settings.ephemeral_share
    return [
        Measure(name, what, getattr(settings, name), found, error + SYSTEMATIC_SHARE * rates)
        for name, what, found in (
            ("page_death_rate", "pages replaced in a month", death),
            ("ephemeral_share", "places with another page every month", ephemeral),
        )
    ]


def measure_changes(
    settings: InvitroSettings, changed: int, there: int, *, planted: int = 0
) -> list[Measure]:
    """Share of the pages that stay whose text is another one a month later.

    Pages change at rates of their own, even from 0 to twice the setting, so few pages over many months say
    less than as many pages; `planted` changes are those of events, which come on top.

    Examples
    --------
    >>> from webstrata.invitro import InvitroSettings
    >>> measure_changes(InvitroSettings(), 152, 1000)[0].is_within
    True
    """
    if not there:
        return []
    pages = there / max(settings.months - 1, 1)
    more = planted / there + 3 * settings.page_change_rate / math.sqrt(3 * pages)
    what = "pages whose text changed in a month"
    return [_share(settings, "page_change_rate", what, changed, there, more=more)]


def _share(
    settings: InvitroSettings,
    name: str,
    what: str,
    count: int,
    total: int,
    *,
    part: float = 1.0,
    more: float = 0.0,
) -> Measure:
    asked = float(getattr(settings, name))
    found = part * count / total if total else 0.0
    chance = min(asked / part, 1.0)
    error = 3 * part * math.sqrt(chance * (1 - chance) / max(total, 1)) + SYSTEMATIC_SHARE * asked + more
    return Measure(name, what, asked, found, error)
