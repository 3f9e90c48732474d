# make detect [FILES="a b"]   set up and run the command
# make test                   set up and run every check: ruff, mypy, generated files, the suite under each kernel
# make bench                  set up with the peers and measure

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FILES ?= examples/*

.PHONY: detect test lint suite bench clean

$(BIN)/charlens: pyproject.toml setup.py $(wildcard native/*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

detect: $(BIN)/charlens
	@$(BIN)/charlens detect $(FILES)

test: lint suite

lint: $(BIN)/charlens
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m charlens.encodings.generate --check
	$(BIN)/python -m charlens.encodings.walks --check
	$(BIN)/python -m charlens.encodings.euctw_table --check

suite: $(BIN)/charlens
	CHARLENS_KERNEL=pure $(BIN)/python -m pytest
	CHARLENS_KERNEL=native $(BIN)/python -m pytest

bench: $(BIN)/charlens
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[evaluate]'
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/text_or_binary.py
	$(BIN)/python bench/pages.py

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info src/charlens/kernel/_native*.so
