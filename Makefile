# `make` alone lists the targets. Everything runs in .venv, which `make setup` fills from requirements.lock.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory --no-builtin-rules

PYTHON ?= python3 python3.11 python3.12 python3.13 python3.14
SUITES ?= sabench evidence office
STUDIES ?= sabench evidence office
JOBS ?= 2
TESTS ?=
BENCH ?=

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
UV := uv>=0.13,<0.14

SUITE_DIRS := $(SUITES:%=data/suites/%)
SUITES_BUILT := $(SUITE_DIRS:%=%/.built)
SUITE_SOURCES := $(shell find pipeline/misstep/suites -name '*.py' 2>/dev/null) $(wildcard data/published/*)

.PHONY: help setup lock data report test check bench clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## Create .venv with the locked packages and misstep itself
	@echo "setup: $(VENV) is ready; the command is $(BIN)/misstep"

$(READY): requirements.lock pyproject.toml
	@found=; for candidate in $(PYTHON); do \
	  if $$candidate -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    found=$$candidate; break; \
	  fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "setup: needs Python 3.11 or newer with its venv module, but none of these is: $(PYTHON)." >&2; \
	  echo "setup: name one with: make setup PYTHON=/path/to/python3.11" >&2; \
	  exit 2; \
	fi; \
	echo "setup: installing the packages of requirements.lock into $(VENV), about a minute the first time"; \
	$(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || $$found -m venv --clear $(VENV); \
	echo "setup: $$($(BIN)/python --version), $$($(BIN)/python -m pip --version | cut -d' ' -f1-2)"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

lock: $(READY) ## Renew requirements.lock from pyproject.toml
	@echo "lock: resolving pyproject.toml for every platform and Python 3.11 or newer"
	@$(PIP) install '$(UV)'
	@$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --all-extras \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  | { echo '# Written by `make lock` from pyproject.toml.'; cat; } > requirements.lock.new
	@mv requirements.lock.new requirements.lock
	@echo "lock: wrote requirements.lock, $$(grep -c == requirements.lock) packages; make setup installs them"

data: $(SUITES_BUILT) ## Build the bundled suites: tasks, states and traces
	@echo "data: suites and traces are in $(SUITE_DIRS)"

.SECONDEXPANSION:
$(SUITES_BUILT): data/suites/%/.built: $(SUITE_SOURCES) $$(wildcard data/suites/$$*/*.yaml data/suites/$$*/templates/* \
  data/suites/$$*/domains/*/*.yaml data/suites/$$*/domains/*/workflows/*) | $(READY)
	@echo "data: building suite $*"
	@$(BIN)/misstep suite build $* --out data/suites/$*
	@touch $@

report: setup data ## Analyse the bundled suites: tables, figures, page, database (STUDIES='office' for one)
	@for study in $(STUDIES); do \
	  $(BIN)/misstep report data/studies/$$study.yaml; \
	  echo "report: open reports/$$study/index.html"; \
	done

test: setup ## Run the tests (TESTS=tests/test_x.py, JOBS=2)
	@echo "test: pytest on $(or $(TESTS),tests) with $(JOBS) workers"
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(TESTS)

check: setup ## Check style, formatting, types and generated files
	@echo "check: ruff, style"
	@$(BIN)/ruff check .
	@echo "check: ruff, formatting"
	@$(BIN)/ruff format --check .
	@echo "check: mypy, types"
	@$(BIN)/mypy
	@echo "check: generated files"
	@$(BIN)/misstep schema --check
	@echo "check: all fine"

bench: setup ## Measure speed and memory (BENCH='--help' for its options)
	@echo "bench: python -m bench $(BENCH)"
	@$(BIN)/python -m bench $(BENCH)

clean: ## Remove what the other targets wrote; keep .venv
	@git clean -fdXq -- reports $(SUITE_DIRS) pipeline tests
	@rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist
	@echo "clean: removed reports, $(SUITE_DIRS) as built, and caches; $(VENV) stays (rm -rf $(VENV) to start over)"
