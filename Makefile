# Every target is a line of the menu: what stands behind ## is shown by `make`.
PYTHON ?= python3.11
VENV   := .venv
RUN    := $(VENV)/bin/python
STAMP  := $(VENV)/.installed-for-running
TESTED := $(VENV)/.installed-for-testing
PYTEST := $(RUN) -m pytest -n auto --dist loadfile

.DEFAULT_GOAL := menu
.PHONY: menu install run test test-all lint types bench pictures check routes clean

menu: ## show this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv in this folder with everything that running needs

run: $(STAMP) ## make the database with demonstration data at the first start, then serve
	@$(RUN) -m core serve --demo

test: $(TESTED) ## install what is missing and run the tests on SQLite, without the slow ones
	@$(PYTEST) -m "not thorough" $(ARGS)

test-all: $(TESTED) ## run all tests: on every database, with several workers, in a browser, the slow ones
	@$(PYTEST) $(ARGS)

lint: $(TESTED) ## style and common mistakes (ruff)
	@$(RUN) -m ruff check . && $(RUN) -m ruff format --check .

types: $(TESTED) ## types (mypy --strict)
	@MYPYPATH=tests/samples $(RUN) -m mypy core explorer modules tests/samples/modules

bench: $(TESTED) ## measure speed against an empty falcon application in the same run
	@$(RUN) -m tests.bench $(ARGS)

pictures: $(TESTED) ## make the pictures of the README anew
	@$(RUN) -m tests.pictures

check: $(STAMP) ## load every module file apart and say what became of it
	@$(RUN) -m core check

routes: $(STAMP) ## print every route
	@$(RUN) -m core routes

clean: ## remove .venv and caches; data/ stays
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(RUN):
	@command -v $(PYTHON) >/dev/null || { echo "Comptoir needs Python 3.11 ($(PYTHON) was not found). Name another one: make PYTHON=/path/to/python"; exit 1; }
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian: apt install python3.11-venv"; exit 1; }

$(STAMP): setup.cfg $(RUN)
	@echo "Installing what Comptoir needs (about a minute) ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable . && touch $@

$(TESTED): $(STAMP)
	@echo "Installing what the tests need ..."
	@$(RUN) -m pip install -qq --disable-pip-version-check --editable '.[test,postgresql,mysql]' && touch $@
