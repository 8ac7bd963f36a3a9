# A thin front: every target calls a script or CMake.
.DEFAULT_GOAL := help
.PHONY: help demo tutorial check test sanitize everything package python python-docs python-asan web bench \
        bench-compare replay-compare build gin plots format lint clean

# What `make test` builds and runs; empty for release.  For instance: make test PRESETS=tsan
PRESETS ?=
# What `make bench` and `make bench-compare` run; empty for their defaults.
WORKLOADS ?=
# Extra arguments for CMake when it configures.
CMAKE_ARGS ?=
export CMAKE_ARGS

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build  ## install what it takes, build the program, show it at work
	@scripts/demo.sh

tutorial: build  ## run every command of docs/tutorial.md, with times
	@scripts/setup.sh tutorial
	@/usr/bin/python3 -B tests/cli/tutorial/run.py --times

check:  ## build and run the release tests that take no long time; the last line counts passed and failed
	@scripts/setup.sh test
	@scripts/run_tests.sh --quick

test:  ## build and run every test; the last line counts passed and failed (PRESETS=debug: another build)
	@scripts/setup.sh test
	@scripts/run_tests.sh $(PRESETS)

sanitize:  ## the tests of the product again, by clang with sanitizers, and a short fuzz run
	@scripts/setup.sh test fuzz
	@scripts/run_tests.sh --fuzz dev

everything: test sanitize  ## both, one after the other: what has to pass before a change lands

package:  ## build Debian packages of the program and of the library: build/release/packages
	@scripts/setup.sh package
	@scripts/package.sh

python:  ## build a wheel of the Python package into build/python
	@scripts/setup.sh python
	@rm -rf build/lib.*
	@/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/python .
	@ls build/python/*.whl

python-docs:  ## make the reference of the Python package by Sphinx: build/python-docs/html/index.html
	@scripts/setup.sh python
	@scripts/python_docs.sh

python-asan:  ## run the tests of the Python package with library and binding under AddressSanitizer
	@scripts/setup.sh python
	@scripts/python_asan.sh

web:  ## build the page of the service again into web/dist, which is committed
	@scripts/setup.sh web
	@scripts/build_web.sh

bench:  ## measure speed and memory beside NumPy and scikit-learn; fails if a target is missed (WORKLOADS="load")
	@scripts/setup.sh bench
	@scripts/bench.sh $(WORKLOADS)

bench-compare:  ## is this tree slower than main? (BASE=REF FACTOR=1.25 ROUNDS=5 WORKLOADS=...)
	@scripts/setup.sh bench
	@scripts/bench_compare.sh $(WORKLOADS)

replay-compare:  ## are results equal bit for bit to those of version 0.1? (BASE=REF: of that commit)
	@scripts/setup.sh bench
	@scripts/replay_compare.sh

build:  ## build the program and the laboratory beside it: build/release/apps/unscatter/unscatter
	@scripts/setup.sh demo
	@scripts/build_program.sh

gin:  ## the same with the GIN baseline of the experiments (libtorch): build/gin/apps/unscatter/unscatter
	@scripts/setup.sh gin
	@scripts/build_program.sh gin

plots:  ## draw what `unscatter experiment` left in experiments/results into experiments/figures
	@scripts/setup.sh plots
	@/usr/bin/python3 -B experiments/plot.py
	@/usr/bin/python3 -B experiments/readme_figure.py
	@/usr/bin/python3 -B experiments/everyone_figure.py
	@/usr/bin/python3 -B experiments/accuracy_table.py

format:  ## format every C++ file in place
	@scripts/setup.sh lint
	@scripts/format.sh

lint:  ## check format, clang-tidy, layers, references, README, tests and shell scripts
	@scripts/setup.sh lint
	@scripts/lint.sh

clean:  ## delete everything that was built
	@rm -rf build
