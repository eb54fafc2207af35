"""The service keeps to its own OpenAPI document, whatever is sent to it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from serving import Service

schemathesis = pytest.importorskip("schemathesis", reason="this test needs schemathesis")
pytestmark = pytest.mark.filterwarnings("ignore")

EXAMPLES = 25
"""Requests for each operation."""


def operations(service: Service):
    schema = schemathesis.openapi.from_url(service.url + "openapi.json")
    return [operation.ok() for operation in schema.get_all_operations()]


def test_every_operation_answers_as_its_document_says(service: Service) -> None:
    checks = schemathesis.checks
    wanted = [
        checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
    ]
    job = service.ended(service.submit(seconds=0.1))
    found = operations(service)
    assert len(found) == 12
    for operation in found:

        @given(case=operation.as_strategy(), is_real=st.booleans())
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def keeps_its_word(case, is_real) -> None:
            if is_real and "id" in (case.path_parameters or {}):
                case.path_parameters["id"] = job["id"]
            case.call_and_validate(checks=wanted, timeout=30)

        keeps_its_word()


def test_the_examples_of_the_document_are_accepted(service: Service) -> None:
    document = service.http.get("openapi.json").json()
    body = document["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]
    for example in body["application/json"]["schema"]["examples"]:
        assert service.http.post("v1/jobs", json={**example, "seconds": 0.1}).status_code == 202
    answer = service.http.post("v1/jobs?vehicles=2&seconds=0.1", content=body["text/csv"]["example"])
    assert answer.status_code == 202
    vroom = document["paths"]["/"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert service.http.post("?seconds=0.1", json=vroom).json()["code"] == 0
