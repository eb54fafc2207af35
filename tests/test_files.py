from __future__ import annotations

import os
from pathlib import Path

import pytest

from neurocross.errors import InputError
from neurocross.files import write_bytes


def test_a_file_is_replaced_as_a_whole_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    (tmp_path / "plan.sol").write_text("old")
    write_bytes(tmp_path / "plan.sol", b"new")
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [("plan.sol", "new")]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.sol").symlink_to(tmp_path / "plan.sol")
    write_bytes(tmp_path / "link.sol", b"new")
    assert (tmp_path / "link.sol").is_symlink()
    assert (tmp_path / "plan.sol").read_text() == "new"


@pytest.mark.parametrize("name", ["there", "link"])
def test_a_pipe_is_written_to_and_never_replaced(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "there")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    reader = os.open(tmp_path / "there", os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(tmp_path / name, b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert (tmp_path / "there").is_fifo()


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_and_ctrl_c_leave_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise failure

    (tmp_path / "plan.sol").write_text("old")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((InputError, KeyboardInterrupt)):
        write_bytes(tmp_path / "plan.sol", b"new")
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [("plan.sol", "old")]


def test_errors_name_the_file_and_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plan\.sol: cannot be written: its directory does not exist"):
        write_bytes(tmp_path / "nowhere" / "plan.sol", b"")
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write_bytes(tmp_path, b"")
