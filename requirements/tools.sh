#!/bin/sh
# Says in one sentence which tool is missing or too old; run by make before anything else.
fail() { echo "webstrata: $*" >&2; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

have "$PYTHON" || fail "$PYTHON is not installed; install Python 3.11 or later, or name one: make PYTHON=/path/to/python"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$PYTHON is $("$PYTHON" -V 2>&1), and 3.11 or later is needed: make PYTHON=/path/to/python"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$PYTHON cannot make virtual environments; install its venv module (Debian: apt-get install python3-venv)"
have cargo && have rustc || fail "Rust is not installed; install rustc and cargo 1.88 or later (rustup is the usual way)"
version=$(rustc --version | cut -d ' ' -f 2)
minor=$(echo "$version" | cut -d . -f 2)
[ "$minor" -ge 88 ] || fail "rustc is $version, and 1.88 or later is needed: rustup update stable"
have cc || fail "there is no C compiler; install gcc or clang (Debian: apt-get install build-essential)"
have c++ || fail "there is no C++ compiler; install g++ or clang (Debian: apt-get install build-essential)"
