# Targets: run, test, check, bench, soak, fuzz, docs, audit. Everything installs into .venv first; only
# Python >= 3.11 is needed.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python

# run: start the board on the demo data (or on your own: make run ARGS="--logs /path/to/logs")
.PHONY: run
run: $(VENV)/.installed
	$(PY) -m app $(or $(ARGS),--demo)

# test: every suite this machine allows; names each suite not run and why
.PHONY: test
test: $(VENV)/.installed-dev
	$(PY) -m tests.run_suites

# check: formatting rules and types only
.PHONY: check
check: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

# bench: measurements as ratios within one run; nothing here is a pass or a failure
.PHONY: bench
bench: $(VENV)/.installed-bench
	$(PY) -m tests.bench

# soak: many pages polling a board of live runs for minutes
.PHONY: soak
soak: $(VENV)/.installed-dev
	$(PY) -m tests.bench.soak

# fuzz: damaged folders by chance for minutes; prints the numbers of those that fail
.PHONY: fuzz
fuzz: $(VENV)/.installed-dev
	$(PY) -m tests.bench.fuzz $(ARGS)

# docs: what is made from the code (docs/cli.md)
.PHONY: docs
docs: $(VENV)/.installed
	$(PY) -m app.cli_reference > docs/cli.md

# audit: known vulnerabilities of the locked packages; a package that cannot be looked up is a failure.
# Not asked about: diskcache, see SECURITY.md
.PHONY: audit
audit: $(VENV)-audit/.installed
	$(VENV)-audit/bin/pip-audit --strict --disable-pip --no-deps --requirement requirements.lock \
	    --ignore-vuln CVE-2025-69872 --ignore-vuln GHSA-w8v5-vhqr-4h9v

$(VENV)-audit/.installed:
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint requirements.lock -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint requirements.lock -e .[dev]
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint requirements.lock -e .[dev,bench]
	touch $@
