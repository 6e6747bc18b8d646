"""Without scikit-learn one sentence says what to install, and features still work."""

from __future__ import annotations

import subprocess
import sys


def test_a_missing_extra_is_one_sentence_and_only_learning_needs_it() -> None:
    script = (
        "import sys\n"
        "sys.modules['sklearn'] = None\n"
        "import webstrata.classify\n"
        "try:\n"
        "    from webstrata.classify import EnsembleSelection\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "MissingExtraError models are learned with sklearn, which is not installed; "
        "`pip install 'webstrata[classify]'` brings it"
    )
