# `make run` tries it, `make test` tests it; each sets up all it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.PHONY: run test check bench fuzz cleaning catalogue errors picture clean

run: $(VENV)/.run
	@$(BIN)/python -m cogs.websearch run

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# What .ci/run asks for beyond the tests: style, types, layers.
check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Measures what the cog costs beside what it builds on, and writes docs/benchmarks.md; takes a few minutes.
bench: $(VENV)/.test
	$(BIN)/python -m benchmarks --write docs/benchmarks.md

# Tries two hundred thousand hostile texts, addresses and answers, in five to fifteen minutes on one core, and writes the
# figures and docs/cleaning.md. SEED=… tries the examples of an earlier run again; EXAMPLES=… tries fewer or more.
fuzz: $(VENV)/.test
	PYTHONPATH=tests $(BIN)/python -m fuzz $(if $(SEED),--seed $(SEED)) $(if $(EXAMPLES),--examples $(EXAMPLES)) \
	  --write tests/fuzz/figures.toml
	$(BIN)/python tests/cleaning_page.py

# Writes docs/cleaning.md anew; a test holds it against the code.
cleaning: $(VENV)/.test
	$(BIN)/python tests/cleaning_page.py

# Writes the template of all texts anew; a test holds it against the code.
catalogue: $(VENV)/.test
	$(BIN)/python tests/catalogue.py

# Writes docs/errors.md and docs/backends.md anew; tests hold them against the tables of faults.
errors: $(VENV)/.test
	$(BIN)/python tests/error_page.py
	$(BIN)/python tests/backend_page.py

# Draws docs/pictures anew, from real runs over the loopback Discord; installs Chromium, fonts and a parser for that.
picture: $(VENV)/.test
	bash tools/pictures/install.sh
	PYTHONPATH=tests $(BIN)/python -m tools.pictures

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

# Where Node is there, also a parser of Discord's Markdown, which the tests ask what is alive in a reply.
$(VENV)/.test: $(VENV)/.run tests/oracle/package-lock.json
	$(PIP) --editable '.[test]'
	@bash tests/oracle/install.sh
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(PIP) --editable '.[test,dev]'
	@touch $@

clean:
	rm -rf $(VENV) tests/oracle/node_modules dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
