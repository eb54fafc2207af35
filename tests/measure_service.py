"""Measures the service and its page on this machine: `make bench-service`.

Prints what is promised beside what was measured. Not a test: the figures depend on the machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from serving import Service

from neurocross import Problem
from neurocross.io import format_problem

ITERATIONS = 300_000
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip

DIRECT = """
import sys, time
from neurocross.io import parse_problem
from neurocross import solve
problem = parse_problem(sys.stdin.read(), "json")
solve(problem, iterations=1000)
began = time.perf_counter()
solve(problem, time=600, iterations=int(sys.argv[1]), seed=1)
print(time.perf_counter() - began)
"""


def cities(n: int) -> str:
    return format_problem(Problem.mtsp(np.random.default_rng(0).random((n + 1, 2)), vehicles=5), "json")


def first_event(service: Service) -> float:
    """Seconds from POST to the first event, for 100 cities."""
    instance = json.loads(cities(100))
    began = time.perf_counter()
    job = service.submit(instance, vehicles=5, seconds=0.5)
    service.first_best(job)
    seconds = time.perf_counter() - began
    service.ended(job)
    return seconds


def overhead(service: Service) -> float:
    """Time of the same iterations as a job, as a part of their time in a process of one's own; less 1."""
    text = cities(200)
    command = [sys.executable, "-c", DIRECT, str(ITERATIONS)]
    alone = float(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout)
    job = service.submit(json.loads(text), vehicles=5, seconds=600, iterations=ITERATIONS, seed=1)
    began = service.ended(job)
    return (began["ended"] - began["started"]) / alone - 1


def page_figures(service: Service) -> tuple[float, float]:
    """Seconds until the page is interactive, and frames a second while 500 cities are solved."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        ready = []
        for _ in range(5):
            page = browser.new_page()
            page.goto(service.url)
            page.wait_for_selector("body[data-ready]")
            ready.append(page.evaluate("Number(document.body.dataset.readyAfter) / 1000"))
            page.close()
        page = browser.new_page(viewport={"width": 1360, "height": 820})
        page.goto(service.url)
        page.wait_for_selector("body[data-ready]")
        page.select_option("#examples", "random")
        page.fill("#random-cities", "500")
        page.press("#random-cities", "Tab")
        page.click("#solve")
        page.wait_for_selector('.run[data-state="running"]')
        frames = page.evaluate(
            """() => new Promise(done => {
                 let frames = 0; const began = performance.now();
                 const tick = () => { frames++; const spent = performance.now() - began;
                   spent < 4000 ? requestAnimationFrame(tick) : done(1000 * frames / spent); };
                 tick(); })"""
        )
        browser.close()
    return median(ready), frames


def main() -> None:
    with tempfile.TemporaryDirectory() as directory, Service(Path(directory) / "jobs.sqlite3") as service:
        first_event(service)
        events = sorted(first_event(service) for _ in range(15))
        print(
            f"first event after POST, 100 cities   < 300 ms   {1000 * median(events):.0f} ms (median of 15)"
        )
        shares = sorted(overhead(service) for _ in range(5))
        print(f"time the service adds, 200 cities    < 5 %      {100 * median(shares):+.1f} % (median of 5)")
        ready, frames = page_figures(service)
        print(f"page interactive                     < 1 s      {ready:.2f} s (median of 5)")
        print(f"animation of 500 cities              > 30 /s    {frames:.0f} /s")


if __name__ == "__main__":
    main()
