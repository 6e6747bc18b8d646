# Two targets set everything up by themselves: `make demo` and `make test`. They need Python >= 3.11,
# Rust >= 1.88, a C/C++ compiler and make, and install the rest into .venv from the locked requirements.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# it has cores to itself, and not those that make gives away
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
RUST := --release --manifest-path rust/Cargo.toml
# peers that are asked, and not measured, need not be fast: this takes a fraction of the time to compile
QUICKLY := $(if $(PEERS_UNOPTIMIZED),CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16)
# two processes more than there are cores, since much of the tests is waiting; neighbours in one process, since they
# share what they are made with
PYTEST := pytest -n $(shell expr $$(nproc) + 2) --dist worksteal
# CI=true runs all of it; a person is spared the long tests, and checks of what did not change since they passed
CI := $(filter-out 0 false,$(CI))
FAST := $(if $(CI),not slow,not slow and not long)
RUST_SOURCES := $(shell find rust/src -name '*.rs') rust/Cargo.toml rust/Cargo.lock
# with folders, since a file that was taken away is a change too; `docs` would be the target, and `docs/.` is the folder
find = $(shell find $(addsuffix /.,$(1)) -name __pycache__ -prune -o \( -type d -o $(2) \) -print)
PYTHON_READ := $(call find,src tests bench,-name '*.py*') pyproject.toml requirements/dev.txt
RUST_READ := $(call find,rust/src rust/tests $(addprefix rust/fuzz/,src seeds corpus regressions),-type f) rust/Cargo.toml rust/Cargo.lock
DOCS_READ := $(call find,docs,-type f) $(call find,src,-name '*.py') mkdocs.yml requirements/dev.txt

# Every recipe runs the package's own tools before those of the system.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# where the shell forbids it, every process of the tests would compile every module again
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test build python-test long quick coverage lint types rust-test docs slow kill fuzz hostile soak bench bench-data peers lock wheel dist clean tools

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: build ## Run the whole pipeline on the in-vitro web, then say what to try next.
	webstrata demo

# two of them at a time: a good part of what the tests do is waiting
test: build ## Lint, types, layers, stubs, Rust and Python tests, docs; with CI=true the long tests too, as CI does.
	@$(MAKE) --no-print-directory -j 2 python-test $(addprefix $(VENV)/.passed-,lint types rust-test docs)

build: $(VENV)/.built ## Build the Rust core in place.

python-test: build ## Test everything that Python reaches, but for what takes minutes, and seconds (CI=true: minutes alone).
	@python -m tests.picking --begin
	$(PYTEST) -m "$(FAST)"
	@python -m tests.picking --passed

long: build ## The tests that take seconds, whose subjects shorter ones of `make test` have too.
	$(PYTEST) -m "long and not slow"

quick: build ## The tests nearest to what changed since they passed, up to the first that fails: under a minute.
	@python -m tests.picking > $(VENV)/.picked
	@test ! -s $(VENV)/.picked || tr '\n' '\0' < $(VENV)/.picked | xargs -0 $(PYTEST) -x -q -m "$(FAST)"
	@python -m tests.picking --passed

coverage: build ## Run the tests of `make test`, and print line coverage per room; below 85 % fails.
	rm -rf .pytest_cache/coverage && mkdir -p .pytest_cache/coverage
	coverage run -m $(PYTEST) -q -m "$(FAST)" || touch .pytest_cache/coverage/failed
	ls .pytest_cache/coverage | grep -c '^data\.' > .pytest_cache/coverage/processes
	coverage combine --quiet
	coverage json --quiet -o .pytest_cache/coverage/lines.json
	python -m tests.covered .pytest_cache/coverage/lines.json $$(cat .pytest_cache/coverage/processes)
	@test ! -e .pytest_cache/coverage/failed

lint: build ## Check style and layers: ruff, import-linter, rustfmt, clippy.
	ruff format --check .
	ruff check .
	lint-imports --no-logo
	$(CARGO) fmt --manifest-path rust/Cargo.toml --check
	$(CARGO) clippy -q $(RUST) --features testing --all-targets -- -D warnings

types: build ## Check types, and the stubs against the compiled core.
	mypy
	python -m mypy.stubtest webstrata._core --mypy-config-file pyproject.toml

rust-test: tools ## Test the kernels as plain Rust.
	$(CARGO) test -q $(RUST) --no-default-features

docs: build ## Build the documentation, strictly; commands and settings are generated.
	python docs/generate.py --check
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet

slow: build ## Tests that take minutes: kill -9 sequences, large inputs, twenty times as many random ones.
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile thorough

kill: build ## Let crawls die in 250 ways (kill -9, power cuts, full disks, failing syncs) and finish them.
	python -m tests.endurance.kill --write

