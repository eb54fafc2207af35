"""The command: what it prints, what it writes, its exit codes, its one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from neurocross import Problem, read_problem, write_problem
from neurocross.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"
TOWNS = EXAMPLES / "switzerland.csv"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command; gives exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["neurocross", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return call


@pytest.fixture
def square(tmp_path: Path) -> Path:
    path = tmp_path / "square.csv"
    path.write_text("id,kind,x,y\nd,depot,0,0\na,city,0,1\nb,city,1,1\nc,city,1,0\n")
    return path


def test_solve_prints_the_routes_and_their_quality(run, square: Path) -> None:
    code, out, _ = run("solve", square, "--vehicles", 1, "--method", "ce")
    assert code == 0
    assert "longest 4, total 4" in out and "optimal" in out


def test_json_is_one_object_on_standard_output_and_progress_is_not(run) -> None:
    code, out, err = run("solve", TOWNS, "-m", 4, "--method", "ce", "--seed", 3, "--json")
    answer = json.loads(out)
    assert code == 0 and err
    assert answer["feasible"] and answer["seed"] == 3 and len(answer["routes"]) == 4
    assert answer["makespan"] == pytest.approx(max(route["length"] for route in answer["routes"]))


def test_quiet_prints_nothing_on_standard_error(run, square: Path) -> None:
    assert run("solve", square, "-m", 2, "--quiet", "--time", 1)[2] == ""


@pytest.mark.parametrize("suffix", ["sol", "json", "csv", "geojson"])
def test_what_solve_writes_check_accepts(run, tmp_path: Path, suffix: str) -> None:
    plan = tmp_path / f"plan.{suffix}"
    assert run("solve", TOWNS, "-m", 4, "--method", "ce", "-o", plan, "--json")[0] == 0
    code, out, _ = run("check", TOWNS, plan, "-m", 4)
    assert code == 0 and out.startswith("feasible: makespan ")


def test_check_names_every_violation_and_exits_3(run, square: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.sol"
    plan.write_text("Route #1: 1 1\nCost: 2\n")
    code, out, _ = run("check", square, plan, "-m", 1)
    assert code == 3
    assert out.splitlines() == [
        "city 'a' is visited 2 times", "city 'b' is not visited", "city 'c' is not visited",
    ]  # fmt: skip


def test_an_infeasible_fleet_exits_3_with_the_reasons_and_a_json_answer(run, tmp_path: Path) -> None:
    path = tmp_path / "heavy.csv"
    path.write_text("id,kind,x,y,demand\nd,depot,0,0,0\na,city,0,1,9\nb,city,1,1,20\n")
    code, out, err = run(
        "solve", path, "--problem", "cvrp", "-m", 1, "--capacity", 10, "--json", "--method", "ce"
    )
    answer = json.loads(out)
    assert code == 3 and not answer["feasible"]
    assert "city 'b' demands 20, more than any vehicle carries (10)" in answer["violations"]
    assert "city 'b' demands 20" in err
    assert sorted(stop for route in answer["routes"] for stop in route["stops"]) == ["a", "b"]


@pytest.mark.parametrize("suffix", ["svg", "png", "html"])
def test_plot_draws_problem_and_solution(run, tmp_path: Path, suffix: str) -> None:
    picture = tmp_path / f"routes.{suffix}"
    assert run("solve", TOWNS, "-m", 4, "--method", "ce", "--plot", picture, "--json")[0] == 0
    assert picture.stat().st_size > 1000
    assert run("plot", TOWNS, tmp_path / f"towns.{suffix}", "-m", 1)[0] == 0


def test_bound_is_a_number_below_the_answer(run) -> None:
    bound = json.loads(run("bound", TOWNS, "-m", 4, "--json")[1])["value"]
    answer = json.loads(run("solve", TOWNS, "-m", 4, "--method", "ce", "--json")[1])
    assert 0 < bound <= answer["makespan"]


@pytest.mark.parametrize("kind", ["tsp", "mtsp", "mdvrp", "fmdvrp", "cvrp"])
def test_solve_takes_generated_instances_without_further_options(run, tmp_path: Path, kind: str) -> None:
    fleet = ["--vehicles", 3] if kind in ("mtsp", "mdvrp", "fmdvrp") else []
    depots = ["--depots", 2] if kind in ("mdvrp", "fmdvrp") else []
    code, out, _ = run(
        "generate", kind, "--cities", 12, *fleet, *depots, "--count", 2, "-o", tmp_path / "new"
    )
    paths = out.split()
    assert code == 0 and len(paths) == 2
    answer = json.loads(run("solve", paths[0], "--json", "--method", "ce")[1])
    assert answer["problem"] == kind and answer["feasible"]


def test_generate_gives_the_same_instances_for_the_same_seed(run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run("generate", "mtsp", "--cities", 9, "-m", 2, "--seed", 4, "-o", tmp_path / name)
    first, second = (next((tmp_path / name).iterdir()) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_convert_keeps_the_problem(run, square: Path, tmp_path: Path) -> None:
    assert run("convert", square, tmp_path / "square.json", "-m", 2)[0] == 0
    problem = read_problem(tmp_path / "square.json")
    assert (problem.n_cities, problem.n_vehicles, problem.ids) == (3, 2, ("d", "a", "b", "c"))


def test_a_start_solution_is_used(run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.sol"
    good = json.loads(run("solve", TOWNS, "-m", 4, "--method", "ce", "-p", 50, "-o", plan, "--json")[1])
    again = json.loads(
        run("solve", TOWNS, "-m", 4, "--method", "ce", "--iterations", 1, "--start", plan, "--json")[1]
    )
    assert again["makespan"] <= good["makespan"] * (1 + 1e-12)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["solve", "missing.csv"], "missing.csv: there is no such file"),
        (["solve", TOWNS, "-m", "0"], "--vehicles must be a whole number of at least 1, not 0"),
        (["solve", TOWNS], "give --vehicles"),
        (["solve", TOWNS, "-m", "2", "--method", "magic"], "method 'magic' is unknown"),
        (["solve", TOWNS, "-m", "2", "--round", "up"], "'up'"),
        (["solve", TOWNS, "-m", "2", "--objective", "fair"], "objective 'fair' is unknown"),
        (["solve", TOWNS, "-m", "2", "--problem", "mtsp"], "mtsp"),
        (["solve", TOWNS, "-m", "2", "--time", "-1"], "time must be at least 0"),
        (["solve", TOWNS, "-m", "2", "-o", "nowhere/plan.sol"], "there is no directory 'nowhere'"),
        (["solve", TOWNS, "-m", "2", "-o", "plan.docx"], "plan.docx"),
        (["solve", TOWNS, "-m", "2", "--plot", "plan.gif"], "plan.gif"),
        (["solve", TOWNS, "-m", "2", "--start", "missing.sol"], "missing.sol: there is no such file"),
        (["generate", "atsp"], "problem 'atsp' is unknown"),
        (["generate", "mtsp"], "mtsp needs a number of vehicles"),
        (["generate", "mtsp", "-m", "2", "--count", "0"], "count must be at least 1"),
        (["generate", "tsp", "--seed", "-3"], "seed must be at least 0"),
        (["bound", TOWNS, "-m", "2", "--time", "-1"], "time must be at least 0"),
    ],
    ids=str,
)
def test_bad_input_is_one_line_that_names_the_thing_and_exit_2(
    run, arguments, named, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and err.startswith("error: ") and named in err
    assert list(tmp_path.iterdir()) == []


def test_a_malformed_line_is_named_with_its_file_and_number(run, tmp_path: Path) -> None:
    path = tmp_path / "stops.csv"
    path.write_text("id,kind,x,y\nd,depot,0,0\na,city,zero,1\n")
    code, _, err = run("solve", path, "-m", 1)
    assert code == 2 and f"{path}:3" in err


def test_a_failed_write_leaves_the_old_file(run, square: Path, tmp_path: Path) -> None:
    old = tmp_path / "plan.sol"
    old.write_text("precious")
    assert run("solve", square, "-m", 1, "--method", "magic", "-o", old)[0] == 2
    assert old.read_text() == "precious"


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['neurocross', '--help']\n"
        "from neurocross.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'matplotlib', 'torch', 'neurocross._core'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"


@pytest.mark.parametrize("method", ["ce", "hybrid"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_print_the_best_so_far_and_exit_0(
    tmp_path: Path, method: str, number: signal.Signals
) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "many.json"
    write_problem(Problem.mtsp(rng.random((301, 2)), vehicles=4), path)
    command = [
        sys.executable,
        "-m",
        "neurocross",
        "solve",
        path,
        "--method",
        method,
        "--time",
        "60",
        "--json",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stderr is not None
    process.stderr.readline()  # the first progress line: the search is on
    time.sleep(0.3)
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    answer = json.loads(out)
    assert process.returncode == 0 and answer["feasible"] and answer["seconds"] < 30


@pytest.mark.parametrize("command", [["solve", "-m", "2", "-o"], ["convert", "-m", "2"]])
def test_the_file_of_the_problem_is_never_written_over(run, square: Path, command: list[str]) -> None:
    before = square.read_text()
    link = square.with_name("link.csv")
    link.symlink_to(square)
    for target in (square, link):
        code, _, err = run(command[0], square, *command[1:], target)
        assert code == 2 and err == f"error: {target}: is the problem's own file: give another to write to\n"
    assert square.read_text() == before


def test_names_that_look_like_markup_are_printed_as_they_are(run, tmp_path: Path) -> None:
    (tmp_path / "stops.csv").write_text(
        "id,kind,x,y,name\nd,depot,0,0,[bold]\na,city,0,1,[/nothing]\nb,city,1,0,:smile:\n"
    )
    code, out, _ = run("solve", tmp_path / "stops.csv", "-m", 2, "--time", 0)
    assert code == 0
    assert all(name in out for name in ("[bold]", "[/nothing]", ":smile:"))


def test_vehicles_that_are_not_needed_are_counted_in_one_line(run, square: Path) -> None:
    code, out, _ = run("solve", square, "-m", 5000, "--time", 1, "-q")
    assert code == 0
    assert "4997 of 5000 vehicles not needed" in out and len(out.splitlines()) == 6


def test_a_closed_standard_output_loses_the_answer_only(tmp_path: Path) -> None:
    plan = tmp_path / "plan.sol"
    command = [
        sys.executable,
        "-m",
        "neurocross",
        "solve",
        str(TOWNS),
        "-m",
        "4",
        "--time",
        "0",
        "-o",
        str(plan),
    ]
    ended = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, "Traceback" in ended.stderr, plan.exists()) == (0, False, True)


@pytest.mark.parametrize("arguments", [["--json"], []])
def test_a_reader_that_leaves_ends_the_command_quietly(tmp_path: Path, arguments: list[str]) -> None:
    plan = tmp_path / "plan.sol"
    command = [sys.executable, "-m", "neurocross", "solve", str(TOWNS), "-m", "4", "--time", "0", "-q"]
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run([*command, *arguments, "-o", plan], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (ended.returncode, ended.stderr, plan.exists()) == (141, b"", True)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no device that is always full")
@pytest.mark.parametrize("option", [["--json"], []])
def test_a_full_disk_under_standard_output_is_one_line(option: list[str]) -> None:
    command = [
        sys.executable,
        "-m",
        "neurocross",
        "solve",
        str(TOWNS),
        "-m",
        "4",
        "--time",
        "0",
        "-q",
        *option,
    ]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*command, "-q"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.stderr == "error: standard output cannot be written: No space left on device\n"
    assert ended.returncode == 2


def test_a_problem_too_large_for_the_memory_is_one_line(run, tmp_path: Path) -> None:
    code, _, err = run("generate", "tsp", "--cities", 10**14, "-o", tmp_path)
    assert (code, err) == (2, "error: there is not enough memory for a problem of this size\n")


def test_starts_answer_with_the_best_of_their_seeds(run) -> None:
    alone = [
        json.loads(run("solve", TOWNS, "-m", 4, "--iterations", 30, "--seed", seed, "--json")[1])
        for seed in (4, 5, 6)
    ]
    code, out, _ = run("solve", TOWNS, "-m", 4, "--iterations", 30, "--seed", 4, "--starts", 3, "--json")
    answer = json.loads(out)
    assert code == 0 and answer["routes"] == min(alone, key=lambda one: one["makespan"])["routes"]


def test_large_problems_are_solved_in_parts_by_default(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def method(*options: object) -> str:
        return json.loads(run("solve", TOWNS, "--json", "--iterations", 500, *options)[1])["method"]

    assert method("-m", 8) == "hybrid"
    monkeypatch.setattr("neurocross.decompose.LARGE", 50)
    assert method("-m", 8) == "decompose"
    assert method("-m", 8, "--method", "hybrid") == method("-m", 8, "--threads", 2) == "hybrid"
    assert method("-m", 7) == "hybrid"  # too few vehicles to share out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--processes", 2], "processes, backend and ray-address go with --starts or --method decompose"),
        (["--starts", 2, "--method", "decompose"], "--starts is not for method decompose"),
        (["--starts", 0], "starts must be at least 1, not 0"),
        (["--starts", 2, "--backend", "cloud"], "backend 'cloud' is unknown: use one of local, ray"),
        (["--method", "decompose", "--threads", 2], "threads is not an option of method decompose"),
        (["--starts", 2, "--ray-address", "auto"], "ray-address goes with backend ray alone"),
    ],
)
def test_shared_work_that_cannot_be_is_refused(run, options: list[object], message: str) -> None:
    code, _, err = run("solve", TOWNS, "-m", 4, *options)
    assert code == 2 and err.startswith(f"error: {message}") and err.count("\n") == 1


def test_solve_batch_marks_what_fails_and_exits_3(run, tmp_path: Path, square: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "square.csv").write_bytes(square.read_bytes())
    (folder / "poem.csv").write_text("roses are red\n")
    out = tmp_path / "out.jsonl"
    code, text, err = run("solve-batch", folder, "-m", 1, "--method", "ce", "-o", out)
    assert code == 3 and text == f"1 solved, 0 infeasible, 1 failed in {out}\n"
    assert "2/2" in err and len(out.read_text().splitlines()) == 2
    assert run("solve-batch", folder, "-o", tmp_path / "no" / "out")[0] == 2
