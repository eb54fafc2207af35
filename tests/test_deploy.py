"""What is kept for clusters fits the package, Ray, and each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from neurocross.cli import app

yaml = pytest.importorskip("yaml", reason="the deployment files need PyYAML: pip install 'neurocross[ray]'")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
IMAGE = f"neurocross:{PROJECT['version']}"
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text()
CLUSTER = yaml.safe_load((ROOT / "deploy" / "ray-cluster.yaml").read_text())
CLAIM, KUBERAY = yaml.safe_load_all((ROOT / "deploy" / "kuberay.yaml").read_text())


def test_the_image_has_a_ray_that_the_extra_allows_and_all_it_copies_exists() -> None:
    (pinned,) = re.findall(r"ray\[default\]==([\d.]+)", CONTAINER)
    (wanted,) = PROJECT["optional-dependencies"]["ray"]
    low, high = re.fullmatch(r"ray>=([\d.]+),<([\d.]+)", wanted).groups()  # type: ignore[union-attr]
    version = [[int(n) for n in text.split(".")] for text in (low, pinned, high)]
    assert version == sorted(version) and pinned == KUBERAY["spec"]["rayVersion"]
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.MULTILINE)]
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []
    python = re.findall(r"^FROM python:3\.(\d+)", CONTAINER, re.MULTILINE)
    assert len(set(python)) == 1 and int(python[0]) >= 11


def test_every_file_names_the_image_of_this_version() -> None:
    heads = KUBERAY["spec"]["headGroupSpec"]["template"]["spec"]["containers"]
    workers = KUBERAY["spec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"]
    images = [container["image"] for container in heads + workers]
    assert [*images, CLUSTER["docker"]["image"]] == [IMAGE] * 3 and f"-t {IMAGE} " in CONTAINER


def test_ray_accepts_the_cluster_file() -> None:
    util = pytest.importorskip("ray.autoscaler._private.util", reason="needs ray: pip install '.[ray]'")
    util.validate_config(util.prepare_config(CLUSTER))


def test_the_head_of_the_kubernetes_cluster_runs_no_tasks_and_has_the_data() -> None:
    head = KUBERAY["spec"]["headGroupSpec"]
    assert (KUBERAY["apiVersion"], KUBERAY["kind"]) == ("ray.io/v1", "RayCluster")
    assert head["rayStartParams"]["num-cpus"] == "0"
    (volume,) = head["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == CLAIM["metadata"]["name"]


def test_every_command_the_page_shows_has_its_options() -> None:
    page = (ROOT / "docs" / "scale.md").read_text()
    commands = re.findall(r"neurocross ([a-z-]+) (.*--.*)$", page, re.MULTILINE)
    known = get_command(app).commands  # type: ignore[attr-defined]
    assert len(commands) >= 5
    for name, words in commands:
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert [word for word in re.findall(r"--[a-z-]+", words) if word not in options] == [], name
