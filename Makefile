# `make` lists each target with the text after ##.
# The first of these that is 3.11 or newer and has venv is used; `make PYTHON=...` selects another one
PYTHON ?= python3.14 python3.13 python3.12 python3.11 python3
VENV   := .venv
RUN    := $(VENV)/bin/python
STAMP  := $(VENV)/.installed-for-running
TESTED := $(VENV)/.installed-for-testing
# Without bytecode on the disk, pytest and each server that a test starts compile everything again
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(RUN) -m pytest -n auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := menu
.PHONY: menu install run test thorough test-all nightly coverage faults attack fuzz lint types bench cluster docs fonts pdfs wheel \
    check routes clean

menu: ## show this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## install Comptoir into .venv

run: $(STAMP) ## start the server; the first start creates a database with demonstration data
	@$(VENV)/bin/comptoir serve --demo

test: $(TESTED) ## run the tests on SQLite, without the slow ones
	@$(PYTEST) -m "not thorough" $(ARGS)

# These tests wait for servers, a browser and disks; one more worker than processors uses that time
thorough: $(TESTED) ## run what `.ci/run` adds: servers, a browser, and on PostgreSQL and MariaDB what they could change
	@$(PYTEST) -n $$(($$(nproc) + 1)) -m "thorough and not lasting" $(ARGS)

test-all: $(TESTED) ## run all tests on each database, also those that take long
	@$(PYTEST) --all-databases $(ARGS)

nightly: $(TESTED) ## run on every database what `.ci/run` has no time for, with new random examples; SEED=... repeats them
	@env -u PYTHONDONTWRITEBYTECODE $(RUN) -m tests.nightly $(if $(SEED),--seed $(SEED)) $(ARGS)

coverage: $(TESTED) ## run the tests of `make test`; print how many lines and branches of each package they run
	@$(PYTEST) -m "not thorough" --cov --cov-config=tests/coverage.cfg --cov-report= $(ARGS); status=$$?; $(RUN) -m tests.covered && exit $$status

faults: $(TESTED) ## test kills, locks, full disks, slow clients and upgrades; print expected and actual behaviour
	@$(RUN) -m pytest -m fault -q -p tests.faults $(ARGS)

attack: $(TESTED) ## attack a running server on each database; print which attacks failed and which succeeded
	@$(RUN) -m tests.attacks $(ARGS)

fuzz: $(TESTED) ## fuzz the parsers of requests for ten minutes each; print broken rules
	@nice -n 19 $(RUN) -m tests.fuzz $(ARGS)

lint: $(TESTED) ## check style and common mistakes (ruff)
	@$(RUN) -m ruff check . && $(RUN) -m ruff format --check .

types: $(TESTED) ## check types (mypy --strict)
	@MYPYPATH=tests/samples $(RUN) -m mypy core explorer modules tests/samples/modules

bench: $(TESTED) ## measure speed, next to that of an empty falcon application
	@$(RUN) -m tests.bench $(ARGS)

cluster: $(TESTED) ## start two hosts on PostgreSQL with a standby; kill the primary and a host, print what was lost
	@$(RUN) -m tests.cluster $(ARGS)

docs: $(TESTED) ## write the pages that are generated from the code: settings, limits, names of core
	@$(RUN) -m tests.docs

fonts: $(TESTED) ## make the fonts of PDFs from those of pymupdf-fonts, without hinting
	@$(RUN) -m tests.modules.documents.layout.plain_fonts

pdfs: $(TESTED) ## print sample PDFs with every combination that affects their layout, in build/pdfs
	@$(RUN) -m tests.modules.documents.matrix build/pdfs $(ARGS)

wheel: $(STAMP) ## build a wheel of this checkout in dist/
	@rm -rf build *.egg-info; git rev-parse --short HEAD > core/commit.txt 2>/dev/null || true
	@$(RUN) -m pip wheel -q --disable-pip-version-check --no-deps --wheel-dir dist . && ls dist/*.whl; made=$$?; rm -f core/commit.txt; exit $$made

check: $(STAMP) ## load every module file and show errors
	@$(VENV)/bin/comptoir check

routes: $(STAMP) ## list every route
	@$(VENV)/bin/comptoir routes

clean: ## remove .venv, dist and caches, but not data/
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(RUN):
	@for each in $(PYTHON); do \
	    version=$$($$each -c 'import sys; sys.version_info >= (3, 11) and print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
	    test -n "$$version" || continue; \
	    $$each -c 'import ensurepip, venv' 2>/dev/null || { bare="$$bare $$each"; continue; }; \
	    echo "Creating $(VENV) with Python $$version ($$(command -v $$each)) ..."; \
	    $$each -m venv $(VENV) && exit 0; rm -rf $(VENV); exit 1; \
	done; \
	for each in $$bare; do echo "$$each can't create a virtual environment; on Debian, run: apt install $$each-venv"; exit 1; done; \
	echo "No Python 3.11 or newer found; tried: $(PYTHON)."; \
	echo "Select one: make PYTHON=/path/to/python"; exit 1

$(STAMP): setup.cfg $(RUN)
	@echo "Installing Comptoir (about a minute) ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable . && $(RUN) -m compileall -q core explorer modules && touch $@

$(TESTED): $(STAMP)
	@echo "Installing the test dependencies ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable '.[test,postgresql,mysql,redis]' && touch $@