fuzz: build ## Fuzz what reads bytes of strangers (SECONDS=300), then files of ours, the in-vitro server and filters, a fifth of it each.
	python -m tests.fuzz.kernels --write --seconds $(or $(SECONDS),300)
	python -m tests.fuzz.files --write --seconds $$(( $(or $(SECONDS),300) / 5 ))
	python -m tests.fuzz.invitro_server --write --seconds $$(( $(or $(SECONDS),300) / 5 ))
	python -m tests.fuzz.filters --write --seconds $$(( $(or $(SECONDS),300) / 5 ))

hostile: build ## Crawl the web of traps and attacks, some minutes: what was met, how it ended, what was lost.
	python -m tests.endurance.hostile --write

soak: build ## Crawl 3 million pages (PAGES=300000 for fewer): memory, descriptors and rate must be flat.
	python -m tests.endurance.soak --pages $(or $(PAGES),3000000)

bench: build ## Every benchmark, full size: ours and the peers' in one run, one JSON line each.
	python -m bench

bench-data: build ## Make the inputs that benchmarks share, once.
	python -m bench.data

peers: tools ## Install the programs we compare with, in an environment of their own.
	$(PYTHON) -m venv .peers
	.peers/bin/python -m pip install --quiet --upgrade -r requirements/peers.txt
	@if command -v mvn > /dev/null; then \
	  mvn -q -B -f bench/peers/bubing/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/.peers/bubing && \
	  mvn -q -B dependency:copy -Dartifact=org.netpreserve:jwarc:0.31.1 -DoutputDirectory=$(CURDIR)/.peers && \
	  mvn -q -B -f bench/peers/webgraph/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/.peers/webgraph; \
	else echo "Maven is not installed: BUbiNG, jwarc and WebGraph in Java are left out"; fi
	@if command -v npm > /dev/null; then \
	  mkdir -p .peers/npm && sed '/^#/d' requirements/peers-npm.txt | while read -r package; do \
	    folder=.peers/npm/$${package%@*} && rm -rf $$folder && mkdir -p $$folder && \
	    archive=$$(npm pack --silent --pack-destination .peers/npm $$package) && \
	    tar -xzf .peers/npm/$$archive -C $$folder --strip-components 1 && rm .peers/npm/$$archive || exit 1; \
	  done; \
	else echo "npm is not installed: ReplayWeb.page is left out"; fi
	.peers/bin/webgraph --version 2> /dev/null | grep -q 'webgraph.* 0\.5\.0' || \
	  env $(QUICKLY) $(CARGO) install --quiet --locked --force --version 0.5.0 --root .peers webgraph-cli

lock: $(VENV)/.locked ## Renew requirements/dev.txt from pyproject.toml, with hashes and no addresses.
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet -o requirements/dev.txt

wheel: $(VENV)/.locked ## Build the wheel that is shipped.
	maturin build --profile dist

dist: $(VENV)/.locked ## Build wheel and source archive, and try the wheel in an environment of its own, elsewhere.
	rm -rf dist
	python -m build --no-isolation --outdir dist
	sh requirements/try-wheel.sh dist/*.whl

# A check that passed is left out of `make test` while nothing that it reads has changed. The stamp is as old as the
# beginning of the check: what is changed meanwhile is newer.
$(VENV)/.passed-lint: $(PYTHON_READ) $(RUST_READ) $(wildcard docs/*.py)
$(VENV)/.passed-types: $(PYTHON_READ)
$(VENV)/.passed-rust-test: $(RUST_READ)
$(VENV)/.passed-docs: $(DOCS_READ)
$(VENV)/.passed-%: $(VENV)/.built Makefile $(if $(CI),FORCE)
	@touch $@.begun
	@$(MAKE) --no-print-directory $*
	@mv $@.begun $@

FORCE:

clean: ## Remove everything that was made here.
	rm -rf $(VENV) .peers .bench-data soak.csv hostile.*.csv rust/target rust/fuzz/target rust/fuzz/found site dist webstrata-demo src/webstrata/*.so

tools:
	@PYTHON=$(PYTHON) sh requirements/tools.sh

# The environment is complete when its stamp is there: an interrupted install starts again.
$(VENV)/.locked: requirements/dev.txt | tools
	@echo "Setting up $(VENV) (once)"
	@rm -f $@
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.built: $(VENV)/.locked $(RUST_SOURCES) pyproject.toml
	@echo "Building the core (the first time takes some minutes)"
	@$(BIN)/maturin develop --release --features testing > $(VENV)/build.log 2>&1 || { cat $(VENV)/build.log >&2; exit 1; }
	@touch $@
