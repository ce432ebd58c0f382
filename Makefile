# Geoid in one word each: everything here calls CMake (see CMakePresets.json) or a script.
#   make          build into build/            make demo    show it working
#   make test     build and run all tests      make bench   measure it (make chart: draw that)
#   make test-long      60,000 random kernels, 7,000 of them against pocl too; the corpus for every processor; 30,000 programs of API
#                   calls; built-in maths of all floats; 2,000,000 forged handles; 100,000 changed modules, other hostile input by the
#                   million; 1,000,000 calls of a storm, 1,000 exits in one, every failing call, 1,000 faults; all mutants (hours)
#   make test-clients   others' programs (downloads 4 GB of Python packages into build/clients)
#   make deps     install what is missing      make install PREFIX=/usr/local [DESTDIR=]
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build

.PHONY: all deps build test test-long test-clients demo bench chart install format tidy spec-coverage verify ci clean
.NOTPARALLEL:

all: build

deps:
	@scripts/deps

build:
	@command -v cmake >/dev/null && command -v ninja >/dev/null || \
	    { echo "cmake or ninja is missing: run make deps"; exit 1; }
	cmake --preset default
	cmake --build $(BUILD) -j $(JOBS)

test: deps build
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

test-long: deps build
	ctest --test-dir $(BUILD) -C long -L long --verbose --no-tests=error

test-clients: deps build
	@scripts/deps --ci
	@tests/clients/run_clients $(BUILD)

demo: deps build
	@scripts/demo $(BUILD)

chart:
	@scripts/chart $(BUILD) $(PNG)

bench: deps build
	@scripts/bench $(BUILD) $(PARTS) $(if $(ROWS),--rows $(foreach row,$(ROWS),'$(row)')) $(if $(PEERS),--peers $(PEERS))

install: build
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

format:
	@scripts/format

tidy:
	@scripts/tidy $(BUILD)

# The generated files that are committed are what the registry gives today.
verify:
	@scripts/verify

spec-coverage:
	@python3 scripts/spec_coverage.py

ci:
	@bash .ci/run

clean:
	rm -rf $(BUILD) build-*
