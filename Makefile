# Everything runs in .venv; nothing else on the machine is touched.

PYTHON ?= python3
FIELD ?= bls12-381-p
# A shell reads it from here, whatever is in it.
export FIELD
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INSTALLED := .venv/installed
# The features of the crate that implement traits.
TRAITS := subtle,zeroize,serde,rand_core,ff,ff-0-13,bits,ark-ff,digest,num-traits,bytemuck,arbitrary,proptest,pairing,alloc,group,group-0-13
# The crates that are checked and tested at once: what they depend on is compiled with one set of
# features, for all commands.
TESTED := -p fieldc -p fieldc-check -p fieldc-fuzz
# The tests that run without assembly too; the others run its portable kernels.
PORTABLE := arithmetic encoding fp2 interface kernels tower
# Each worker begins with a part of its own: what a module's tests share is made once.
PYTEST = $(BIN)/pytest -n auto --dist worksteal
# How long make fuzz runs each target.
FUZZ_SECONDS ?= 60
# Tests that mention tools which may be absent, those that mention cargo, and what a bare machine
# still has. Only of these may the outcome differ from that of `make test`.
OPTIONAL := valgrind|qemu|clang|wine|chromium|cmake|esbuild|readelf|"strip"|rustup|mingw|emulated|certifier
TOOLS := $(OPTIONAL)|EmulatedProgram|why_not|study|which\(tool
TOOL_TESTS = $(shell grep -lE '$(TOOLS)|package_c' tests/test_*.py)
CARGO_TESTS = $(shell grep -lE 'cargo|rustc' tests/test_*.py)
# Those of builds that a fieldc-check on PATH could change, since fieldc build runs it.
CHECKED_TESTS := adding build demo files full_disk readme
BARE := build/bare
BARE_TOOLS := sh env true false cat cp ln ls mkdir mv rm uname python3 make cc gcc as ld ar cargo rustc rustfmt
NEEDS_CARGO = @command -v cargo >/dev/null || { echo "no cargo: install stable Rust" >&2; exit 1; }
CARGO := $(and $(wildcard crates),$(shell command -v cargo 2>/dev/null))

# Each module of the compiler is compiled once, not by each of the many processes of a test.
export PYTHONDONTWRITEBYTECODE :=

ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help audits generate venv lint python-lint cargo-lint cargo-build test crates-test \
    python-test cargo-test foreign-check arkworks-check test-bare test-full test-part portable-test foreign-install \
    big-endian-test small-test race race-test clients-test campaign \
    arkworks-patch arkworks-test arkworks-demo js-bench formal fuzz miri demo bench clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 19

# Programs of a venv name its folder: one that was moved is made again.
MOVED := $(shell [ -s $(INSTALLED) ] && [ "$$(cat $(INSTALLED))" != "$$(pwd -P)" ] && echo moved)
ifdef MOVED
.PHONY: $(INSTALLED)
endif

venv: $(INSTALLED) ## .venv with fieldc and the tools of its development

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)' || \
	    { echo "fieldc needs Python 3.10 or newer; name one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@case "$$PWD" in *[\$$\{\}]*) \
	    echo 'setuptools fails in a folder with $$, { or } in its name; move this one' >&2; exit 1;; esac
	$(if $(MOVED),rm -rf .venv)
	$(PYTHON) -m venv .venv
	@# Quotes or ends of lines in its path: no shell finds the Python of a program in .venv.
	@$(BIN)/pip --version >/dev/null 2>&1 || { rm -rf .venv; \
	    echo 'programs of Python do not start in a folder of this name; move this one' >&2; exit 1; }
	@# The command fieldc as an older pip writes it loads 30 ms of Python before it expects Ctrl-C.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: 'pip>=25.1'
	LC_ALL=C.UTF-8 $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -e '.[dev]'
	@# Python before 3.12.4 reads this path in the user's encoding, which may not have its letters.
	@LC_ALL=C.UTF-8 $(BIN)/python -c 'import os, pathlib, sysconfig; \
	    site = pathlib.Path(sysconfig.get_path("purelib")); path = os.path.relpath(os.getcwd(), site); \
	    [of.write_text(path + "\n") for of in site.glob("__editable__.fieldc-*.pth")]'
	@pwd -P > $@

lint: cargo-lint python-lint ## ruff, mypy --strict, cargo fmt and clippy

python-lint: venv
	$(BIN)/ruff check fieldc tests arkworks
	$(BIN)/ruff format --check fieldc tests arkworks
	$(BIN)/mypy
	$(BIN)/mypy arkworks/patched/write.py

