# make demo      set up and solve the bundled example
# make serve     set up, build the page if Node.js is here, and start the service
# make page      build the page (Node.js 20 or newer)
# make wheel     build the wheel with the page inside, into dist/
# make test      set up and run every test
# make lint      style, types, import order of the layers, C++ format
# make bench-service   what the service and its page promise, measured on this machine
# make board-quick | board-full | board-long   DATA=directory of public instances; bench/scoreboard.md
# make bench-scale     what size costs and what a second worker brings, about 25 minutes; TABLES=sizes, large, workers
# make bench-kernels   speed of the kernels, start-up and time limits, as ratios on this machine

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
CORE := CMakeLists.txt pyproject.toml $(wildcard src/core/*)

PAGE := src/neurocross/service/page/index.html

.PHONY: demo serve page wheel test lint format bench-kernels bench-scale bench-service board-quick board-full board-long clean

demo: $(VENV)/.ready
	mkdir -p demo
	$(BIN)/neurocross solve examples/switzerland.csv --vehicles 6 --time 3 --seed 1 \
	  -o demo/switzerland.geojson --plot demo/switzerland.svg
	$(BIN)/neurocross plot examples/switzerland.csv demo/switzerland.html --vehicles 6 \
	  --solution demo/switzerland.geojson
	@echo "The routes are drawn in demo/switzerland.svg; zoom into them in demo/switzerland.html."

serve: $(VENV)/.ready-serve
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory page; \
	  else echo "Node.js is not here, so the service runs without its page; with it, make page builds it."; fi
	$(BIN)/neurocross serve $(SERVE_ARGS)

page: $(PAGE)

$(PAGE): web/node_modules/.ready $(wildcard web/*.* web/src/* web/public/* examples/*.csv)
	cd web && npm run build

web/node_modules/.ready: web/package.json web/package-lock.json
	cd web && npm install --no-save --no-audit --no-fund
	touch $@

wheel: $(VENV)/bin/python page
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

test: $(VENV)/.ready-dev
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cp $(VENV)/lib/python3*/site-packages/neurocross/_core.pyi src/neurocross/  # the generated stub, for mypy
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror src/core/*.cpp src/core/*.hpp

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i src/core/*.cpp src/core/*.hpp

bench-kernels: $(VENV)/.ready
	$(BIN)/python -m neurocross.bench.kernels

bench-scale: $(VENV)/.ready-dev
	$(BIN)/python -m neurocross.bench.scale $(TABLES)

bench-service: $(VENV)/.ready-dev page
	$(BIN)/python tests/measure_service.py

board-quick board-full board-long: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/neurocross bench run $@ --data $(DATA) -o bench/results/$@
	$(BIN)/neurocross bench report bench/results/$@
	$(BIN)/neurocross bench board bench/results -o bench/scoreboard.md --records bench/records

clean:
	rm -rf $(VENV) build demo dist web/node_modules $(dir $(PAGE))

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("neurocross needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(VENV)/bin/python $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	touch $@

$(VENV)/.ready-serve: $(VENV)/bin/python $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,serve]'
	touch $@ $(VENV)/.ready

$(VENV)/.ready-dev: $(VENV)/bin/python $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,serve,train,ray,dev]'
	touch $@ $(VENV)/.ready
