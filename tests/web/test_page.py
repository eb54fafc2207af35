"""The page in a real browser: load, solve, watch, stop, continue, export, compare, inspect, be refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import Service

RUN = ".run:not([hidden])"
TRIANGLE = "id,kind,x,y\nD,depot,0,0\na,city,30,10\nb,city,60,50\nc,city,20,70\n"


def solve(page, seconds: float = 2, wait: bool = True) -> None:
    page.fill("#seconds", str(seconds))
    page.click("#solve")
    if wait:
        ended(page)


def until(page, condition: Callable[[], bool]) -> None:
    """Wait for what the page shows; its policy forbids Playwright's own way, which evaluates strings."""
    for _ in range(400):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not happen in 20 seconds")


def ended(page) -> None:
    until(page, lambda: page.locator(f"{RUN}:not([data-state=finished])").count() == 0)


def has_size(page, size: str) -> None:
    until(page, lambda: page.inner_text("#size") == size)


def plans(page) -> int:
    return int(page.get_attribute(RUN, "data-plans"))


def text(page, selector: str) -> str:
    return page.inner_text(f"{RUN} {selector}")


def choose_random(page, cities: int, depots: int = 1) -> None:
    page.select_option("#examples", "random")
    page.fill("#random-cities", str(cities))
    page.fill("#random-depots", str(depots))
    page.press("#random-depots", "Tab")


def test_an_example_is_solved_and_gets_better_before_ones_eyes(visit, shoot) -> None:
    page = visit()
    assert page.inner_text("#size") == "58 cities, 3 depots"
    shoot(page, "start")
    solve(page)
    assert plans(page) >= 3, "a first plan and at least two improvements"
    assert text(page, ".longest dd").endswith(" km") and text(page, ".gap dd").endswith("%")
    assert page.locator(f"{RUN} .bars li").count() == 6
    shoot(page, "solved")


def test_stop_keeps_the_best_and_continue_goes_on_from_it(visit, shoot) -> None:
    page = visit()
    choose_random(page, 150)
    solve(page, seconds=60, wait=False)
    until(page, lambda: plans(page) >= 2)
    shoot(page, "searching")
    page.click("#solve")
    page.wait_for_selector(".run[data-state=stopped]")
    before, longest = plans(page), float(text(page, ".longest dd"))
    page.fill("#seconds", "1")
    page.click("#continue")
    ended(page)
    assert plans(page) > before and float(text(page, ".longest dd")) <= longest


def test_earlier_plans_can_be_looked_at(visit) -> None:
    page = visit()
    solve(page, seconds=1)
    last = text(page, ".longest dd")
    page.locator(f"{RUN} .history input").fill("0")
    assert text(page, ".history output").startswith("plan 1 of ")
    assert text(page, ".longest dd") != last


@pytest.mark.parametrize("format", ["json", "csv", "geojson", "sol", "svg"])
def test_the_plan_can_be_taken_away(visit, tmp_path: Path, format: str) -> None:
    page = visit()
    solve(page, seconds=0.5)
    with page.expect_download() as download:
        page.click(f"#exports button:text-is('{format}')")
    download.value.save_as(tmp_path / "plan")
    content = (tmp_path / "plan").read_text(encoding="utf-8")
    if format == "json":
        assert json.loads(content)["feasible"]
    assert download.value.suggested_filename == f"plan.{format}" and len(content) > 100


def test_two_methods_run_side_by_side(visit, shoot) -> None:
    page = visit()
    page.select_option("#rival", "ce")
    solve(page, seconds=1)
    assert page.locator(RUN).count() == 2
    assert page.locator(f"{RUN} .method").all_inner_texts() == ["hybrid", "ce"]
    assert all(value.endswith(" km") for value in page.locator(f"{RUN} .longest dd").all_inner_texts())
    shoot(page, "compare")


