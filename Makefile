# One command for each thing a developer does; each sets up what it needs in .venv.
SHELL := /bin/bash
PYTHON ?= python3
# release, debug, coverage, asan or tsan; only release is built in place.
VARIANT ?= release
# How many seeds, and whether of whole clusters or of their consensus.
SEEDS ?= $(if $(filter sanitize,$(MAKECMDGOALS)),200,100)
MODE ?= whole
# Further arguments of aeron-cluster sim.
SIM ?=
# The parts of make sanitize or coverage; by default those that are left with the present sources.
PARTS ?=
# For how many seconds a soak or a mixed run begins faults.
SECONDS ?= 600
# How many inputs make fuzz feeds to all targets together.
INPUTS ?= 1000000
# The kind of attackers: stranger, who knows the ports, or insider, who is on a member's host.
KIND ?= stranger
# A source tree of Aeron's release, for its C client and its system tests; classes of these, and which to repeat: failed or all.
AERON ?=
CLASSES ?=
AGAIN ?=
# The executable of another driver, over which they are run too.
PEER ?=
# Arguments of the mutants' runner: python -m tests.mutants --help.
MUTANTS ?=
# Processors for spinning threads, the best first; by default chosen from the machine's.
CPUS ?=
# Rates of messages a second (1000,10000), some of the suites ipc, udp, one and three ("ipc udp"), and further arguments of
# python -m benchmarks.latency: --sides, --starts, --seconds, --count, --out.
RATES ?=
ONLY ?=
LATENCY ?=
# Releases of Debian for bare systems, and their architecture: this machine's, or arm64 under an emulator.
SUITES ?= bookworm trixie
ARCH ?=
# A CPython, and the release of Debian with its sources.
VERSION ?= 3.14t
SUITE ?= forky
# The tests to run: a path, or any other arguments of pytest.
TESTS ?=
# The number of cores for tests; named tests run on one, in their order.
JOBS ?= $(if $(TESTS),0,$(shell getconf _NPROCESSORS_ONLN))
PY := .venv/bin/python
# The installed extras of pyproject.toml; the demo needs none of the tools.
EXTRAS := test lint bench
export AERON_CLUSTER_BUILD := $(VARIANT)
# A sanitizer's library is loaded first into a Python built without it, and a variant's modules
# precede those built in place, also in processes started by tests.
library = $(shell gcc -print-file-name=$(1))
VARIANT_PATH = PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/lib-$(VARIANT):$(CURDIR)"
UNDER_debug = $(VARIANT_PATH)
# An interpreter that ends frees neither modules nor their constants, so leaks are not searched; a
# missing page is its MemoryError; objects have their own memory, not a part of an arena, so that a
# step beyond one is seen.
ASAN := detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1
UBSAN := print_stacktrace=1
TSAN := history_size=7:die_after_fork=0:second_deadlock_stack=1
# A prefix of the files to which the sanitizers write what they find; by default to stderr.
REPORTS ?=
sanitizer = $(1):suppressions=$(CURDIR)/tests/sanitize/$(2).txt$(if $(REPORTS),:log_path=$(REPORTS))
UNDER_asan = PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/lib-asan:$(CURDIR):$(CURDIR)/tests/sanitize/site" \
  PYTHONMALLOC=malloc AERON_CLUSTER_HANG_SECONDS=1200 AERON_CLUSTER_REPORTS="$(REPORTS)" LD_PRELOAD="$(call library,libasan.so) $(call library,libubsan.so)" \
  ASAN_OPTIONS="$(call sanitizer,$(ASAN),asan)" UBSAN_OPTIONS="$(call sanitizer,$(UBSAN),ubsan)"
UNDER_coverage = PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/lib-coverage:$(CURDIR):$(CURDIR)/tests/coverage/site" \
  COVERAGE_PROCESS_START="$(CURDIR)/tests/coverage/coveragerc" COVERAGE_FILE="$(CURDIR)/build/coverage-data/data"
UNDER_tsan = $(VARIANT_PATH) LD_PRELOAD="$(call library,libtsan.so)" TSAN_OPTIONS="$(call sanitizer,$(TSAN),tsan)"

.PHONY: help environment build demo docs test durations confirm whole pythons interpreter chroot seeds fuzz sanitize coverage canaries mutants soak mixed hostile conformance lint bench micro latency vectors wheel clean

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## /\1 /p' Makefile | while read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

environment:
	@tools/environment.sh $(PYTHON) $(EXTRAS)

build: environment ## Compile changed modules in place, on all cores (VARIANT=asan: in build/lib-asan).
	@$(PY) setup.py -q build_ext --inplace

ifeq ($(MAKECMDGOALS),demo)
EXTRAS :=
endif
demo: build ## Run aeron-cluster demo: a node killed under load, and nothing lost.
	@$(PY) -m aeron_cluster.cli demo

ifeq ($(MAKECMDGOALS),docs)
EXTRAS := docs
endif
docs: build ## Build the documentation as a site, build/site/index.html; a warning is an error.
	@$(PY) -m sphinx --quiet --fail-on-warning --keep-going -c docs -d build/site-pages . build/site
	@echo build/site/index.html

