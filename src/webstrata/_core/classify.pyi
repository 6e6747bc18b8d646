from typing import final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.web import Words

__all__ = ["LEVELS", "NUM_COUNTS", "Measures", "count_words", "hash_words"]

LEVELS: int
NUM_COUNTS: int

_Texts = tuple[NDArray[np.int64], NDArray[np.uint8]]

@final
class Measures:
    def __new__(cls, words: NDArray[np.uint64], levels: NDArray[np.uint8], ngram: int) -> Measures: ...
    def measure(self, words: Words, titles: _Texts, texts: _Texts) -> NDArray[np.float64]: ...

def count_words(words: Words, texts: _Texts) -> NDArray[np.uint32]: ...
def hash_words(words: Words, texts: _Texts) -> tuple[NDArray[np.int64], NDArray[np.uint64]]: ...
