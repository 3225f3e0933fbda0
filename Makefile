# Thin front end to CMake.  `make help` lists the targets.

MAKEFLAGS += --no-print-directory

BUILD    := build
JOBS     := $(shell nproc 2>/dev/null || echo 2)
PACKAGES := build-essential cmake pkg-config libopenblas-dev liblapacke-dev libsuitesparse-dev \
            libcmocka-dev libmatio-dev gnuplot-nox

PYTHON_PACKAGES := python3-dev python3-numpy python3-scipy python3-venv python3-pytest \
                   python3-setuptools python3-wheel python3-sympy

DRIFT = pendulum --method radau-iia-3 --rtol 1e-6 --atol 1e-6 --plot-unprojected
DEMO  = $(BUILD)/keel run $(DRIFT) --plot $(BUILD)/pendulum.svg && \
        $(BUILD)/keel run $(DRIFT) --quiet --plot $(BUILD)/pendulum.png && \
        ls -l $(BUILD)/pendulum.svg $(BUILD)/pendulum.png

# $(call configure,DIRECTORY,OPTIONS): configure and build.
configure = cmake -S . -B $(1) $(2) && cmake --build $(1) -j$(JOBS)
# $(call check,DIRECTORY,OPTIONS): run the tests, keep their output for the summary.
check = ctest --test-dir $(1) --output-on-failure -j$(JOBS) -O $(1)/ctest.log $(2)

all: build                   ## library, command, examples and tests (default)

build: packages              ##
	$(call configure,$(BUILD))

demo: packages               ## a pendulum without drift: residuals, and a picture of both
	cmake -S . -B $(BUILD) && cmake --build $(BUILD) -j$(JOBS) --target keel_command
	@$(DEMO)

test: PACKAGES += $(PYTHON_PACKAGES)
test: build                  ## all tests, then the fast ones under the sanitizers
	$(call check,$(BUILD))
	$(MAKE) sanitize
	@echo; for d in $(BUILD) $(BUILD)-sanitize; do echo "$$d: `grep 'tests passed' $$d/ctest.log`"; done

sanitize: packages           ## tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call configure,$(BUILD)-sanitize,-DKEEL_SANITIZE=ON)
	$(call check,$(BUILD)-sanitize,-LE slow)

tsan: packages               ## solvers in several threads under ThreadSanitizer
	cmake -S . -B $(BUILD)-tsan -DKEEL_SANITIZE=thread
	cmake --build $(BUILD)-tsan -j$(JOBS) --target test_integrate_threads test_integrate_identity \
	    test_sweep_sweep
	OPENBLAS_NUM_THREADS=1 $(call check,$(BUILD)-tsan,-R 'integrate/(threads|identity)|sweep/sweep')

# The corpus grows in $(BUILD)-fuzz/corpus; what is worth keeping is copied to test/fuzz/corpus.
FUZZED  := method_file method_name option number arguments model
SECONDS := 60
fuzz: PACKAGES += clang
fuzz: packages               ## feed the readers with wrong input, SECONDS=60 for each
	cmake -S . -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang -DKEEL_FUZZ=ON -DBUILD_TESTING=OFF
	cmake --build $(BUILD)-fuzz -j$(JOBS) --target $(FUZZED:%=fuzz_%)
	@cd $(BUILD)-fuzz && for reader in $(FUZZED); do mkdir -p corpus/$$reader; echo "$$reader"; \
	    OPENBLAS_NUM_THREADS=1 fuzz/fuzz_$$reader -max_total_time=$(SECONDS) -timeout=20 -close_fd_mask=3 \
	        -max_len=4000 -print_final_stats=1 corpus/$$reader $(CURDIR)/test/fuzz/corpus/$$reader \
	        >fuzz-$$reader.log 2>&1 || { tail -40 fuzz-$$reader.log; exit 1; }; \
	    grep -h 'executed_units' fuzz-$$reader.log; done