# Of the crates and of Python at once: cargo links and runs one test at a time, and pytest's last
# tests leave a core idle. What cargo says is kept, and shown whole if something fails.
test: venv python-lint ## what every change must pass
	@mkdir -p build
	@$(MAKE) --no-print-directory -j2 --keep-going SIDE_BY_SIDE=yes crates-test python-test

crates-test:
	@echo "the crates and arkworks' macros beside pytest: build/crates-test.log"; \
	$(MAKE) --no-print-directory -j1 SIDE_BY_SIDE= cargo-lint cargo-test foreign-check arkworks-check \
	    >build/crates-test.log 2>&1 || { cat build/crates-test.log; exit 1; }

# Programs that tests begin know nothing of this make and its jobs.
python-test:
	MAKEFLAGS= MFLAGS= $(PYTEST) -m "not full"

test-bare: venv ## tests that use optional tools, without those, then without cargo; some with fieldc-check
	rm -rf $(BARE) && mkdir -p $(BARE)
	for tool in $(BARE_TOOLS); do \
	    path=$$($(BIN)/python -c 'import shutil, sys; print(shutil.which(sys.argv[1]) or "")' $$tool); \
	    if [ -n "$$path" ]; then ln -s "$$path" $(BARE)/$$tool; else echo "no $$tool here"; fi; done
	PATH="$$PWD/$(BARE)" $(PYTEST) -rs -m "not full" --mentions '$(TOOLS)' $(TOOL_TESTS)
	rm -f $(BARE)/cargo $(BARE)/rustc $(BARE)/rustfmt
	PATH="$$PWD/$(BARE)" $(PYTEST) -rs -m "not full" --mentions 'cargo|rustc|pytest\.skip\(' $(CARGO_TESTS)
	$(if $(CARGO),cargo build --quiet -p fieldc-check)
	$(if $(CARGO),PATH="$${CARGO_TARGET_DIR:-$$PWD/target}/debug:$$PATH" $(PYTEST) -m "not full" \
	    $(CHECKED_TESTS:%=tests/test_%.py))

test-full: ## the slow sweeps too, crates/race, crates/clients, arkworks
test-full: venv lint cargo-test foreign-check portable-test big-endian-test small-test race-test \
    clients-test arkworks-test
	$(PYTEST) --timeout 3600

# All sweeps take hours. PART=1/N to PART=N/N together run each of them once.
PART ?= 1/20
test-part: venv ## a part of the slow Python tests: PART=3/20 is every 20th, beginning with the third
	$(PYTEST) --timeout 3600 -m full --part $(PART)

campaign: venv ## most verbs and all packages on primes and formulas that nobody chose: CAMPAIGN='--seed 7 --count 5'
	cd tests && ../.venv/bin/python -m campaign $(CAMPAIGN)

cargo-lint:
	$(if $(CARGO),cargo fmt --all --check)
	$(if $(CARGO),cargo clippy -p fieldc --lib -- -D warnings)
	$(if $(CARGO),cargo clippy -p fieldc --lib --features portable,alloc,pairing -- -D warnings)
	$(if $(CARGO),cargo clippy $(TESTED) --lib --bins --tests --examples --features $(TRAITS) -- -D warnings)
	$(if $(CARGO),RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --quiet --document-private-items --features $(TRAITS))

# All that cargo-lint and cargo-test compile, while there is something else to wait for.
cargo-build: cargo-lint
	$(if $(CARGO),cargo build $(TESTED) --features $(TRAITS) --bin fieldc-check)
	$(if $(CARGO),cargo test $(TESTED) --features $(TRAITS) --tests --no-run)
	$(if $(CARGO),cargo test -p fieldc --features portable $(PORTABLE:%=--test %) --no-run)

cargo-test:
	$(if $(CARGO),cargo package --quiet -p fieldc --no-verify --allow-dirty)
	$(if $(CARGO),cargo test $(TESTED) --features $(TRAITS) --tests)
	$(if $(CARGO),cargo test $(TESTED) --features $(TRAITS) --doc)
	$(if $(CARGO),cargo run --quiet --example readme --features $(TRAITS))
	$(if $(CARGO),cargo test -p fieldc --features portable $(PORTABLE:%=--test %))

# All tests without assembly; and crates/fuzz with no more than the features that it names.
portable-test:
	$(if $(CARGO),cargo test -p fieldc --features portable --tests)
	$(if $(CARGO),cargo clippy -p fieldc-fuzz --all-targets -- -D warnings)

