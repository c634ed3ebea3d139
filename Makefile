# Each target does its whole set-up: it needs only Python >= 3.11, git and make.
.PHONY: demo test test-clients lint bench screenshots lock clean
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

demo: $(READY)
	@$(VENV)/bin/ags-tui demo $(if $(DEMO_LANG),--lang $(DEMO_LANG)) $(ARGS)

test: $(READY)
	$(PY) -m pytest -n auto --dist worksteal $(ARGS)

test-clients: $(READY)
	@$(PY) -m tests.clients $(ARGS)

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/pyright

bench: $(READY)
	$(PY) -m tests.bench $(ARGS)

screenshots: $(READY)
	$(PY) -m tests.export_screenshots screenshots

lock:
	uv pip compile --quiet --universal --extra dev pyproject.toml --no-header -o requirements.lock

clean:
	rm -rf $(VENV) dist build

$(READY): pyproject.toml requirements.lock .ci/setup
	@sh .ci/setup $(VENV)
