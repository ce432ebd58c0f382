# Short names for common tasks. Each calls CMake (see CMakePresets.json) or a script.
#   make          build into build/            make demo    show it working
#   make test     build and run all tests      make bench   measure it (make chart: draw that)
#   make test-long      takes hours: 60,000 random kernels, 7,000 of them compared with pocl; the
#                   corpus for every processor; 30,000 programs of API calls; built-in maths of all
#                   floats; 2,000,000 forged handles; 100,000 changed modules; millions of other
#                   hostile inputs; 1,000,000 calls from many threads at once, 1,000 exits during
#                   such calls; every failing call of the C library; 1,000 faults; all mutants
#   make test-clients   runs other projects' programs (downloads 4 GB of packages to build/clients)
#   make package  everything for downloading, in build-package/out: packages of Debian, a wheel, an archive
#   make dist     only the archive of the sources, in build-package/out
#   make test-package   tries these packages and the wheel in Debian 12 and 13 (as root, with the network)
#   make test-recipes   runs the recipes for CI systems in new systems of Debian (the same)
#   make test-wheel     installs the Python package as users do, and runs dpctl with it (1 GB)
#   make deps     install what is missing      make install PREFIX=/usr/local [DESTDIR=]
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build
# ccache uses the compiler's list of headers, and does not preprocess files that it lacks.
export CCACHE_DEPEND := 1

.PHONY: all deps build test test-long test-clients test-wheel demo bench chart install package dist test-package test-recipes format tidy spec-coverage verify ci clean
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

test-wheel: deps build
	@tests/packaging/run_wheel $(BUILD)

demo: deps build
	@scripts/demo $(BUILD)

chart:
	@scripts/chart $(BUILD) $(PNG)

bench: deps build
	@scripts/bench $(BUILD) $(PARTS) $(if $(SET),--set $(SET)) $(if $(ROWS),--rows $(foreach row,$(ROWS),'$(row)')) $(if $(PEERS),--peers $(PEERS))

install: build
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

# The preset package has no tests, and no paths of this machine in debug information.
package: deps
	@scripts/deps --package
	cmake --preset package
	cmake --build build-package -j $(JOBS)
	rm -rf build-package/out
	scripts/package build-package build-package/out $(PARTS)

dist:
	scripts/package --source build-package/out

test-package: package
	lintian --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog build-package/out/*.deb build-package/out/debug/*.deb
	tests/packaging/run_chroot build-package bookworm build-package/systems
	tests/packaging/run_chroot build-package trixie build-package/systems

# A later run uses the downloads in build-package/systems again.
test-recipes: package
	tests/packaging/run_recipes build-package build-package/systems

format:
	@scripts/format

tidy:
	@scripts/tidy $(BUILD)

# Checks that the committed generated files match the registry.
verify:
	@scripts/verify

spec-coverage:
	@python3 scripts/spec_coverage.py

ci:
	@bash .ci/run

clean:
	rm -rf $(BUILD) build-*
