"""A real browser on a real service; screenshots go to build/screenshots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from serving import Service

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "neurocross" / "service" / "page" / "index.html"
SCREENSHOTS = ROOT / "build" / "screenshots"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def missing() -> str | None:
    """What a browser test lacks here."""
    if shutil.which("chromium") is None:
        return "there is no Chromium here: install it (Debian: apt-get install chromium)"
    if not PAGE.exists():
        return "the page is not built: make page"
    return None


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    if (reason := missing()) is not None:
        if os.environ.get("NEUROCROSS_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def web_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("web") / "jobs.sqlite3") as running:
        yield running


@pytest.fixture
def visit(browser, web_service: Service) -> Iterator[Callable[..., object]]:
    """Open the page: `visit()`, `visit("#…", is_mobile=True)`; whatever goes wrong in it fails the test."""
    contexts, wrong = [], []

    def noted(message) -> None:
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            wrong.append(message.text)

    def open_page(path: str = "", *, service: Service = web_service, ready: bool = True, **options):
        options = {"viewport": {"width": 1280, "height": 800}, "accept_downloads": True, **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", noted)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(service.url + path)
        if ready:
            page.wait_for_selector("body[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong, wrong


@pytest.fixture
def shoot() -> Callable[[object, str], None]:
    """Keep a picture of what the test saw."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.screenshot(path=SCREENSHOTS / f"{name}.png")
