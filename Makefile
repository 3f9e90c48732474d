# make detect [FILES="a b"]   set up and run the command
# make test                   set up and run every check: ruff, mypy, generated files, the site, the suite under each kernel
# make docs                   set up and build the site of the documentation: build/site/index.html
# make figures                put the figures of docs/results into the pages, and the encodings into theirs
# make quick                  the tests of stages, kernel and pipeline: after a change of one stage
# make mutants                wrong edits, each of which must turn a test red
# make suites [SUITES=w3lib]  the tests of other packages, with charlens in their place
# make cluster                set up an environment with Spark, Daft and Ray, and test on a cluster of this machine
# make fuzz [SECONDS=60]      the kernels against each other on made input
# make bench                  set up with the peers and measure

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FILES ?= examples/*
# The pages with places for figures out of docs/results.
MEASURED := docs/comparison.md docs/confidence.md docs/index.md

.PHONY: detect test lint docs figures suite suites cluster quick mutants fuzz bench clean

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

# The command alone: a few seconds and few megabytes.
$(BIN)/charlens: pyproject.toml setup.py $(wildcard native/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[cli]'
	@touch $@

# Everything that the checks need.
$(VENV)/dev: $(BIN)/charlens
	$(INSTALL) '.[dev]'
	@touch $@

detect: $(BIN)/charlens
	@$(BIN)/charlens detect $(FILES)

test: lint docs suite cluster

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m charlens.encodings.generate --check
	$(BIN)/python -m charlens.kernel.generate --check
	$(BIN)/python -m charlens.encodings.walks --check
	$(BIN)/python -m charlens.encodings.euctw_table --check
	$(BIN)/python -m charlens.encodings.reference docs/encodings.md --check
	$(BIN)/python -m charlens.evaluation.comparison docs/results $(MEASURED) --check
	$(BIN)/python -m charlens.evaluation.comparison docs/results/fresh README.md --check

# Strict: a link to nowhere is an error. The variable silences an announcement of the theme's authors.
docs: $(VENV)/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

figures: $(VENV)/dev
	$(BIN)/python -m charlens.encodings.reference docs/encodings.md
	$(BIN)/python -m charlens.evaluation.comparison docs/results $(MEASURED)
	$(BIN)/python -m charlens.evaluation.comparison docs/results/fresh README.md

suite: $(VENV)/dev
	CHARLENS_KERNEL=pure $(BIN)/python -m pytest -n auto
	CHARLENS_KERNEL=native $(BIN)/python -m pytest -n auto
	$(BIN)/python fuzz/twins.py --seconds 10
	$(BIN)/python tests/suites/run.py --short

# In an environment of their own under build/suites, at fixed versions.
suites: $(VENV)/dev
	$(BIN)/python tests/suites/run.py $(if $(SUITES),$(SUITES),--page docs/drop-ins.md)

# An environment of its own: pyspark, Daft and Ray take older versions of pandas and pyarrow than the other tests have.
CLUSTER := $(VENV)-cluster

$(CLUSTER)/ready: pyproject.toml setup.py $(wildcard native/*)
	test -x $(CLUSTER)/bin/python || $(PYTHON) -m venv $(CLUSTER)
	$(CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[cluster]'
	@touch $@

cluster: $(CLUSTER)/ready
	$(CLUSTER)/bin/python -m pytest tests/test_spark.py tests/test_engines.py

QUICK := architecture content declarations ebcdic escapes kernel_twins legacy markup one_pipeline signature strays structure surroundings undecided unicode

quick: $(VENV)/dev
	$(BIN)/python -m pytest -n auto $(QUICK:%=tests/test_%.py)

mutants: $(VENV)/dev
	$(BIN)/python tests/mutants.py

SECONDS ?= 60

fuzz: $(VENV)/dev
	$(BIN)/python fuzz/twins.py --seconds $(SECONDS)

bench: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[evaluate]'
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/legacy.py
	$(BIN)/python bench/damage.py
	$(BIN)/python bench/text_or_binary.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/columns.py
	$(BIN)/python bench/engines.py
	$(BIN)/python bench/warc.py

clean:
	rm -rf $(VENV) $(CLUSTER) build dist *.egg-info src/*.egg-info src/charlens/kernel/_native*.so
