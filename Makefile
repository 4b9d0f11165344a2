# Thin front of CMake. Two commands on a fresh machine: `make demo` and `make test`.
BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
DEMO ?= examples/contact/pile/scene.json

.PHONY: all verification mpi demo build python check test test-asan test-long mutants conformance bench install dist deb format docs tutorials gallery viewer clean deps
all: build

deps:
	@scripts/install-deps

build: deps
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS) > $(BUILD).log 2>&1 \
	  || { mkdir -p $(BUILD); cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) $(if $(TARGET),--target $(TARGET))

# The same with the module for PETSc and MPI (docs/cluster.md), in build-mpi.
mpi:
	@scripts/install-deps --mpi
	@$(MAKE) --no-print-directory build BUILD=build-mpi CMAKE_FLAGS="-DABUT_MPI=ON $(CMAKE_FLAGS)"

# The Python package in build/python, for Debian's Python and NumPy.
python: deps
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DABUT_PYTHON=ON $(CMAKE_FLAGS) > $(BUILD).log 2>&1 \
	  || { mkdir -p $(BUILD); cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target abut_python
	@echo "Try it: PYTHONPATH=$(BUILD)/python /usr/bin/python3 python/examples/drop.py"

# Runs a real simulation, checks all its frames, and draws the last one.
demo:
	@$(MAKE) --no-print-directory build TARGET=abut
	$(BUILD)/abut run $(DEMO) -o $(BUILD)/demo
	$(BUILD)/abut verify $(BUILD)/demo
	$(BUILD)/abut render $(BUILD)/demo -o $(BUILD)/demo/last.png --camera 30,28,1
	@echo
	@echo "Look at $(BUILD)/demo/last.png (picture), $(BUILD)/demo/steps.csv (one row per step),"
	@echo "$(BUILD)/demo/run.json (summary) and $(BUILD)/demo/frames/frames.pvd (open in ParaView)."

# What costs seconds is looked at before what costs minutes.
check: deps
	@scripts/check-includes
	@scripts/check-constants
	@scripts/check-format
	@scripts/check-requirements
	@scripts/check-sizes
	@scripts/check-words

test: check build
	ctest --test-dir $(BUILD) -L quick -j $(JOBS) --output-on-failure

test-asan: deps
	cmake --preset asan -G Ninja > build-asan.log 2>&1 || { cat build-asan.log; exit 1; }
	cmake --build build-asan -j $(JOBS)
	ctest --test-dir build-asan -L quick -j $(JOBS) --output-on-failure

test-long: build viewer
	ctest --test-dir $(BUILD) -L long --output-on-failure

# Breaks the sources one line at a time: do the tests notice? (tests/mutants/README.md)
MUTANTS ?=
mutants: build
	@scripts/mutants $(BUILD) $(MUTANTS)

# All cases of the verification manual; VERIFY=--write renews docs/verification.
VERIFY ?=
verification: build
	@scripts/verify-cases $(BUILD) $(VERIFY)

conformance: build
	@tests/conformance/run $(BUILD)/abut

bench: build
	@bench/run $(BUILD)

# Builds what it installs, and nothing else.
install:
	@$(MAKE) --no-print-directory build TARGET=abut_installed
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

# The source archive with the built page of the viewer (docs/versions.md).
dist: viewer
	@scripts/make-dist $(BUILD) $(BUILD)/viewer/index.html

# Debian packages in build/deb, for processors of the kind that Debian supports.
DEB_FLAGS ?= $(if $(filter x86_64,$(shell uname -m)),-DABUT_ARCH=x86-64)
DEB_HARDEN = -Wl,-z,relro,-z,now
deb: viewer
	@$(MAKE) --no-print-directory build BUILD=build-deb TARGET=abut_installed \
	  CMAKE_FLAGS="-DABUT_TESTS=OFF -DABUT_BENCH=OFF -DABUT_PYTHON=ON \
	    -DCMAKE_INSTALL_LIBDIR=lib/$(shell gcc -dumpmachine) -DCMAKE_C_FLAGS=-D_FORTIFY_SOURCE=2 \
	    -DCMAKE_SHARED_LINKER_FLAGS=$(DEB_HARDEN) -DCMAKE_MODULE_LINKER_FLAGS=$(DEB_HARDEN) \
	    -DCMAKE_EXE_LINKER_FLAGS=$(DEB_HARDEN) $(DEB_FLAGS) $(CMAKE_FLAGS)"
	@mkdir -p build-deb/viewer && cp $(BUILD)/viewer/index.html build-deb/viewer/index.html
	@scripts/make-deb build-deb $(BUILD)/deb

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

# The guide as web pages in build/docs; installs pandoc when it is missing.
docs:
	@scripts/generate-gallery
	@scripts/generate-benchmarks
	@scripts/build-docs $(BUILD)/docs

# A still and a film of every example, and a page that plays them, in build/gallery. GALLERY="--only thin --seconds 60"
GALLERY ?=
gallery:
	@$(MAKE) --no-print-directory build TARGET=abut
	@scripts/make-gallery $(BUILD) $(BUILD)/gallery $(GALLERY)

# The pictures of docs/tutorials, from its scenes.
tutorials:
	@$(MAKE) --no-print-directory build TARGET=abut
	@scripts/make-tutorials $(BUILD)

# The page of `abut view` in build/viewer; installs node and npm when they are missing.
viewer:
	@scripts/build-viewer $(BUILD)/viewer

clean:
	rm -rf build build-asan build-debug build*.log
