"""Files on disk: what cannot be read or written, and that nothing is lost."""

from __future__ import annotations

import os

import pytest

from neurocross.errors import InputError
from neurocross.io import read_problem, write_problem, write_solution
from neurocross.problem import Problem
from neurocross.solution import Solution

PROBLEM = Problem.tsp([[0, 0], [3, 4]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path}: is empty"),
        (b" \n\t\n", "{path}: is empty"),
        (b"\xef\xbb\xbf", "{path}: is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "{path}:1: is not text in UTF-8; save it in that encoding"),
        (b"NAME: a\n\0\0\0", "{path}:2: is a binary file, text is needed"),
        ("id,kind,x,y\n".encode("utf-16"), "{path}:1: is not text in UTF-8; save it in that encoding"),
        (
            "id,kind,x,y\nd,depot,0,0\nZürich,city,1,1\n".encode("latin-1"),
            "{path}:3: is not text in UTF-8; save it in that encoding",
        ),
        (
            b"hello\n",
            "{path}: its format is not recognised: give --format json|vroom|csv|tsplib|cordeau|wang2015",
        ),
        (b"[[[[" * 50_000, "{path}: is nested too deeply to be one of our documents"),
    ],
)
def test_what_is_no_problem_is_an_error_that_names_the_file(content, message, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_problem(path)
    assert str(error.value) == message.format(path=path)


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: there is no such file$"):
        read_problem(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r": is a directory, a file is needed$"):
        read_problem(tmp_path)
    with pytest.raises(InputError, match=r": cannot be read: "):
        read_problem("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_one_may_not_read_is_named(tmp_path):
    path = tmp_path / "secret.csv"
    path.write_text("id")
    path.chmod(0)
    with pytest.raises(InputError, match=r"secret\.csv: cannot be read: Permission denied$"):
        read_problem(path)


def test_a_file_is_replaced_as_a_whole_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "problem.json"
    path.write_text("old")
    write_problem(PROBLEM, path)
    assert read_problem(path) == PROBLEM
    assert os.listdir(tmp_path) == ["problem.json"]


def test_what_cannot_be_written_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "problem.csv"
    path.write_text("old")
    with pytest.raises(InputError, match=r"^a CSV holds coordinates"):
        write_problem(Problem.tsp(None, matrix=[[0]]), path)
    assert path.read_text() == "old"


def test_a_place_one_cannot_write_to_is_named(tmp_path):
    with pytest.raises(InputError, match=r"a\.json: cannot be written: its directory does not exist$"):
        write_problem(PROBLEM, tmp_path / "none" / "a.json")
    (tmp_path / "dir.json").mkdir()
    with pytest.raises(InputError, match=r"dir\.json: cannot be written: Is a directory$"):
        write_problem(PROBLEM, tmp_path / "dir.json")
    assert os.listdir(tmp_path) == ["dir.json"]
    with pytest.raises(InputError, match=r"cannot be written: embedded null byte$"):
        write_problem(PROBLEM, "a\0b.json")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_problem(PROBLEM, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert read_problem(tmp_path / "real.json") == PROBLEM


@pytest.mark.parametrize("suffix", [".xyz", ""])
def test_a_suffix_that_names_no_format_is_refused(suffix, tmp_path):
    with pytest.raises(InputError, match=r": the suffix names no format: use one of \.json, \.csv, "):
        write_problem(PROBLEM, tmp_path / f"a{suffix}")
    with pytest.raises(InputError, match=r": the suffix names no format: use one of \.sol, \.json, "):
        write_solution(Solution(PROBLEM, [[1]]), tmp_path / f"a{suffix}")


def test_content_is_believed_before_the_suffix(tmp_path):
    path = tmp_path / "stops.csv"
    write_problem(PROBLEM, path, format="json")
    assert read_problem(path) == PROBLEM
    with pytest.raises(InputError, match=r"stops\.csv:1: the first line must name the columns"):
        read_problem(path, format="csv")


def test_a_known_suffix_says_what_a_broken_beginning_should_have_been(tmp_path):
    for name, message in [
        ("a.tsp", r"a\.tsp:1: expected a keyword such as DIMENSION, found '1 2 3 4 5'"),
        ("a.csv", r"a\.csv:1: the first line must name the columns"),
        ("a.json", r"a\.json:1: is not valid JSON"),
    ]:
        (tmp_path / name).write_text("1 2 3 4 5\n")
        with pytest.raises(InputError, match=message):
            read_problem(tmp_path / name)
