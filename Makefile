# Every target is a line of the menu: what stands behind ## is shown by `make`.
# The first of these that is 3.11 or newer and can make an environment is taken; `make PYTHON=...` names another one
PYTHON ?= python3.14 python3.13 python3.12 python3.11 python3
VENV   := .venv
RUN    := $(VENV)/bin/python
STAMP  := $(VENV)/.installed-for-running
TESTED := $(VENV)/.installed-for-testing
PYTEST := $(RUN) -m pytest -n auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := menu
.PHONY: menu install run test test-all faults attack fuzz lint types bench cluster pictures papers wheel check routes clean

menu: ## show this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv in this folder with everything that running needs

run: $(STAMP) ## make the database with demonstration data at the first start, then serve
	@$(VENV)/bin/comptoir serve --demo

test: $(TESTED) ## install what is missing and run the tests on SQLite, without the slow ones
	@$(PYTEST) -m "not thorough" $(ARGS)

test-all: $(TESTED) ## run all tests: on every database, with several workers, in a browser, the slow ones
	@$(PYTEST) $(ARGS)

faults: $(TESTED) ## try kills, locks, full disks, slow clients and upgrades; print what is expected and what was seen
	@$(RUN) -m pytest -m fault -q -p tests.faults $(ARGS)

attack: $(TESTED) ## attack a real server on each database; print what was tried, what held, what got through
	@$(RUN) -m tests.attacks $(ARGS)

fuzz: $(TESTED) ## give arbitrary bytes to what reads requests and docstrings, ten minutes each; print what breaks a rule
	@nice -n 19 $(RUN) -m tests.fuzz $(ARGS)

lint: $(TESTED) ## style and common mistakes (ruff)
	@$(RUN) -m ruff check . && $(RUN) -m ruff format --check .

types: $(TESTED) ## types (mypy --strict)
	@MYPYPATH=tests/samples $(RUN) -m mypy core explorer modules tests/samples/modules

bench: $(TESTED) ## measure speed against an empty falcon application in the same run
	@$(RUN) -m tests.bench $(ARGS)

cluster: $(TESTED) ## play several hosts over PostgreSQL with a standby, and over Galera; kill parts, print what was counted
	@$(RUN) -c 'import moto, s3fs' 2>/dev/null || $(RUN) -m pip install -qq --disable-pip-version-check --editable '.[cluster]'
	@$(RUN) -m tests.cluster $(ARGS)

pictures: $(TESTED) ## make the pictures of the README anew
	@$(RUN) -m tests.pictures

papers: $(TESTED) ## make papers in which everything meets that changes how they look, in build/papers
	@$(RUN) -m tests.modules.documents.matrix build/papers $(ARGS)

wheel: $(STAMP) ## make the wheel in dist/, of what lies here now
	@rm -rf build *.egg-info; git rev-parse --short HEAD > core/commit.txt 2>/dev/null || true
	@$(RUN) -m pip wheel -q --disable-pip-version-check --no-deps --wheel-dir dist . && ls dist/*.whl; made=$$?; rm -f core/commit.txt; exit $$made

check: $(STAMP) ## load every module file apart and say what became of it
	@$(VENV)/bin/comptoir check

routes: $(STAMP) ## print every route
	@$(VENV)/bin/comptoir routes

clean: ## remove .venv, dist and caches; data/ stays
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(RUN):
	@for each in $(PYTHON); do \
	    version=$$($$each -c 'import sys; sys.version_info >= (3, 11) and print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
	    test -n "$$version" || continue; \
	    $$each -c 'import ensurepip, venv' 2>/dev/null || { bare="$$bare $$each"; continue; }; \
	    echo "Making $(VENV) with Python $$version ($$(command -v $$each)) ..."; \
	    $$each -m venv $(VENV) && exit 0; rm -rf $(VENV); exit 1; \
	done; \
	for each in $$bare; do echo "$$each cannot make a virtual environment; on Debian: apt install $$each-venv"; exit 1; done; \
	echo "Comptoir needs Python 3.11 or newer; looked for: $(PYTHON)."; \
	echo "Name another one: make PYTHON=/path/to/python"; exit 1

$(STAMP): setup.cfg $(RUN)
	@echo "Installing what Comptoir needs (about a minute) ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable . && touch $@

$(TESTED): $(STAMP)
	@echo "Installing what the tests need ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable '.[test,postgresql,mysql,redis]' && touch $@
