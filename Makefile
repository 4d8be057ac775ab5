# `make build` and `make test` need Python 3.10 or newer and nothing else; both can be run again at any time.
PYTHON ?= python3
FUZZ_MINUTES ?= 10
FUZZ_SEED ?= 1
PYTEST_ARGS ?= -n 2 --dist worksteal

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --constraint constraints.txt
LOCKED := pyproject.toml constraints.txt

# Each stamp says that what is above it in this file was installed from the files that it depends on.
RUNTIME := $(VENV)/.runtime-installed
TESTING := $(VENV)/.testing-installed
# Recalculates workbooks in the tests, as LibreOffice does: a package of npm, under GPL 3, that no other file needs and that is not passed on.
HYPERFORMULA := $(VENV)/hyperformula

.PHONY: help build site test test-all bench check format wheel clean distclean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

build: $(RUNTIME) ## write every workbook, page and module into generated/
	$(BIN)/gen build specs/

site: $(RUNTIME) ## write the pages for a browser into generated/site/
	$(BIN)/gen build specs/ --formats site

test: $(TESTING) $(HYPERFORMULA) ## run the test suite in about thirteen minutes: every spec is executed, every workbook recalculated
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# `make test-all MARK=exhaustive MINUTES=60` runs what `make test` does not, and starts no test after an hour.
test-all: $(TESTING) $(HYPERFORMULA) ## run all there is: what is slow, all sizes, all mutations
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "$(MARK)" $(if $(MINUTES),--minutes $(MINUTES))

fuzz: $(TESTING) ## draw valid specs at random and verify each for FUZZ_MINUTES, from FUZZ_SEED on
	$(BIN)/python -m tests.fuzz.run --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED)

bench: $(RUNTIME) ## print how long things take, beside what people know: docs/performance.md
	$(BIN)/python -m benchmarks.run

check: $(TESTING) ## lint, check types, and name outputs that are out of date
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/gen build specs/ --formats modules,markdown --check

format: $(TESTING) ## let ruff fix and format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

wheel: $(RUNTIME) ## build dist/archsheet-*.whl
	$(PIP) wheel --quiet --no-deps --wheel-dir dist .

clean: ## remove what was built, but not the environment
	rm -rf build dist generated/site .hypothesis .mypy_cache .pytest_cache .ruff_cache generated/.manifest.json
	if [ -d generated ]; then find generated -name '*.xlsx' ! -name bert.xlsx -delete; fi

distclean: clean ## remove the environment too
	rm -rf $(VENV)

$(RUNTIME): $(LOCKED)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed: make PYTHON=python3.12" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	@touch $@

# torch comes first and alone, so that no other package's requirement decides which build is taken. timm comes last and without its
# requirements: they are installed by then, but for torchvision, which the tests do without.
$(TESTING): $(RUNTIME)
	$(INSTALL) torch
	$(INSTALL) --editable '.[torch,dev]'
	$(INSTALL) --no-deps timm
	@touch $@

# Without npm, or where its registry cannot be reached, the tests that need it are skipped.
$(HYPERFORMULA): | $(TESTING)
	@if command -v npm >/dev/null; then mkdir -p $@ && npm install --silent --no-audit --no-fund --no-save --fetch-retries 1 --fetch-timeout 30000 --prefix $@ hyperformula@3.5.0 || rm -rf $@; \
	else echo "npm is missing: no second engine recalculates the workbooks"; fi
