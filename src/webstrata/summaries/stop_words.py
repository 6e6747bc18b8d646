"""Words that say little about a page, and are left out of its summary.

``en`` names the list of this module, ``none`` no list, and everything else is a file with a word a line; what
stands behind a ``#`` or a ``|`` is a comment, so that the lists of Snowball can be used as they are.
"""

from __future__ import annotations

import re
from pathlib import Path

from webstrata.collection.files import explained
from webstrata.errors import FormatError

ENGLISH = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each else etc ever few for from further
    get had has have having he her here hers herself him himself his how however i if in into is it its itself
    just least let like may me might more most much must my myself neither no nor not now of off often on once
    one only or other others our ours ourselves out over own per quite rather same shall she should since so
    some such than that the their theirs them themselves then there therefore these they this those through
    thus to too under until up upon us very was we were what when where whether which while who whom whose why
    will with within without would yes yet you your yours yourself yourselves
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's here's how's i'd
    i'll i'm i've isn't it's let's mustn't shan't she'd she'll she's shouldn't that's there's they'd they'll
    they're they've wasn't we'd we'll we're we've weren't what's when's where's who's why's won't wouldn't
    you'd you'll you're you've
    """.split()
)


def read_stop_words(name: str) -> list[str]:
    r"""The words of a list: ``en``, ``none``, or a file.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "words.txt"
    >>> _ = path.write_text("fish\nThe  | an article\n\n")
    >>> read_stop_words(str(path)), read_stop_words("none"), "because" in read_stop_words("en")
    (['fish', 'the'], [], True)
    """
    if name == "none":
        return []
    if name == "en":
        words = set(ENGLISH)
    else:
        path = Path(name)
        with explained(path, "read stop words"):
            data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path}: byte {error.start} is no UTF-8; stop words are a text file with a word a line"
            ) from error
        lines = (re.split("[#|]", line, maxsplit=1)[0].split() for line in text.splitlines())
        words = {word.casefold() for line in lines for word in line}
    # both apostrophes are in use
    return sorted(words | {word.replace("'", "’") for word in words})
