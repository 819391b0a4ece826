# memlab: everything is set up by the target that needs it; nothing else has to be installed first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build
SAMPLE := $(BUILD)/python-memory.store
# JupyterLab asks for this flag where everything runs as root, as in a container.
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: lab app test demo lint types figures studies notebooks notebook-pages shots bench bench-live clean

lab: $(SAMPLE)/manifest.json ## set up everything and open JupyterLab on the first notebook
	$(BIN)/jupyter lab $(ROOT_FLAG) notebooks/01_first_question.ipynb

app: $(SAMPLE)/manifest.json ## the tuner as an app in the browser, without code around it
	JUPYTER_PATH=app $(BIN)/voila --template=memlab notebooks/04_tune_thresholds.ipynb

test: $(VENV)/.ready ## set up everything and pass the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup --no-loadscope-reorder

demo: $(SAMPLE)/manifest.json ## the main job without a browser: outcome table and charts of the sample exam
	$(BIN)/memlab exam $(SAMPLE) data/python-memory/exam.jsonl --charts $(BUILD)/charts

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.ready
	$(BIN)/mypy

notebooks: $(SAMPLE)/manifest.json ## execute every notebook
	PYTHONPATH=tests/offline $(BIN)/python -m pytest --nbmake --nbmake-timeout=300 -n auto notebooks -p no:cacheprovider

notebook-pages: $(SAMPLE)/manifest.json ## execute every notebook and write docs/notebooks
	$(BIN)/python docs/notebooks.py

shots: $(SAMPLE)/manifest.json ## picture every chart and notebook in build/shots; needs Chromium
	$(BIN)/python docs/shots.py charts
	$(BIN)/python docs/shot_notebooks.py

figures: $(VENV)/.ready ## fill the tables of docs/findings.md again; needs MEMLAB_REAL_DATA
	$(BIN)/python docs/figures.py

studies: $(VENV)/.ready ## study three exams, and write what they show into docs/findings.md; needs MEMLAB_REAL_DATA
	$(BIN)/python docs/studies.py

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/arms.py

bench-live: $(VENV)/.ready ## how long a slider's move takes, in the kernel and until it is painted; needs Chromium
	$(BIN)/python benchmarks/live.py

# torch by its exact version first, so that no CUDA build comes along where a small one is offered.
$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt "torch==$$(sed -n 's/^torch==\([^+ ]*\).*/\1/p' constraints.txt)"
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[test,docs]'
	touch $@

$(SAMPLE)/manifest.json: $(VENV)/.ready $(wildcard data/python-memory/*.jsonl)
	$(BIN)/memlab build data/python-memory $(SAMPLE)
	touch $@

clean:
	rm -rf $(BUILD)