# Targets of rustup for which tests compile, some to run them by an emulator.
FOREIGN := aarch64-apple-darwin aarch64-linux-android aarch64-pc-windows-msvc aarch64-unknown-linux-gnu \
    aarch64-unknown-linux-musl armv7-unknown-linux-gnueabihf i686-unknown-linux-gnu \
    powerpc64le-unknown-linux-gnu riscv64gc-unknown-linux-gnu s390x-unknown-linux-gnu thumbv7em-none-eabi \
    wasm32-unknown-unknown x86_64-apple-darwin x86_64-pc-windows-msvc x86_64-unknown-uefi
foreign-install: ## targets of rustup that the tests use, about 1.8 GB
	@command -v rustup >/dev/null || { echo "no rustup: tests for other targets are skipped" >&2; exit 1; }
	rustup target add $(FOREIGN)

# The crate alone, which needs no linker: for every other target that rustup has installed. Of targets
# on which the crate is the same text, which a test finds out, one is checked; make test-full checks all.
SAME := aarch64-linux-android aarch64-unknown-linux-musl armv7-unknown-linux-gnueabihf \
    i686-unknown-linux-gnu wasm32-unknown-unknown
# Tests of constant time and of AArch64 compile it for some others.
COMPILED := aarch64-apple-darwin aarch64-unknown-linux-gnu riscv64gc-unknown-linux-gnu
test-full: SAME :=
test-full: COMPILED :=
foreign-check:
	@set -e; $(if $(CARGO),:,echo "no cargo: the crate is not checked for other targets"; exit 0); \
	command -v rustup >/dev/null || { echo "no rustup: the crate is not checked for other targets"; exit 0; }; \
	host=$$(rustc -vV | sed -n 's/^host: //p'); \
	skipped=$$(printf -- ' -e %s' "$$host" $(SAME) $(COMPILED)); \
	targets=$$(rustup target list --installed | grep -vxF $$skipped | sed 's/^/--target /'); \
	if [ -z "$$targets" ]; then echo "rustup has no other target"; exit 0; fi; \
	echo "cargo check -p fieldc --lib --features alloc,pairing" $$targets; \
	cargo check --quiet -p fieldc --lib --features alloc,pairing $$targets

# On a big-endian processor, where Rust's target, a linker and qemu are installed: the tests that see
# bytes and words. Towers are made of the same operations; make test-full runs them there too.
BIG_TESTS := arithmetic encoding interface kernels
test-full: BIG_TESTS := $(PORTABLE)
BIG := s390x-unknown-linux-gnu
BIG_LINKER := s390x-linux-gnu-gcc
big-endian-test: ## tests of the crate on s390x, under qemu
	@set -e; $(if $(CARGO),:,echo "no cargo: nothing runs on s390x"; exit 0); \
	for tool in $(BIG_LINKER) qemu-s390x; do \
	    command -v $$tool >/dev/null || { echo "no $$tool: nothing runs on s390x"; exit 0; }; done; \
	rustup target list --installed 2>/dev/null | grep -qx $(BIG) || \
	    { echo "no target $(BIG) in rustup: nothing runs on s390x"; exit 0; }; \
	CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=$(BIG_LINKER) \
	CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER='qemu-s390x -L /usr/s390x-linux-gnu' \
	    cargo test -p fieldc --target $(BIG) $(BIG_TESTS:%=--test %)

# A release as small as can be: fat LTO, opt-level "s", panic "abort".
small-test:
	$(if $(CARGO),cargo run --quiet -p fieldc --profile small --example readme)
	$(if $(CARGO),cargo test -p fieldc --profile small --test arithmetic --test kernels)

# In its folder, so that its .cargo/config.toml holds; the peers take minutes to compile.
race-test:
	$(if $(CARGO),cd crates/race && cargo clippy --no-deps --all-targets -- -D warnings)
	$(if $(CARGO),cd crates/race && RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --quiet)
	$(if $(CARGO),cd crates/race && cargo test --release -- --include-ignored)

# In its folder, a workspace of its own; the clients take a minute to compile.
clients-test: ## published crates of each family of traits, on the crate's types
	$(if $(CARGO),cd crates/clients && cargo fmt --all --check)
	$(if $(CARGO),cd crates/clients && cargo clippy --all-targets -- -D warnings)
	$(if $(CARGO),cd crates/clients && cargo test)

# A derive without arkworks, which takes minutes to compile: the texts that the macros take out of the
# crate compile where they put them. The macros for 0.5 are the same source, and no workspace's.
arkworks-check:
	$(if $(CARGO),cargo fmt --check --manifest-path arkworks/ark-ff-macros-0.5/Cargo.toml)
	$(if $(CARGO),CARGO_PROFILE_DEV_DEBUG=false CARGO_INCREMENTAL=0 cargo test --quiet --lib \
	    --manifest-path arkworks/ark-ff-macros-0.5/Cargo.toml --target-dir target/arkworks)

