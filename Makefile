# Every target sets up .venv by itself. After the first set-up, all but `requirements` and `node` work without a
# network.
# Another Python: make test PYTHON=python3.13   (only read when .venv is made; remove .venv to change it)

PYTHON ?= python3
LESSON ?= 01
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
# In containers one is root, and the server listens on this machine only. Elsewhere `make lab` refuses sudo.
AS_ROOT = $(if $(filter 0,$(shell id -u 2>/dev/null)),--allow-root)

.DEFAULT_GOAL := help
.PHONY: help run lab test notebooks furniture lint format requirements node clean

help: ## say what each target does
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' \
	  | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

run: $(READY) ## run lesson 01 in the terminal, no key needed (another: make run LESSON=07)
	@$(PY) -m course_lib run $(LESSON)

lab: $(READY) ## copy the lessons to my-notebooks (once) and open its index in JupyterLab
	@test -z "$$SUDO_USER" || { echo "make lab: without sudo, please: files would belong to root, not to you"; exit 1; }
	@$(PY) tools/my_notebooks.py
	@echo "make lab: JupyterLab opens in your browser; stop it here with Ctrl-C"
	@$(PY) -m jupyterlab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/my-notebooks/index.ipynb \
	  --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate --LabApp.news_url=None $(AS_ROOT)

test: $(READY) ## check form and freshness, run all tests and every notebook, compare outputs
	@$(PY) tools/run_tests.py

notebooks: $(READY) ## after editing solutions/: furniture, execute, rebuild notebooks/ (some: NOTEBOOKS="01 solutions/02_….ipynb")
	@$(PY) tools/furniture.py
	@$(PY) tools/run_solutions.py $(NOTEBOOKS)
	@$(PY) tools/cell_ids.py
	@$(PY) tools/glossary.py
	@$(PY) tools/build_student.py
	@$(PY) tools/transcript.py

furniture: $(READY) ## rewrite badges, links, setup cells, index, glossary and README
	@$(PY) tools/furniture.py
	@$(PY) tools/glossary.py
	@$(PY) tools/build_student.py

lint: $(READY) ## look for problems in code and in the form of the notebooks, change nothing
	@$(PY) tools/run_tests.py form

format: $(READY) ## format code and solutions/, and put notebook files in their canonical form
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format --quiet .
	@$(PY) tools/check_notebooks.py --fix
	@$(PY) tools/build_student.py

requirements: $(READY) ## pin the newest versions that pyproject.toml allows into requirements.txt (needs a network)
	@$(PY) -m pip install --quiet "uv>=0.9,<1"
	@$(PY) -m uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --quiet \
	  --no-config --custom-compile-command "make requirements" --output-file requirements.txt

node: ## install the JavaScript SDKs for tests/test_practice_model/test_clients_node.py (needs Node and a network)
	@npm ci --prefix tests/node --no-audit --no-fund --ignore-scripts

clean: ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache build *.egg-info

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "The course needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Name another: make PYTHON=python3.12" % sys.version_info[:2])'
	@echo "Setting up $(VENV) from requirements.txt (a few minutes the first time) …"
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