# Mutations of the corpus by number, the same in each run: MUTATIONS=1000000 is what models are held to.
MUTATIONS := 1000000
fuzz-models: packages        ## MUTATIONS mutated models under the sanitizers
	cmake -S . -B $(BUILD)-sanitize -DKEEL_SANITIZE=ON
	cmake --build $(BUILD)-sanitize -j$(JOBS) --target fuzz_model
	cd $(BUILD)-sanitize && OPENBLAS_NUM_THREADS=1 fuzz/fuzz_model $(CURDIR)/test/fuzz/corpus/model $(MUTATIONS)

valgrind: PACKAGES += valgrind
valgrind: build              ## tests under valgrind (which lacks 80-bit numbers: not the analyses)
	@for t in $(BUILD)/test/test_*; do \
	    case $$t in *_slow|*_method_analysis|*_method_general_analysis) continue;; esac; echo "$$t"; \
	    OPENBLAS_NUM_THREADS=1 valgrind -q --leak-check=full --error-exitcode=1 $$t \
	        >$(BUILD)/valgrind.log 2>&1 || { cat $(BUILD)/valgrind.log; exit 1; }; \
	done

coverage: PACKAGES += gcovr
# where the objects of src/ are; those of the tests would take minutes to read
coverage: COUNTED = $(patsubst %,$(BUILD)-coverage/CMakeFiles/keel_%.dir,objects command_parts command)
coverage: packages           ## lines and branches of src/ that the tests execute
	$(call configure,$(BUILD)-coverage,-DKEEL_COVERAGE=ON)
	$(call check,$(BUILD)-coverage)
	gcovr --root . --filter src/ $(COUNTED)
	gcovr --root . --filter src/ --branches --exclude-unreachable-branches \
	      --exclude-throw-branches $(COUNTED)

mutations: packages          ## wrong lines in a copy of src/, one at a time: do the tests notice?
	test/mutations/run.sh -b $(BUILD)

bench: PACKAGES += libsundials-dev valgrind python3-scipy
# A problem, of the sweep; 40 take an hour.
TOLERANCES ?= 20
# Keel without vector kernels, as the other codes are compiled.
PLAIN = cmake -S . -B $(BUILD)-plain -DBUILD_BENCH=ON -DBUILD_TESTING=OFF -DKEEL_PYTHON=OFF \
            -DKEEL_WITH_MODELS=OFF -DKEEL_PLAIN_KERNELS=ON >$(BUILD)/plain.log && \
        cmake --build $(BUILD)-plain -j$(JOBS) --target bench_run_one >>$(BUILD)/plain.log
bench: packages              ## compare with other codes: digits, work, instructions, a picture
	$(call configure,$(BUILD),-DBUILD_BENCH=ON)
	@bench/work_precision.sh -b $(BUILD); echo
	@test ! -x $(BUILD)/bench/beside_ida || $(BUILD)/bench/beside_ida; echo
	@test ! -x $(BUILD)/bench/run_sundials || bench/bdf_beside_ida.sh -q -b $(BUILD); echo
	@bench/instructions.sh -b $(BUILD); echo
	@bench/picture.sh -b $(BUILD) $(BUILD)/work-precision.svg $(BUILD)/work-precision.png
	@bench/instructions.sh -b $(BUILD) -m radau-iia -t "1e-6 1e-8" slider-crank fekete transistor-amplifier \
	    nand-gate; echo
	@bench/creation.sh -b $(BUILD) | head -12; bench/creation.sh -b $(BUILD) radau-iia-9; echo
	@bench/auto.sh -b $(BUILD); echo
	@bench/sweep.sh -b $(BUILD) -n $(TOLERANCES); echo
	@test ! -x $(BUILD)/bench/run_sundials || { $(PLAIN) && \
	    bench/same_flags.sh -b $(BUILD) -n $(TOLERANCES) -u $(BUILD)/bench/sweep-auto.csv; }; echo
	@OPENBLAS_NUM_THREADS=1 $(BUILD)/bench/chain; echo
	@bench/boundary_beside_scipy.py -b $(BUILD); echo
	@bench/boundary_equal_error.sh -b $(BUILD); echo
	@OPENBLAS_NUM_THREADS=1 $(BUILD)/bench/boundary_large; echo
	@test ! -d $(BUILD)/python/keel || for b in overhead compiled beside_scipy; do \
	    PYTHONPATH=$(BUILD)/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_$$b.py; echo; done