def test_the_inspector_shows_gains_and_plays_an_exchange(visit, shoot) -> None:
    page = visit()
    choose_random(page, 60)
    solve(page, seconds=0.5)
    page.click("#inspect")
    page.wait_for_selector("#picks button >> nth=9")
    assert "gains" in page.inner_text("#inspector .message")
    colours = page.evaluate(
        """id => { const canvas = document.getElementById(id), context = canvas.getContext('2d');
                   const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
                   const seen = new Set();
                   for (let k = 0; k < pixels.length; k += 4) seen.add(pixels.slice(k, k + 3).join());
                   return seen.size; }""",
        "heat-true",
    )
    assert colours > 10, "the heat map has many shades"
    assert page.is_visible("#heat-predicted")
    shoot(page, "inspector")
    page.click("#picks button >> nth=2")
    assert page.get_attribute("#picks button >> nth=2", "aria-pressed") == "true"
    page.click("#picks button >> nth=0")
    if page.is_enabled("#play"):
        page.click("#play")
        page.wait_for_selector("#inspector[data-played]")
        shoot(page, "exchanged")
    page.click("#heat-true", position={"x": 5, "y": 5})
    until(page, lambda: page.inner_text("#inspector .message") != "")


def test_a_bad_file_is_refused_with_its_line(visit, shoot) -> None:
    page = visit()
    bad = b"id,kind,x,y\nD,depot,0,0\na,city,ten,3\n"
    page.set_input_files("#file", {"name": "bad.csv", "mimeType": "text/csv", "buffer": bad})
    page.wait_for_selector("#complaint:not([hidden])")
    assert "3: x must be a finite number, not 'ten'" in page.inner_text("#complaint")
    assert page.inner_text("#size") == "58 cities, 3 depots", "what was there stays"
    shoot(page, "bad-file")


def test_a_pasted_table_is_loaded(visit) -> None:
    page = visit()
    page.click("#paste")
    page.fill("#pasted", TRIANGLE)
    page.click("#paste-use")
    has_size(page, "3 cities, 1 depot")


def test_a_dropped_file_is_loaded(visit) -> None:
    page = visit()
    page.evaluate(
        """text => { const data = new DataTransfer();
                     data.items.add(new File([text], 'stops.csv'));
                     const drop = {dataTransfer: data, bubbles: true};
                     document.body.dispatchEvent(new DragEvent('drop', drop)); }""",
        TRIANGLE,
    )
    has_size(page, "3 cities, 1 depot")


def test_places_are_placed_by_clicks_moved_and_solved_again(visit, shoot) -> None:
    page = visit()
    page.click("#clear")
    canvas = page.locator(f"{RUN} .map canvas")
    canvas.click(position={"x": 300, "y": 300})
    page.keyboard.press("c")
    for x, y in ((200, 150), (420, 160), (450, 420), (180, 430)):
        canvas.click(position={"x": x, "y": y})
    assert page.inner_text("#size") == "4 cities, 1 depot"
    page.fill("#vehicles", "2")
    solve(page, seconds=0.3)
    before = text(page, ".longest dd")
    page.keyboard.press("v")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 420, box["y"] + 160)
    page.mouse.down()
    page.mouse.move(box["x"] + 620, box["y"] + 60, steps=5)
    page.mouse.up()
    until(page, lambda: text(page, ".longest dd") != before)
    ended(page)
    assert text(page, ".longest dd") != before
    page.keyboard.press("x")
    canvas.click(position={"x": 620, "y": 60})
    assert page.inner_text("#size") == "3 cities, 1 depot"
    shoot(page, "placed")


def test_places_are_placed_on_an_empty_map_of_the_world(visit) -> None:
    page = visit()
    page.select_option("#examples", "world")
    until(page, lambda: page.inner_text("#size") == "0 cities, 0 depots")
    canvas = page.locator(f"{RUN} .map canvas")
    canvas.click(position={"x": 350, "y": 300})
    page.keyboard.press("c")
    for x, y in ((300, 250), (400, 280), (380, 350)):
        canvas.click(position={"x": x, "y": y})
    page.fill("#vehicles", "2")
    solve(page, seconds=0.3)
    assert float(text(page, ".longest dd").removesuffix(" km")) > 1000


def test_a_route_is_lit_by_its_bar_and_by_the_keyboard(visit, shoot) -> None:
    page = visit()
    solve(page, seconds=0.3)
    page.click(f"{RUN} .bars li:nth-child(3) button")
    lit = f"{RUN} .bars button[aria-pressed=true]"
    assert page.get_attribute(lit, "data-vehicle") == "3"
    shoot(page, "lit")
    page.locator(f"{RUN} .map canvas").focus()
    page.keyboard.press("]")
    assert page.get_attribute(lit, "data-vehicle") == "4"
    page.keyboard.press("Escape")
    assert page.locator(lit).count() == 0


