#!/bin/sh
# Installs a wheel into a new environment outside the checkout, and runs the pipeline there.
#   sh requirements/try-wheel.sh dist/webstrata-0.1.0-….whl
set -eu
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
${PYTHON:-python3} -m venv "$place/venv"
"$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel[plots,search,classify]"
cd "$place"
unset PYTHONPATH
"$place/venv/bin/webstrata" --version
"$place/venv/bin/webstrata" demo --preset tiny
test -s webstrata-demo/web/reports/report.html
echo "$(basename "$wheel") installs and runs."
