from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from neurocross import plot
from neurocross.errors import InputError, MissingDependencyError
from neurocross.plot import plot_problem, plot_solution
from neurocross.problem import Problem, Vehicle, fleet_of
from neurocross.solution import Solution

EXAMPLES = Path(__file__).parent.parent / "examples"
PICTURES = ("plan.svg", "plan.png", "plan.html")


def corners(**options) -> Solution:
    """Two depots and four cities on a square of 10; the first vehicle ends at the other's depot."""
    problem = Problem.fmdvrp(
        [[0, 0], [10, 10], [0, 5], [0, 10], [10, 5], [10, 0]],
        n_depots=2,
        vehicles=2,
        ids=["A", "B", "c1", "c2", "c3", "c4"],
        **options,
    )
    return Solution(problem, [[2, 3], [4, 5]])


def sunburst(vehicles: int, each: int = 3, growth: float = 0.0) -> Solution:
    """A depot in the middle, every vehicle out and back along its own ray, each ray longer by `growth`."""
    angles = 2 * np.pi * np.arange(vehicles) / vehicles
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1) * (1 + growth * np.arange(vehicles))[:, None]
    cities = np.concatenate([ray * (1 + np.arange(each)[:, None]) for ray in rays])
    problem = Problem.mtsp(np.concatenate([[[0, 0]], cities]), vehicles=vehicles)
    return Solution(problem, 1 + np.arange(vehicles * each).reshape(vehicles, each))


