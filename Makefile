# Every target makes the .venv it needs. `make demo` and `make check` are all that most people need.

VENV := .venv
BIN := $(VENV)/bin
# The first interpreter that is new enough and able to make a virtual environment; give your own with PYTHON=...
NEW_ENOUGH := import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for each in python3 python3.11 python3.12 python3.13 python3.14; do \
	"$$each" -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && { echo "$$each"; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet
PROGRAM := $(VENV)/.program-installed
TOOLS := $(VENV)/.tools-installed
SCHEMA := from sqlite_utils import Database; \
	from adjudicate.storage.migrations import migrations, schema_sql; \
	db = Database(memory=True); migrations.apply(db); print(schema_sql(db), end="")

.PHONY: help demo test check lint simulate mutate coverage-table support-matrix bench schema pictures clean
.DELETE_ON_ERROR:

help:
	@echo "make demo      open the demo workspace (without a terminal: print its report)"
	@echo "make test      run the tests"
	@echo "make check     run everything that CI runs: linter, types, import contracts, tests"
	@echo "make simulate  run the full-size versions of the simulated tests (minutes to hours)"
	@echo "make mutate    import 2,000 randomly damaged logs (minutes; part of simulate)"
	@echo "make coverage-table  write docs/coverage.md from the coverage studies (minutes)"
	@echo "make support-matrix  write what becomes of every reference log into docs/formats.md"
	@echo "make bench     measure speed against peers"
	@echo "make schema    write db/schema.sql from the migrations"
	@echo "make pictures  draw the pictures of docs/ from the real screens"
	@echo "make clean     remove the environment and all that was built"

demo: $(PROGRAM)
	@$(BIN)/adjudicate demo

test: $(TOOLS)
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

check: lint test

lint: $(TOOLS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

simulate: $(TOOLS)
	$(BIN)/python -m pytest -m slow --timeout 0

mutate: $(TOOLS)
	$(BIN)/python -m pytest -m slow --timeout 0 tests/formats/test_mutated_files.py

coverage-table: $(TOOLS)
	$(BIN)/python docs/make_coverage_table.py

support-matrix: $(TOOLS)
	$(BIN)/python docs/make_support_matrix.py

bench: $(TOOLS)
	@for each in tests/performance/bench_*.py; do echo "== $$each"; $(BIN)/python "$$each" || exit 1; done

schema: $(TOOLS)
	$(BIN)/python -c '$(SCHEMA)' > db/schema.sql.part
	mv db/schema.sql.part db/schema.sql

pictures: $(TOOLS)
	$(BIN)/python docs/make_pictures.py

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find adjudicate tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(PROGRAM): pyproject.toml
	@test -n "$(PYTHON)" || { echo "adjudicate needs Python 3.11 or newer with venv; name one with 'make PYTHON=...'" >&2; exit 1; }
	@echo "Setting up $(VENV) (once, about a minute) ..." >&2
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(TOOLS): $(PROGRAM)
	@echo "Installing the tools for tests ..." >&2
	@$(PIP) --editable '.[dev]'
	@touch $@
