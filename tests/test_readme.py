"""What the README shows works as it is printed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^\$ (neurocross .+)$", README, re.MULTILINE)
PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_commands_run_in_the_order_shown(tmp_path: Path) -> None:
    assert len(COMMANDS) >= 5
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for command in COMMANDS:
        words = [sys.executable, "-m", *shlex.split(command)]
        ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{command}\n{ran.stderr}"
        assert "Traceback" not in ran.stderr


def test_the_programs_run_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(PROGRAMS) >= 3
    names: dict[str, object] = {}
    for program in PROGRAMS:
        exec(compile(program, "README.md", "exec"), names)
    assert capsys.readouterr().out


def test_every_file_it_links_to_exists() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
