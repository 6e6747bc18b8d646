from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words

__all__ = ["LEVELS", "NUM_COUNTS", "Measures", "count_words"]

LEVELS: int
NUM_COUNTS: int

_Texts = tuple[NDArray[np.int64], NDArray[np.uint8]]
_Seen = tuple[NDArray[np.float64], NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint64], list[list[str]]]

@final
class Measures:
    def __new__(
        cls, words: NDArray[np.uint64], levels: NDArray[np.uint8], ngram: int, compression: int
    ) -> Measures: ...
    def measure(self, words: Words, titles: _Texts, texts: _Texts) -> NDArray[np.float64]: ...
    def look(self, words: Words, pages: list[tuple[str, bytes]], max_text: int) -> _Seen: ...

def count_words(words: Words, texts: _Texts) -> NDArray[np.uint32]: ...