class Page(HTMLParser):
    """The elements and texts of an HTML page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open = self.tags[-1][1].get("class") or self.tags[-1][1].get("id") or tag

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, text):
        if self._open:
            self.texts.setdefault(self._open, []).append(text)

    @property
    def data(self) -> dict:
        return json.loads("".join(self.texts["data"]))


def svg_ids(path: Path) -> set[str]:
    return {element.get("id", "") for element in ElementTree.parse(path).iter()}


def svg_texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter() if element.tag.endswith("}text")]


# -- every format --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PICTURES)
def test_a_plan_and_a_problem_are_written_in_the_format_of_the_suffix(tmp_path, name):
    plot_solution(corners(), tmp_path / name)
    plot_problem(corners().problem, tmp_path / f"problem_{name}")
    start = {".svg": b"<?xml", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>"}[Path(name).suffix]
    for path in (tmp_path / name, tmp_path / f"problem_{name}"):
        assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("name", PICTURES)
def test_the_same_plan_gives_the_same_bytes(tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        plot_solution(corners(), tmp_path / folder / name, lower_bound=12.0)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_users_matplotlib_style_does_not_change_the_picture(tmp_path):
    import matplotlib as mpl

    plot_solution(corners(), tmp_path / "plain.svg")
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path"}):
        plot_solution(corners(), tmp_path / "styled.svg")
        assert mpl.rcParams["font.size"] == 30
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "styled.svg").read_bytes()


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize(
    "solution",
    [
        Solution(Problem.mtsp([[1, 1]], vehicles=2), []),
        Solution(Problem.mtsp([[1, 1]] * 4, vehicles=2), [[1, 2], [3]]),
        Solution(Problem.mtsp([[0, 0], [0, 3]], vehicles=3), [[1]]),
        Solution(Problem.mtsp([[0, 0], [7, 0]], vehicles=1), [[1]]),
        Solution(Problem.tsp(matrix=[[0, 0], [0, 0]]), [[1]]),
        Solution(Problem.tsp(matrix=[[0]]), [[]]),
        Solution(Problem.mtsp([[0, 0], [1, 0], [2, 0]], vehicles=1), [[1]]),
        Solution(Problem.mtsp([[0, 0], [1e-9, 0], [0, 1e12]], vehicles=1), [[1, 2]]),
        sunburst(26),
        sunburst(90),
    ],
    ids=[
        "no city",
        "one point",
        "vertical",
        "horizontal",
        "zero matrix",
        "one node",
        "incomplete",
        "huge",
        "26 routes",
        "90 routes",
    ],
)
def test_odd_plans_are_drawn(tmp_path, name, solution):
    plot_solution(solution, tmp_path / name, lower_bound=1.0)
    plot_problem(solution.problem, tmp_path / name)
    assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("name", PICTURES)
def test_ten_thousand_cities_are_drawn(tmp_path, name):
    coords = np.random.default_rng(1).random((10_001, 2))
    problem = Problem.mtsp(coords, vehicles=10)
    plot_solution(Solution(problem, 1 + np.arange(10_000).reshape(10, 1000)), tmp_path / name)
    assert (tmp_path / name).stat().st_size < 4_000_000


# -- what SVG shows -------------------------------------------------------------------------------


def test_every_used_route_and_every_depot_is_an_element_of_the_svg(tmp_path):
    solution = Solution(Problem.mdvrp(np.eye(6, 2), n_depots=2, vehicles=3), [[2, 3], [], [4, 5]])
    plot_solution(solution, tmp_path / "plan.svg")
    ids = svg_ids(tmp_path / "plan.svg")
    assert {"route-1", "route-3", "depot-1", "depot-2"} <= ids
    assert "route-2" not in ids


@pytest.mark.parametrize("vehicles", [2, 25, 26, 60])
def test_the_legend_of_the_svg_has_the_length_of_every_route(tmp_path, vehicles):
    solution = sunburst(vehicles, growth=0.001)
    plot_solution(solution, tmp_path / "plan.svg")
    lengths = [text for text in svg_texts(tmp_path / "plan.svg") if re.fullmatch(r"\d\.\d{4}", text)]
    assert sorted(lengths) == [f"{length:.4f}" for length in solution.lengths]


@pytest.mark.parametrize(
    ("bound", "gap"), [(None, ""), (15.0, " · gap 25.00 %"), (20.0, " · gap 0 %, optimal")]
)
def test_title_names_makespan_total_and_the_gap_if_a_bound_is_known(tmp_path, bound, gap):
    solution = corners(name="Square")
    assert solution.lengths == (20.0, 20.0)
    plot_solution(solution, tmp_path / "plan.svg", lower_bound=bound)
    texts = svg_texts(tmp_path / "plan.svg")
    assert "Square" in texts
    assert f"longest route 20 · total 40{gap} · 4 cities · 2 depots · 2 vehicles" in texts
    plot_solution(solution, tmp_path / "plan.svg", title="Mine")
    assert "Mine" in svg_texts(tmp_path / "plan.svg")


def test_total_comes_first_when_it_is_the_objective(tmp_path):
    plot_solution(corners(objective="minsum"), tmp_path / "plan.svg")
    facts = "total 40 · longest route 20 · 4 cities · 2 depots · 2 vehicles"
    assert facts in svg_texts(tmp_path / "plan.svg")


def test_loads_stand_in_the_legend_when_there_is_a_capacity(tmp_path):
    problem = Problem.cvrp([[0, 0], [3, 4], [6, 8]], demand=[0, 2, 1.5], capacity=4)
    for name in ("plan.svg", "plan.html"):
        plot_solution(Solution(problem, [[1, 2]]), tmp_path / name)
        assert "3.5/4" in (tmp_path / name).read_text(encoding="utf-8")


def test_the_longest_route_is_drawn_bolder_unless_all_are_equal(tmp_path):
    problem = Problem.mtsp([[0, 0], [1, 0], [5, 0]], vehicles=2)
    plot_solution(Solution(problem, [[1], [2]]), tmp_path / "plan.svg")
    widths = {
        route: float(
            re.search(
                rf'id="route-{route}".*?stroke-width: ([\d.]+)',
                (tmp_path / "plan.svg").read_text(),
                re.DOTALL,
            )[1]
        )
        for route in (1, 2)
    }
    assert widths[2] > widths[1]
    assert not any(line.longest for line in plot._lines(sunburst(5)))


def test_an_open_route_ends_at_its_last_city_and_a_flexible_one_at_the_depot_it_uses():
    problem = Problem(
        coords=[[0, 0], [9, 0], [8, 0], [1, 0]], n_depots=2, vehicles=(Vehicle(0, "any"), Vehicle(1, "open"))
    )
    first, second = plot._lines(Solution(problem, [[2], [3]]))
    assert (first.stops, first.ends) == ((0, 2, 1), "0 → 1")
    assert (second.stops, second.ends) == ((1, 3), "1 → open")


def test_arrow_heads_point_along_the_route():
    path = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [4.0, 4.0]])
    triangles = plot._arrows(path, size=0.1)
    assert len(triangles) == 2
    for (tip, left, _, right), direction in zip(triangles, ([1, 0], [0, 1]), strict=True):
        ahead = tip - (left + right) / 2
        assert ahead / np.hypot(*ahead) == pytest.approx(direction)


def test_labels_lie_clear_of_each_other_and_of_the_dots():
    xy = np.random.default_rng(5).random((60, 2)) * 6
    labels = [plot._Label(f"city {node}", 7.0, depot=False) for node in range(60)]
    boxes = []
    for label, (x, y), side in plot._placed(labels, xy, [xy[:10]], (-1, -1, 7, 7)):
        width, height = 0.62 * len(label.text) * 7 / 72, 1.24 * 7 / 72
        left = {"left": x, "center": x - width / 2, "right": x - width}[side]
        boxes.append((left, y - height / 2, left + width, y + height / 2))
    assert len(boxes) > 20
    for number, (a, b, c, d) in enumerate(boxes):
        assert not ((xy > (a, b)) & (xy < (c, d))).all(axis=1).any()
        for e, f, g, h in boxes[:number]:
            assert c <= e + 1e-9 or g <= a + 1e-9 or d <= f + 1e-9 or h <= b + 1e-9


def test_an_infeasible_plan_says_so(tmp_path):
    plan = Solution(corners().problem, [[2, 3], [4]])
    plot_solution(plan, tmp_path / "plan.svg", lower_bound=1.0)
    texts = svg_texts(tmp_path / "plan.svg")
    assert "city 'c4' is not visited" in texts
    assert "longest route 20 · total 30 · plan not feasible · 4 cities · 2 depots · 2 vehicles" in texts
    plot_solution(plan, tmp_path / "plan.html", lower_bound=1.0)
    page = Page(tmp_path / "plan.html")
    assert page.texts["dd"] == ["20", "30", "not feasible"]
    assert "city 'c4' is not visited" in page.texts["p"]


# -- positions ------------------------------------------------------------------------------------


def test_a_degree_of_longitude_is_drawn_as_short_as_the_latitude_makes_it():
    problem = Problem.mtsp([[60, 10], [60, 12], [59, 10], [61, 10]], vehicles=1, metric="haversine")
    xy = plot._picture(problem, None, None, None).xy
    two_degrees_east, two_degrees_north = xy[1, 0] - xy[0, 0], xy[3, 1] - xy[2, 1]
    assert two_degrees_east / two_degrees_north == pytest.approx(0.5, rel=1e-3)


def test_lengths_on_earth_are_written_in_kilometres(tmp_path):
    problem = Problem.mtsp([[47, 8], [48, 8]], vehicles=1, metric="haversine")
    plot_solution(Solution(problem, [[1]]), tmp_path / "plan.svg")
    assert "222.4 km" in svg_texts(tmp_path / "plan.svg")


@pytest.mark.parametrize(("about", "length"), [(1.0, 1.0), (4.9, 2.0), (5.0, 5.0), (73_000.0, 50_000.0)])
def test_a_scale_bar_is_a_round_number(about, length):
    assert plot._round_length(about) == length


@pytest.mark.parametrize(("metric", "bars"), [("haversine", 1), ("geo", 0), ("euclidean", 0)])
def test_only_positions_in_metres_have_a_scale_bar(tmp_path, metric, bars):
    plot_problem(Problem.mtsp([[47, 8], [48, 8]], vehicles=1, metric=metric), tmp_path / "plan.svg")
    assert svg_texts(tmp_path / "plan.svg").count("20 km") == bars
    plot_problem(Problem.mtsp([[47, 8], [48, 8]], vehicles=1, metric=metric), tmp_path / "plan.html")
    assert bool(Page(tmp_path / "plan.html").data["metresPerStep"]) == bool(bars)


def test_positions_of_a_plane_matrix_are_found_again():
    xy = np.random.default_rng(2).random((40, 2))
    apart = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
    found = plot._estimated_positions(apart)
    assert np.hypot(*(found[:, None] - found[None]).transpose(2, 0, 1)) == pytest.approx(apart, abs=1e-3)


def test_nodes_at_equal_distances_do_not_lie_on_each_other():
    found = plot._estimated_positions(np.ones((21, 21)) - np.eye(21))
    apart = np.hypot(*(found[:, None] - found[None]).transpose(2, 0, 1)) + 9 * np.eye(21)
    assert apart.min() > 0.1


def test_estimated_positions_of_many_nodes_resemble_the_matrix():
    xy = np.random.default_rng(4).random((1200, 2))
    apart = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
    found = plot._estimated_positions(apart)
    again = np.hypot(*(found[:, None] - found[None]).transpose(2, 0, 1))
    assert np.corrcoef(again.ravel(), apart.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("name", ["plan.svg", "plan.html"])
def test_a_picture_of_a_matrix_says_that_its_positions_are_estimates(tmp_path, name):
    problem = Problem(matrix=np.ones((21, 21)) - np.eye(21), n_depots=1, vehicles=fleet_of(5, starts=[0]))
    plot_solution(Solution(problem, np.arange(1, 21).reshape(5, 4)), tmp_path / name)
    assert "positions estimated from the matrix" in (tmp_path / name).read_text(encoding="utf-8")
    plot_solution(corners(), tmp_path / name)
    assert "positions estimated" not in (tmp_path / name).read_text(encoding="utf-8")


# -- colours --------------------------------------------------------------------------------------

# Machado, Oliveira, Fernandes (2009), full severity, on linear RGB.
SEEN_BY = {
    "everybody": np.eye(3),
    "protanopes": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopes": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopes": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    cones = np.cbrt(
        np.array(
            [
                [0.41222147, 0.53633254, 0.05144599],
                [0.2119035, 0.68069955, 0.10739696],
                [0.08830246, 0.28171884, 0.6299787],
            ]
        )
        @ np.clip(rgb, 0, 1)
    )
    return (
        np.array(
            [
                [0.21045426, 0.79361779, -0.00407205],
                [1.9779985, -2.42859221, 0.45059371],
                [0.02590404, 0.78277177, -0.80867577],
            ]
        )
        @ cones
    )


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("palette", [plot.LIGHT, plot.DARK], ids=["light", "dark"])
def test_any_two_colours_differ_for(eyes, palette):
    seen = [oklab(np.array(SEEN_BY[eyes]) @ linear(colour)) for colour in palette]
    nearest = min(np.linalg.norm(a - b) for n, a in enumerate(seen) for b in seen[:n])
    assert nearest > 0.08  # the common palette of Okabe and Ito reaches 0.076


@pytest.mark.parametrize(("palette", "paper"), [(plot.LIGHT, "#ffffff"), (plot.DARK, "#14171c")])
def test_every_colour_stands_out_from_the_paper(palette, paper):
    def light(colour: str) -> float:
        return float(linear(colour) @ (0.2126, 0.7152, 0.0722)) + 0.05

    for colour in palette:
        low, high = sorted((light(colour), light(paper)))
        assert high / low > 2.2


def test_the_first_32_routes_all_look_different():
    lines = plot._lines(sunburst(32, each=1))
    assert len({(line.colour, line.dash) for line in lines}) == 32


# -- the page -------------------------------------------------------------------------------------


def test_the_page_has_a_row_for_every_used_route_with_its_name_and_length(tmp_path):
    problem = Problem.mtsp([[0, 0], [3, 4], [0, 2.5], [1, 0]], vehicles=4)
    solution = Solution(problem, [[1], [2], [], [3]])
    plot_solution(solution, tmp_path / "plan.html")
    page = Page(tmp_path / "plan.html")
    assert page.texts["name"] == ["vehicle 1", "vehicle 2", "vehicle 4"]
    assert [float(text) for text in page.texts["length"]] == [length for length in solution.lengths if length]


def test_the_bars_of_the_page_are_as_long_as_the_routes_in_proportion(tmp_path):
    problem = Problem.mtsp([[0, 0], [3, 4], [0, 2.5]], vehicles=2)
    plot_solution(Solution(problem, [[1], [2]]), tmp_path / "plan.html")
    bars = [attributes for tag, attributes in Page(tmp_path / "plan.html").tags if tag == "line"]
    assert [bar["x2"] for bar in bars] == ["100.00%", "50.00%"]


def test_the_page_knows_the_arrival_at_every_stop_service_there_not_counted(tmp_path):
    problem = Problem.mtsp([[0, 0], [3, 4], [3, 10]], vehicles=1, service=[0, 2, 1])
    solution = Solution(problem, [[1, 2]])
    plot_solution(solution, tmp_path / "plan.html")
    (route,) = Page(tmp_path / "plan.html").data["routes"]
    assert route["stops"] == [0, 1, 2, 0]
    assert route["arrivals"] == pytest.approx([0, 5, 13, solution.makespan])


def test_the_page_places_north_above_south_and_keeps_proportions(tmp_path):
    problem = Problem.mtsp([[0, 0], [4, 0], [0, 2]], vehicles=1)
    plot_problem(problem, tmp_path / "plan.html")
    data = Page(tmp_path / "plan.html").data
    assert (data["x"], data["y"]) == ([0, 100_000, 0], [50_000, 50_000, 0])


HOSTILE = "</script><img src=x onerror=alert(1)>{{data}}<!--\"'&\u2028$x_1$\ud800\x00\n]]>"
LABEL = HOSTILE.replace("\ud800\x00\n", "")
"""What of it a problem takes: its labels are text on one line."""


@pytest.mark.parametrize("name", PICTURES)
def test_hostile_names_are_only_text(tmp_path, name):
    problem = Problem(
        coords=[[0, 0], [1, 0], [0, 1]],
        n_depots=1,
        vehicles=(Vehicle(name=LABEL),),
        ids=["<b>", LABEL, "c"],
        names=[LABEL] * 3,
        name=LABEL,
    )
    plot_solution(Solution(problem, [[1]]), tmp_path / name, title=HOSTILE)
    plot_solution(Solution(problem, [[1]]), tmp_path / f"untitled_{name}")
    if name.endswith(".svg"):
        assert not any("img" in element.tag for element in ElementTree.parse(tmp_path / name).iter())
    if name.endswith(".html"):
        page = Page(tmp_path / name)
        tags = [tag for tag, _ in page.tags]
        assert "img" not in tags and tags.count("script") == 2 and "b" not in tags
        assert page.data["names"][0].startswith("</script><img src=x onerror=alert(1)>{{data}}<!--")


@pytest.mark.parametrize("name", ["plan.svg", "plan.html"])
def test_a_picture_refers_to_nothing_on_the_network(tmp_path, name):
    plot_solution(corners(), tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text).replace("http-equiv", "")
    assert not re.search(r"https?:|//\w+\.|@import|\bfetch\(|XMLHttpRequest|<!ENTITY", text)
    assert "http" not in text


def test_the_page_forbids_the_browser_to_fetch_and_to_run_anything_but_its_own_script(tmp_path):
    plot_solution(corners(), tmp_path / "plan.html")
    text = (tmp_path / "plan.html").read_text(encoding="utf-8")
    policy = next(
        attributes["content"]
        for _, attributes in Page(tmp_path / "plan.html").tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; img-src data:;")
    for kind in ("style", "script"):
        body = re.search(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plan.pdf", "plan", "plan.svg.gz", ".svg"])
def test_an_unknown_suffix_is_refused_and_the_known_ones_are_named(tmp_path, name):
    for draw in (lambda: plot_solution(corners(), tmp_path / name), lambda: plot.check_path(tmp_path / name)):
        with pytest.raises(InputError, match=r"ends in \.svg, \.png, \.html$") as error:
            draw()
        assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", PICTURES)
def test_a_directory_that_does_not_exist_is_a_one_line_error(tmp_path, name):
    with pytest.raises(InputError, match=r"nowhere.*cannot be written: its directory does not exist$"):
        plot_solution(corners(), tmp_path / "nowhere" / name)


def test_a_directory_in_the_place_of_the_file_is_a_one_line_error(tmp_path):
    (tmp_path / "plan.html").mkdir()
    with pytest.raises(InputError, match=r"cannot be written: Is a directory$"):
        plot_solution(corners(), tmp_path / "plan.html")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.html"]


@pytest.mark.parametrize("name", PICTURES)
def test_a_failed_drawing_leaves_the_old_file_and_nothing_else(tmp_path, name, monkeypatch):
    (tmp_path / name).write_text("old")

    def fail(*_):
        raise RuntimeError("no ink")

    monkeypatch.setattr(plot, "_page" if name.endswith("html") else "_figure", fail)
    with pytest.raises(RuntimeError):
        plot_solution(corners(), tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "plan.html").write_text("old")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        plot_solution(corners(), tmp_path / "plan.html")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("plan.html", "old")]


def test_without_matplotlib_svg_and_png_say_what_to_install_and_html_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    for name in ("plan.svg", "plan.png"):
        with pytest.raises(MissingDependencyError, match=r"pip install 'neurocross\[plot\]'"):
            plot_solution(corners(), tmp_path / name)
    plot_solution(corners(), tmp_path / "plan.html")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.html"]


def test_matplotlib_is_imported_only_to_draw_svg_or_png(tmp_path):
    code = "import sys; from neurocross import plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# -- examples -------------------------------------------------------------------------------------


def rows_of(name: str) -> list[dict[str, str]]:
    with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_swiss_example_lies_in_switzerland_and_names_each_town_once():
    rows = rows_of("switzerland.csv")
    assert [row["kind"] for row in rows].count("depot") == 3
    assert len(rows) == 61 == len({row["id"] for row in rows}) == len({row["name"] for row in rows})
    assert all(45.8 < float(row["lat"]) < 47.85 and 5.9 < float(row["lon"]) < 10.5 for row in rows)


def test_the_delivery_example_has_one_depot_and_191_parcels():
    rows = rows_of("deliveries.csv")
    assert [row["kind"] for row in rows].count("depot") == 1
    assert sum(float(row["demand"]) for row in rows) == 191
    assert all(float(row["service"]) > 0 for row in rows if row["kind"] == "city")