test: build ## Run the tests (TESTS=tests/unit/memory: only those; VARIANT=asan: on that build).
	@$(UNDER_$(VARIANT)) $(PY) -m pytest -q -n $(JOBS) $(TESTS)

durations: build ## Measure each test's duration, from which runs are drawn: tests/durations.json.
	@$(PY) -m pytest -q -n $(JOBS) --junitxml=build/durations.xml tests
	@$(PY) -m tests.budget build/durations.xml

confirm: ## After a red run: repeat failed tests of real processes; they fail again or are flaky.
	@$(PY) -m tests.confirm

whole: build ## Run every test, with every case of sampled tests.
	@$(UNDER_$(VARIANT)) $(PY) -m pytest -q -n $(JOBS) --whole $(TESTS)

pythons: environment ## Build with each other installed CPython, and run the unit tests on it.
	@$(PY) -m tools.pythons

interpreter: ## Build a CPython for make pythons from Debian's sources (VERSION=3.13t SUITE=trixie; t: free-threaded).
	@tools/interpreter.sh $(VERSION) $(SUITE)

chroot: $(if $(ARCH),environment) ## Follow README and tutorial in bare Debian systems, and test wheels there (root; SUITES=bookworm, ARCH=arm64).
	@$(if $(ARCH),$(PY),$(PYTHON)) -m tools.chroot $(SUITES) $(if $(ARCH),--arch $(ARCH))

seeds: build ## Run new seeds of simulated clusters, on all cores (SEEDS=1000, MODE=consensus).
	@$(UNDER_$(VARIANT)) $(PY) -m aeron_cluster.cli sim --mode $(MODE) --seeds $(SEEDS) --steer tests/simulation/steering.json $(SIM) \
	  $(if $(UNDER_$(VARIANT)),,--record tests/simulation/record.csv)

fuzz: environment ## Feed INPUTS=1000000 damaged inputs to all parsers, under ASan; results are added up in build/fuzz.
	@$(MAKE) --no-print-directory build VARIANT=asan
	@AERON_CLUSTER_BUILD=asan $(UNDER_asan) $(PY) -m tests.fuzz --inputs $(INPUTS) --jobs $(JOBS)

sanitize: environment ## Run tests and SEEDS=200 seeds under ASan with UBSan, and threaded tests under TSan (PARTS="unit native").
	@$(PY) -m tests.sanitize --seeds $(SEEDS) --jobs $(JOBS) $(PARTS)

ifeq ($(MAKECMDGOALS),coverage)
EXTRAS := test coverage
endif
coverage: environment ## Measure lines and branches of Python and Cython that tests run: docs/coverage.md (PARTS="unit native").
	@$(PY) -m tests.coverage --jobs $(JOBS) $(PARTS)

soak: build ## Kill, pause and cut off members of a real cluster under load (SECONDS=600; links as root).
	@$(PY) -m tests.soak --seconds $(SECONDS) --record tests/soak/record.csv

mixed: build ## Java, C and our clients on our driver with kills and losses (SECONDS=600; AERON=tree for C).
	@$(PY) -m tests.mixed --seconds $(SECONDS) $(if $(AERON),--aeron $(AERON))

hostile: build ## Send hostile datagrams to a real cluster under load (SECONDS=600, KIND=insider).
	@$(UNDER_$(VARIANT)) $(PY) -m tests.hostile --seconds $(SECONDS) --kind $(KIND)

canaries: build ## Check that the seeds find every bug kept in tests/canaries, and report how.
	@$(PY) -m tests.canaries

mutants: build ## Make mistakes in copies of the sources, and find the layer that detects each (MUTANTS="--seeds-only").
	@$(PY) -m tests.mutants $(MUTANTS)

conformance: build ## Run Aeron's system tests over our driver (AERON=tree CLASSES="archive" AGAIN=failed PEER=aeronmd).
	@$(PY) -m tools.conformance $(AERON) $(CLASSES) $(if $(AGAIN),--again $(AGAIN)) $(if $(PEER),--peer $(PEER))

lint: build ## Check formats, types, stubs, generated code, hot functions and the order of folders.
	@tools/lint.sh

bench: build ## Measure: instruction counts, then ours and Java in turns.
	@$(PY) -m benchmarks

micro: build ## Time hot functions on a pinned processor; compare with the run before.
	@$(PY) -m benchmarks.micro

latency: build ## Measure latencies on pinned threads, ours, Java's and the machine's (CPUS=2,3 RATES=1000,50000 ONLY="ipc udp").
	@$(PY) -m benchmarks.latency $(if $(CPUS),--cpus $(CPUS)) $(if $(RATES),--rates $(RATES)) $(ONLY:%=--only %) $(LATENCY)

vectors: ## Generate the golden vectors again with the real Java codecs (needs a JDK 17 and Maven).
	@tests/golden/make_vectors.sh

wheel: build ## Build wheel and sdist into dist/.
	@rm -rf dist
	@$(PY) -m build --no-isolation --sdist --wheel

clean: ## Remove everything built, but not .venv.
	@rm -rf build dist wheelhouse *.egg-info
	@find aeron_cluster \( -name '*.so' -o -name '*.c' -o -name '*.html' \) -delete
