# make detect [FILES="a b"]   set up .venv and run the command
# make test                   set up .venv and run every check: ruff, mypy, generated files, the site, the tests with both kernels
# make docs                   build the documentation: build/site/index.html
# make figures                update the figures and the list of encodings in the documentation from docs/results and the code
# make browser                install Chromium for the tests of `charlens inspect`, if possible
# make pictures               take the pictures of docs/inspect.md again
# make quick                  run the tests of the stages, the kernel and the pipeline (after changing a stage)
# make long                   run the long form of some tests: every error of every system call, forty files in the online page
# make mutants [EVERY=8]      try a list of wrong edits, each of which must make a test fail
# make mutation [COUNT=40]    try random wrong edits of stages, writers, kernel (Python and C) and inputs: how many does a test notice?
# make suites [SUITES=w3lib]  run the tests of other packages with charlens in place of their detector
# make cluster                set up an environment with Spark, Daft and Ray, and test on a local cluster
# make fuzz [SECONDS=60] [JOBS=4] [SEED=1]  fuzz: compare the kernels and check every public function on generated input
# make fuzz-native [SECONDS=60] [JOBS=2]  fuzz the C kernel with clang's libFuzzer and sanitizers
# make sanitize               run the tests of the native kernel and of models under AddressSanitizer and UndefinedBehaviorSanitizer
# make wheels                 build the source distribution and the wheels for this machine twice, and compare them
# make sdist                  unpack the source distribution, build it and run its tests
# make cross                  compile the C files for other platforms, with the cross compilers that are installed
# make emulate                run the C kernel on other processors, with the emulators that are installed
# make coverage               measure which lines of the core the tests run, with the pure kernel; less than 95 % is an error
# make release-check [SHORT=1]  run all checks in their long form, with a report: build/release/REPORT.md
# make worst [TRIES=60]       find the slowest input for each public function, and how its time grows
# make bench                  install other detectors and run the benchmarks

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
FILES ?= examples/*
# The pages with figures from docs/results.
MEASURED := docs/comparison.md docs/confidence.md docs/index.md

.PHONY: detect test lint docs figures browser pictures suite suites long cluster quick mutants mutation fuzz fuzz-native sanitize wheels sdist cross emulate coverage worst release-check bench clean

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Only the command: a few seconds and a few megabytes.
$(BIN)/charlens: pyproject.toml setup.py $(wildcard native/*) | $(BIN)/python
	$(INSTALL) '.[cli]'
	@touch $@

# Everything that the checks need, including the command.
$(VENV)/dev: pyproject.toml setup.py $(wildcard native/*) | $(BIN)/python
	$(INSTALL) '.[dev]'
	@touch $@ $(BIN)/charlens

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
	$(BIN)/python -m charlens.evaluation.comparison docs/results/html/REPORT.md docs/html.md --check
	$(BIN)/python -m charlens.evaluation.comparison docs/results/sullivan docs/sullivan.md --check
	$(BIN)/python docs/_site/terminal.py --check

# Strict: a broken link is an error. The variable silences an announcement of the theme's authors.
# The online version of `charlens inspect` needs npm and the network; without them, the site is built without it.
docs: $(VENV)/dev
	-$(BIN)/python docs/_site/try.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

figures: $(VENV)/dev
	$(BIN)/python -m charlens.encodings.reference docs/encodings.md
	$(BIN)/python -m charlens.evaluation.comparison docs/results $(MEASURED)
	$(BIN)/python -m charlens.evaluation.comparison docs/results/fresh README.md
	$(BIN)/python -m charlens.evaluation.comparison docs/results/html/REPORT.md docs/html.md
	$(BIN)/python -m charlens.evaluation.comparison docs/results/sullivan docs/sullivan.md
	$(BIN)/python docs/_site/terminal.py

# If it cannot be installed, the tests that need it are skipped with a message.
browser:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null \
		|| apt-get install -qq -y --no-install-recommends chromium \
		|| sudo -n apt-get install -qq -y --no-install-recommends chromium || echo "Chromium is missing; its tests are skipped."

pictures: $(VENV)/dev browser
	CHARLENS_PICTURES=docs/pictures $(BIN)/python -m pytest tests/test_inspect_browser.py

# Run with one kernel only: tests that write files, run the command many times or do not depend on the kernel (drop-ins,
# evaluation, documentation), and tests that compare the kernels themselves.
ONCE := architecture cli_check cli_convert cli_detect cli_editing cli_explain cli_habits cli_scan compat_chardet compat_encdect \
	compat_faces compat_others docs encodings euctw evaluation_datasets evaluation_judge evaluation_made evaluation_pages \
	evaluation_report evaluation_run faults files first_minutes inspect_browser inspector integrations_mcp journal kernel_twins \
	language_training markup_kernel native_memory recipes records saving_together site suites sullivan survives training \
	tree warc words writers
suite: $(VENV)/dev browser
	CHARLENS_KERNEL=pure $(BIN)/python -m pytest -n auto $(ONCE:%=--ignore=tests/test_%.py)
	CHARLENS_KERNEL=native $(BIN)/python -m pytest -n auto -rs
	$(BIN)/python fuzz/twins.py --inputs 1500
	$(BIN)/python fuzz/entries.py --inputs 25000
	$(MAKE) fuzz-native SECONDS=20 JOBS=1
	$(BIN)/python tests/suites/run.py --short

# Tests that the suite has only in a short form.
long: $(VENV)/dev browser
	$(BIN)/python -m pytest -n auto -m long

# In a separate environment under build/suites, with fixed versions.
suites: $(VENV)/dev
	$(BIN)/python tests/suites/run.py $(if $(SUITES),$(SUITES),--page docs/drop-ins.md)

# A separate environment: pyspark, Daft and Ray need older versions of pandas and pyarrow than the other tests.
CLUSTER := $(VENV)-cluster

$(CLUSTER)/ready: pyproject.toml setup.py $(wildcard native/*)
	test -x $(CLUSTER)/bin/python || $(PYTHON) -m venv $(CLUSTER)
	$(CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[cluster]'
	@touch $@

cluster: $(CLUSTER)/ready
	$(CLUSTER)/bin/python -m pytest tests/test_spark.py tests/test_engines.py

QUICK := architecture content declarations ebcdic escapes kernel_twins legacy markup one_pipeline signature strays structure surroundings survey \
	undecided unicode

quick: $(VENV)/dev
	$(BIN)/python -m pytest -n auto $(QUICK:%=tests/test_%.py)

mutants: $(VENV)/dev
	$(BIN)/python tests/mutants.py $(if $(EVERY),$$(seq 1 $(EVERY) $$(grep -c '^\[\[mutant' tests/mutants.toml)))

# How many random wrong edits a test notices, and which ones none does.
COUNT ?= 40
mutation: $(VENV)/dev
	$(INSTALL) '.[release]'
	$(BIN)/python tests/mutation.py --count $(COUNT) --seed $(or $(SEED),1)

SECONDS ?= 60

fuzz: $(VENV)/dev
	$(BIN)/python fuzz/twins.py --seconds $(SECONDS) --seed $(or $(SEED),1)
	$(BIN)/python fuzz/entries.py --seconds $(SECONDS) --jobs $(or $(JOBS),1) --seed $(or $(SEED),1) $(OUT:%=--out %)

# Without clang, it only prints a message.
fuzz-native: $(VENV)/dev
	$(BIN)/python fuzz/native/build.py build/fuzz
	! test -x build/fuzz/fuzz || sh build/fuzz/run.sh $(SECONDS) $(JOBS)

# The native kernel under AddressSanitizer and UndefinedBehaviorSanitizer, as Python calls it: tampered models, odd arguments.
SANITIZED := build/sanitized/src
sanitize: $(VENV)/dev
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -R src build/sanitized/
	rm -f $(SANITIZED)/charlens/kernel/_native*
	gcc -std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fPIC -shared native/*.c \
		-I$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])') \
		-o $(SANITIZED)/charlens/kernel/_native$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 CHARLENS_KERNEL=native \
		PYTHONPATH=$(SANITIZED) $(BIN)/python -m pytest tests/test_kernel_twins.py tests/test_survey.py tests/test_models.py tests/test_hardening.py tests/test_batch.py

# A source distribution, the wheel for this machine and the pure one, built twice and compared; build/wheels.
wheels: $(VENV)/dev
	$(INSTALL) '.[release]'
	$(BIN)/python release/wheels.py build/wheels

# The source distribution as it is downloaded: it builds, and its tests pass without a network.
sdist: wheels
	rm -rf build/sdist && mkdir -p build/sdist
	tar xf build/wheels/charlens-*.tar.gz -C build/sdist --strip-components=1
	cd build/sdist && $(abspath $(BIN))/python setup.py -q build_ext --inplace
	cd build/sdist && PYTHONPATH=src $(abspath $(BIN))/python -m pytest $(QUICK:%=tests/test_%.py)

# The C files for other platforms, with the compilers that are installed (Debian: gcc-mingw-w64-x86-64, musl-tools, clang …)
# and with zig, which the package index has.
CROSS := gcc clang musl-gcc x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc s390x-linux-gnu-gcc
ZIG := x86_64-macos aarch64-macos x86_64-linux-musl aarch64-linux-musl x86_64-windows-gnu aarch64-windows-gnu
# The command of a $$compiler in these lists.
COMMAND := case $$compiler in zig-*) command="$(BIN)/python -m ziglang cc -target $${compiler\#zig-}" ;; *) command=$$compiler ;; esac
C_FILES := $(filter-out native/module.c,$(wildcard native/*.c))
cross: $(VENV)/dev
	$(INSTALL) '.[release]'
	@mkdir -p build/cross
	@for compiler in $(CROSS) $(ZIG:%=zig-%); do \
		$(COMMAND); \
		if ! command -v $${command%% *} > /dev/null; then echo "$$compiler: not installed"; continue; fi; \
		for file in $(C_FILES); do \
			$$command -std=c11 -O2 -Wall -Wextra -Werror -c $$file -o build/cross/file.o || exit 1; \
		done; echo "$$compiler: compiles"; \
	done

# The C kernel on other processors and systems, in an emulator (Debian: qemu-user-static, wine, and the compilers) or directly
# (musl), on the corpus of the fuzzer.  The tables have the byte order of this machine, so a processor with the other byte
# order runs only the functions that need no table.
TABLELESS := scan scan_many damage tables disjoint find_values weigh excerpt strip_markup page_flavour find_label mentions find_charsets
EMULATED := arm64:aarch64-linux-gnu-gcc:qemu-aarch64-static s390x:s390x-linux-gnu-gcc:qemu-s390x-static \
	musl:musl-gcc:env arm64-musl:zig-aarch64-linux-musl:qemu-aarch64-static windows:x86_64-w64-mingw32-gcc:wine
emulate: $(BIN)/charlens
	$(INSTALL) '.[release]'
	$(BIN)/python fuzz/native/build.py build/fuzz
	@mkdir -p build/cross
	@for platform in $(EMULATED); do \
		name=$${platform%%:*}; runner=$${platform##*:}; compiler=$${platform#*:}; compiler=$${compiler%:*}; \
		$(COMMAND); \
		if ! { command -v $${command%% *} && command -v $$runner; } > /dev/null; then echo "$$name: not here"; continue; fi; \
		program=build/cross/replay-$$name.exe; \
		$$command -std=c11 -O2 -static $(C_FILES) fuzz/native/entries.c fuzz/native/replay.c -o $$program -lm || exit 1; \
		entries="$(TABLELESS)"; \
		test $$name = s390x || entries=$$(WINEDEBUG=-all $$runner $$program --list | tr -d '\r'); \
		for entry in $$entries; do \
			printf '%s, %s: ' $$name $$entry; \
			WINEDEBUG=-all $$runner $$program --entry=$$entry --tables=build/fuzz/tables build/fuzz/seeds/* || exit 1; \
		done; \
	done

CORE := $(QUICK) known_words platforms batch cli_check cli_convert cli_editing codec detect document encodings euctw explanation faults files hardening hints integrations integrations_mcp language library limits lines \
	markup_kernel mixed models project readers repair rewriting rules saving_together sources stream survives threads together tree viscii walks writers

# What a process imports and opens: coverage imports and opens more.
MEASURES := encodings.py::test_importing_the_tables_is_cheap integrations_mcp.py::test_only_files_in_the_folder_are_opened

# The core under the pure kernel, whose every line is Python.
coverage: $(VENV)/dev
	$(INSTALL) '.[release]'
	@mkdir -p build
	CHARLENS_KERNEL=pure $(BIN)/python -m coverage run --data-file=build/coverage -m pytest -m 'not slow and not long' $(MEASURES:%=--deselect tests/test_%) \
		$(CORE:%=tests/test_%.py)
	$(BIN)/python -m coverage combine --quiet --data-file=build/coverage build
	$(BIN)/python -m coverage report --data-file=build/coverage --fail-under=95

# The slowest input that a climb finds for each entry, and how the time grows with the size.
worst: $(VENV)/dev
	$(BIN)/python bench/worst.py $(TRIES:%=--tries %)

# Hours; SECONDS, JOBS and SEED are for the fuzzers, COUNT for the random edits. SHORT=1: at most 40 minutes.
release-check: $(VENV)/dev
	$(BIN)/python release/check.py $(if $(SHORT),--short,--seconds $(SECONDS) --count $(COUNT)) --jobs $(or $(JOBS),2) --seed $(or $(SEED),1)

bench: $(VENV)/dev
	$(INSTALL) '.[evaluate]'
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