study: packages              ## orders next to theory and drift, into docs/orders.md, formulations.md
	cmake -S . -B $(BUILD) && cmake --build $(BUILD) -j$(JOBS) --target study_reference
	$(BUILD)/study_reference >$(BUILD)/reference.h && mv $(BUILD)/reference.h study/reference.h
	cmake --build $(BUILD) -j$(JOBS) --target study_orders keel_command
	OPENBLAS_NUM_THREADS=1 $(BUILD)/study_orders >docs/orders.md
	study/drift.sh -b $(BUILD) docs/formulations.md
	cmake --build $(BUILD) -j$(JOBS) --target study_irks && $(BUILD)/study_irks >$(BUILD)/irks.txt
	cmake --build $(BUILD) -j$(JOBS) --target study_verner8 && $(BUILD)/study_verner8 >$(BUILD)/verner8.txt
	cmake --build $(BUILD) -j$(JOBS) --target study_known
	for t in families starting; do $(BUILD)/study_known $$t >$(BUILD)/known.c && \
	    mv $(BUILD)/known.c src/method/tables_$$t.c; done
	cmake --build $(BUILD) -j$(JOBS) --target test_integrate_manifold_slow
	$(BUILD)/test/test_integrate_manifold_slow whole

format: PACKAGES += clang-format
format: packages             ## lay out FILES="..." by .clang-format; check hand-aligned tables after
	clang-format -i $(FILES)

# With Debian's Python unless PYTHON says another one; see cmake/python.cmake.
python: PACKAGES += $(PYTHON_PACKAGES)
python: packages             ## the Python package: builds and tests it, leaves build/venv ready
	cmake -S . -B $(BUILD) $(if $(PYTHON),-DKEEL_PYTHON_EXECUTABLE=$(PYTHON))
	cmake --build $(BUILD) -j$(JOBS) --target python keel_command
	$(call check,$(BUILD),-R '^python/')
	@python/venv.sh $(BUILD)

PETSC_PACKAGES := petsc-dev libopenmpi-dev openmpi-bin
petsc: PACKAGES += $(PETSC_PACKAGES)
petsc: packages              ## the library keel-petsc (PETSc and MPI), keel sweep over ranks; tests both
	cmake -S . -B $(BUILD) -DKEEL_WITH_PETSC=ON -DKEEL_WITH_MPI=ON
	cmake --build $(BUILD) -j$(JOBS) --target keel-petsc petsc_parts keel_command
	$(call check,$(BUILD),-R '^petsc/')

install: build               ## to CMAKE_INSTALL_PREFIX, by default /usr/local
	cmake --install $(BUILD)

clean:                       ## remove the build directories
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-coverage $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-plain

help:                        ## this list
	@sed -n 's/^\([a-z]*\):.*## *\(.\)/\1\t\2/p' Makefile | expand -t12

# Debian packages that are not installed yet; elsewhere CMake says what it misses.
packages:
	@command -v dpkg-query >/dev/null || exit 0; \
	for p in $(PACKAGES); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	test -z "$$missing" && exit 0; \
	if [ `id -u` = 0 ]; then \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get update -q && apt-get install -qy --no-install-recommends $$missing; \
	else \
	    echo "Packages are missing.  Please run: sudo apt-get install$$missing"; exit 1; \
	fi

.PHONY: all build demo test sanitize tsan fuzz fuzz-models valgrind coverage mutations bench study format python petsc \
        install clean help packages