def test_the_keyboard_alone_solves(visit) -> None:
    page = visit()
    page.fill("#seconds", "0.5")
    page.locator(f"{RUN} .map canvas").focus()
    page.keyboard.press("s")
    ended(page)
    page.keyboard.press("?")
    assert page.is_visible("#help-dialog")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help-dialog")


def test_a_link_reproduces_instance_options_and_seed(visit) -> None:
    page = visit()
    choose_random(page, 40, depots=2)
    page.fill("#vehicles", "4")
    page.fill("#seed", "77")
    page.press("#seed", "Tab")
    page.click("#link")
    until(page, lambda: "#" in page.url)
    again = visit("#" + page.url.partition("#")[2])
    assert again.inner_text("#size") == "40 cities, 2 depots"
    assert (again.input_value("#vehicles"), again.input_value("#seed")) == ("4", "77")


def test_a_link_carries_places_that_were_made_by_hand(visit) -> None:
    page = visit()
    page.click("#paste")
    page.fill("#pasted", TRIANGLE)
    page.click("#paste-use")
    has_size(page, "3 cities, 1 depot")
    page.click("#link")
    until(page, lambda: "#" in page.url)
    assert visit("#" + page.url.partition("#")[2]).inner_text("#size") == "3 cities, 1 depot"


def test_a_damaged_link_is_told(visit) -> None:
    page = visit("#AAAA")
    assert "this link is damaged" in page.inner_text("#complaint")


def test_rules_are_chosen_and_kept_consistent(visit) -> None:
    page = visit()
    page.select_option("#end", "own")
    assert page.input_value("#problem") == "mdvrp"
    page.select_option("#problem", "fmdvrp")
    assert page.input_value("#end") == "any"
    page.select_option("#end", "open")
    page.select_option("#objective", "minsum")
    solve(page, seconds=0.3)
    assert text(page, ".total dd").endswith(" km")


@pytest.mark.parametrize("example", ["deliveries", "ones"])
def test_every_example_can_be_solved(visit, shoot, example: str) -> None:
    page = visit()
    page.select_option("#examples", example)
    until(page, lambda: not page.inner_text("#size").startswith("58"))
    solve(page, seconds=0.5)
    if example == "ones":
        assert (text(page, ".longest dd"), text(page, ".gap dd")) == ("5", "optimal")
    shoot(page, f"example-{example}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(visit, shoot, theme: str) -> None:
    page = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, color_scheme=theme)
    assert page.get_attribute("html", "data-theme") == theme
    solve(page, seconds=0.5)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(f"{RUN} .map canvas").bounding_box()["y"] >= 0, "the map is in view"
    for selector in ("#solve", f"{RUN} .longest dd", f"{RUN} .map canvas", "#examples"):
        assert page.locator(selector).bounding_box()["width"] > 0
    shoot(page, f"phone-{theme}")


def test_nothing_is_fetched_from_elsewhere_until_tiles_are_wanted(visit, web_service: Service) -> None:
    page = visit()
    asked: list[str] = []

    def elsewhere(route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route(lambda url: not url.startswith(web_service.url), elsewhere)
    solve(page, seconds=0.3)
    assert asked == []
    page.check("#tiles")
    page.wait_for_selector("#attribution:not([hidden])")
    page.wait_for_timeout(200)
    assert asked and all(url.startswith("https://tile.openstreetmap.org/") for url in asked)


def test_a_service_with_a_token_is_opened_with_it(visit, tmp_path: Path) -> None:
    token = "a-token-of-thirty-two-characters"
    (tmp_path / "token").write_text(token)
    with Service(tmp_path / "jobs.sqlite3", "--token-file", tmp_path / "token") as service:
        page = visit(service=service, ready=False)
        page.fill("#token", token)
        page.press("#token", "Enter")
        page.wait_for_selector("body[data-ready]")
        solve(page, seconds=0.3)
        assert text(page, ".longest dd").endswith(" km")


def test_a_service_that_is_gone_is_told(visit, tmp_path: Path) -> None:
    service = Service(tmp_path / "jobs.sqlite3")
    page = visit(service=service)
    service.http.close()
    service.kill()
    page.click("#solve")
    page.wait_for_selector(".run[data-state=failed]")
    assert "does not answer" in text(page, ".state")