# In its folder, a workspace of its own. The published suites take about ten minutes.
arkworks-test: arkworks-patch ## arkworks on our kernels: our tests and those that the curves ship
	$(if $(CARGO),cd arkworks && cargo fmt --check && rustfmt --check --edition 2021 patched/*.rs)
	$(if $(CARGO),cd arkworks && cargo clippy --all-targets -- -D warnings)
	$(if $(CARGO),cd arkworks && cargo test --release)
	$(if $(CARGO),cd arkworks && cargo test --release -p checks --features sabotage --test fields)

# As published, with calls of fieldc: arkworks/README.md.
arkworks-patch: ## writes copies of ark-ff and ark-ec, which the workspace of arkworks/ needs
	$(if $(CARGO),$(PYTHON) arkworks/patched/write.py arkworks/target/0.6)
	$(if $(CARGO),$(PYTHON) arkworks/patched/write.py --release 0.5 arkworks/target/0.5)

arkworks-demo: arkworks-patch ## races arkworks as published and on our kernels: DEMO='--quick --json FILE'
	$(NEEDS_CARGO)
	cd arkworks && cargo run --quiet --release -p demo -- $(DEMO)

race: ## race the Rust crate against those of others: make race RACE='--op all --json out.json'
	$(NEEDS_CARGO)
	cd crates/race && cargo bench --bench race -- $(RACE)

js-bench: ## race packages/js against other npm packages: JS_BENCH='--quick --json FILE'
	@command -v npm >/dev/null || { echo "no npm: install Node 20 or newer" >&2; exit 1; }
	cd packages/js && npm install --silent --no-package-lock && node bench/bench.mjs $(JS_BENCH)

fuzz: ## each target of crates/fuzz under cargo-fuzz, FUZZ_SECONDS (60) each
	@cargo +nightly --version >/dev/null 2>&1 || \
	    { echo "no nightly Rust: rustup toolchain install nightly" >&2; exit 1; }
	@cargo fuzz --version >/dev/null 2>&1 || \
	    { echo "no cargo-fuzz: cargo install cargo-fuzz" >&2; exit 1; }
	@set -e; for target in $$(cargo fuzz list --fuzz-dir crates/fuzz); do \
	    cargo run --quiet -p fieldc-fuzz --example seeds -- crates/fuzz/corpus/$$target; \
	    echo "$$target: $(FUZZ_SECONDS) seconds"; \
	    cargo +nightly fuzz run --fuzz-dir crates/fuzz --features libfuzzer $$target -- \
	        -max_total_time=$(FUZZ_SECONDS) -max_len=1024 -print_final_stats=1 -verbosity=0; \
	done

miri: ## some tests of the crate in Rust's interpreter, on the portable path
	@cargo +nightly miri --version >/dev/null 2>&1 || \
	    { echo "no miri: rustup +nightly component add miri" >&2; exit 1; }
	cargo +nightly miri test -p fieldc --features subtle,zeroize,serde \
	    --test arithmetic --test fp2 --test kernels --test serde --test zeroize

formal: ## the checker that is proved in Coq, where coqc and ocamlopt are installed
	@for tool in coqc coq_makefile ocamlopt; do command -v $$tool >/dev/null || \
	    { echo "no $$tool: the proved checker is not built"; exit 0; }; done; \
	$(MAKE) --no-print-directory -C formal && \
	if [ -d $(BIN) ]; then cp -u build/formal/fieldc-certify $(BIN); fi

audits: venv ## prove and run routines of other libraries again, and write docs/audits.md and its pages
	cd tests && ../.venv/bin/python -m audits.write

generate: venv ## make checked-in files again: kernels of crates and packages/js, counts in docs
	$(BIN)/python -m fieldc.packages.rust.crate
	$(BIN)/python -m fieldc.packages.rust.race_texts
	$(BIN)/python -m fieldc.lab.target_counts
	$(BIN)/python -m fieldc.lab.predictions
	$(BIN)/python -m fieldc.packages.js.npm

demo: venv ## FIELD (bls12-381-p) to machine code: derive, compile, prove, check, race
	$(BIN)/fieldc demo "$$FIELD" -o build/demo

bench: venv ## race the kernels of FIELD (bls12-381-p)
	$(BIN)/fieldc bench "$$FIELD"

clean: ## remove everything that was made
	rm -rf .venv build target .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find fieldc tests -name __pycache__ -type d -exec rm -rf {} +
