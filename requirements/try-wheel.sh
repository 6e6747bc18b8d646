#!/bin/sh
# Installs a wheel into a new environment outside the checkout, and runs the pipeline there: first without
# extras, where what lacks one must say so in a sentence, then with those that the demo takes.
#   sh requirements/try-wheel.sh dist/webstrata-0.1.0-….whl
set -eu
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
${PYTHON:-python3} -m venv "$place/venv"
install() { "$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$1"; }
webstrata() { "$place/venv/bin/webstrata" "$@"; }

# what needs an extra that is not there ends with exit code 2 and the command that brings it
lacks() {
    extra=$1
    shift
    status=0
    said=$(webstrata "$@" 2>&1) || status=$?
    case "$status $said" in
    "2 "*"pip install 'webstrata[$extra]'"*) ;;
    *)
        echo "webstrata $* without [$extra] ended with $status and said: $said" >&2
        exit 1
        ;;
    esac
}

cd "$place"
unset PYTHONPATH
install "$wheel"
webstrata --version
webstrata --help > help.txt
webstrata new bare
webstrata crawl bare 2026-01 --invitro tiny
webstrata run bare --first graph --off report > run.txt
lacks plots report bare
lacks search search evaluate bare --truth
lacks classify classify experiment bare --labels truth
install "$wheel[plots,search,classify]"
webstrata demo --preset tiny
test -s webstrata-demo/web/reports/report.html
echo "$(basename "$wheel") installs and runs."
