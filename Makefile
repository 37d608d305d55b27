# Everything runs in .venv; nothing else on the machine is touched.

PYTHON ?= python3
FIELD ?= bls12-381-p
BIN := .venv/bin
INSTALLED := .venv/installed
CARGO := $(and $(wildcard crates),$(shell command -v cargo 2>/dev/null))

.NOTPARALLEL:
.PHONY: help generate venv lint test test-full cargo-lint cargo-test demo bench clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

venv: $(INSTALLED) ## .venv with fieldc and the tools of its development

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)' || \
	    { echo "fieldc needs Python 3.10 or newer; name one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -e '.[dev]'
	@touch $@

lint: venv cargo-lint ## ruff, mypy --strict, cargo fmt and clippy
	$(BIN)/ruff check fieldc tests
	$(BIN)/ruff format --check fieldc tests
	$(BIN)/mypy

test: venv lint cargo-test ## what every change must pass
	$(BIN)/pytest -n auto -m "not full"

test-full: venv lint cargo-test ## the slow sweeps too
	$(BIN)/pytest -n auto

cargo-lint:
	$(if $(CARGO),cargo fmt --all --check)
	$(if $(CARGO),cargo clippy --workspace --all-targets -- -D warnings)
	$(if $(CARGO),cargo clippy --workspace --all-targets --features portable -- -D warnings)
	$(if $(CARGO),RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --quiet)

cargo-test:
	$(if $(CARGO),cargo test --workspace)
	$(if $(CARGO),cargo run --quiet --example readme)
	$(if $(CARGO),cargo test --workspace --features portable)

generate: venv ## make the checked-in kernels of crates/fieldc again
	$(BIN)/python -m fieldc.artifacts.crate

demo: venv ## a prime to machine code: derive, compile, prove, check, race
	$(BIN)/fieldc demo -o build/demo

bench: venv ## race the kernels of FIELD (bls12-381-p)
	$(BIN)/fieldc bench $(FIELD)

clean: ## remove everything that was made
	rm -rf .venv build target .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find fieldc tests -name __pycache__ -type d -exec rm -rf {} +
