"""The routes over HTTP. Thin: each asks `Jobs` and answers in the words of `schemas`."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

from neurocross.service import files, schemas
from neurocross.service.guard import Guard
from neurocross.service.jobs import Jobs, QueueFull
from neurocross.service.pool import Failed, Refused
from neurocross.service.settings import Settings
from neurocross.service.store import Job
from neurocross.service.worker import in_a_sentence
from neurocross.solver import solve

MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "geojson": "application/geo+json",
    "sol": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
}
EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "Counts from 1 within a job."},
        "event": {"enum": ["best", "finished", "stopped", "failed"]},
        "data": {"type": "string", "description": "JSON; of a best, its figures and routes."},
    },
    "required": ["id", "event", "data"],
}
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

VROOM_EXAMPLE = {
    "vehicles": [
        {"id": 1, "start": [8.541, 47.377], "end": [8.541, 47.377]},
        {"id": 2, "start": [7.447, 46.948], "end": [7.447, 46.948]},
    ],
    "jobs": [{"id": 1, "location": [6.143, 46.204]}, {"id": 2, "location": [9.377, 47.424]}],
}

JobId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="A job's id.")]


def _errors(*statuses: int, model: type = schemas.Error) -> dict[int | str, dict[str, Any]]:
    meanings = {
        400: "The input is wrong.",
        401: "A token is missing.",
        403: "Another site's page, or another host's name.",
        404: "There is no such job.",
        409: "There is no plan yet.",
        413: "The request is too large.",
        422: "The request cannot be done; the answer says why.",
        429: "Too many jobs wait.",
        500: "A bug: the service goes on.",
    }
    return {status: {"model": model, "description": meanings[status]} for status in statuses}


def create_app(settings: Settings) -> FastAPI:
    """The service as an ASGI application."""
    page = files.page()
    default_method = inspect.signature(solve).parameters["method"].default

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.jobs = jobs = Jobs(settings)
        try:
            jobs.open()
            yield
        finally:
            await jobs.close()

    app = FastAPI(
        title="neurocross",
        summary="Routes for fleets whose longest route matters.",
        version=version("neurocross"),
        license_info={"name": "MIT", "identifier": "MIT"},
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_tags=[
            {"name": "jobs", "description": "Long searches: watch them, stop them, keep the best."},
            {"name": "vroom", "description": "VROOM's schema, answered at once."},
            {"name": "service"},
        ],
    )
    public = frozenset({*page, "/health", "/openapi.json"})
    app.add_middleware(Guard, settings=settings, public=public)
    _add_error_handlers(app)

    def jobs(request: Request) -> Jobs:
        found: Jobs = request.app.state.jobs
        return found

    def find(request: Request, id: str) -> Job:
        job = jobs(request).store.find(id)
        if job is None:
            raise HTTPException(404, f"there is no job {id}")
        return job

    async def body_of(request: Request) -> str:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > settings.max_body:
                raise HTTPException(413, f"the request has more than {settings.max_body} bytes")
        try:
            return body.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HTTPException(422, "upload: is not UTF-8 text") from None

    # -- the service ----------------------------------------------------------------------------

    @app.get("/health", tags=["service"])
    async def health(request: Request) -> schemas.Health:
        """That the service runs, and how busy it is."""
        store = jobs(request).store
        return schemas.Health(
            version=app.version, running=store.count("running"), queued=store.count("queued")
        )

    @app.get("/v1/info", tags=["service"], responses=_errors(401, 403))
    async def info() -> schemas.Info:
        """Methods, formats and limits."""
        return schemas.Info(
            version=app.version,
            methods=list(schemas.SEARCHES),
            default_method=default_method,
            solution_formats=list(schemas.PLAN_FORMATS),
            limits=schemas.Limits(
                cities=settings.max_cities,
                seconds=settings.max_seconds,
                body=settings.max_body,
                queue=settings.max_queue,
                jobs_at_once=settings.jobs_at_once,
            ),
            tiles=settings.tiles,
        )

    # -- VROOM ----------------------------------------------------------------------------------

    @app.post(
        "/",
        tags=["vroom"],
        responses=_errors(400, 401, 403, 413, 422, 429, model=schemas.VroomError),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"type": "object"}, "example": VROOM_EXAMPLE}},
            }
        },
    )
    async def vroom(request: Request, options: Annotated[schemas.Options, Query()]) -> dict[str, Any]:
        """Solve a problem in VROOM's JSON and answer in VROOM's schema, with `summary.makespan`.

        Each route tells its `length` and the depot where it `end`s. Keys that are not supported are refused
        by name. `seconds` is 1 if not given.
        """
        query = {"seconds": 1.0, **options.model_dump(exclude_unset=True), "format": "vroom"}
        job = await jobs(request).submit(await body_of(request), query)
        ended = await _ended_or_gone(request, jobs(request), job)
        if ended.state == "failed":
            raise Failed(ended.error or "the search failed")
        answer = await jobs(request).export(ended, "vroom")
        if answer is None:
            raise Failed("the search was stopped before it had a plan")
        return Response(answer, media_type="application/json")  # type: ignore[return-value]

    # -- jobs -----------------------------------------------------------------------------------

    @app.post(
        "/v1/jobs",
        status_code=202,
        tags=["jobs"],
        responses=_errors(401, 403, 413, 422, 429),
        openapi_extra={"requestBody": _upload()},
    )
    async def submit(
        request: Request, response: Response, options: Annotated[schemas.Options, Query()]
    ) -> schemas.Job:
        """Queue a search.

        The body is a JSON document with the key `instance` and the options beside it, or a file as it is
        (CSV, TSPLIB, VRPLIB, Cordeau, our JSON, VROOM's JSON) with the options in the query.
        """
        job = await jobs(request).submit(await body_of(request), options.model_dump(exclude_unset=True))
        response.headers["Location"] = f"/v1/jobs/{job.id}"
        return _answer(job)

    @app.post(
        "/v1/problems",
        tags=["jobs"],
        responses=_errors(401, 403, 413, 422),
        openapi_extra={"requestBody": _upload()},
    )
    async def read_problem(request: Request, options: Annotated[schemas.Options, Query()]) -> schemas.Problem:
        """Read an upload, as a job would, and answer the problem in our JSON."""
        read = await jobs(request).read(await body_of(request), options.model_dump(exclude_unset=True))
        return schemas.Problem(problem=json.loads(read["problem"]), about=read["about"])

    @app.get("/v1/jobs", tags=["jobs"], responses=_errors(401, 403, 422))
    async def list_jobs(
        request: Request,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        before: Annotated[int | None, Query(ge=0, le=2**53, description="Where the last page ended.")] = None,
        state: Annotated[schemas.JobState | None, Query()] = None,
    ) -> schemas.JobPage:
        """Jobs, the newest first."""
        found = jobs(request).store.newest(limit + 1, before, state)
        shown = found[:limit]
        more = None
        if len(found) > limit:
            kept = f"&state={state}" if state else ""
            more = f"/v1/jobs?limit={limit}&before={shown[-1].number}{kept}"
        return schemas.JobPage(jobs=[_answer(job) for job in shown], next=more)

    @app.get("/v1/jobs/{id}", tags=["jobs"], responses=_errors(401, 403, 404, 422))
    async def get_job(request: Request, id: JobId) -> schemas.Job:
        """How a job stands."""
        return _answer(find(request, id))

    @app.delete("/v1/jobs/{id}", tags=["jobs"], responses=_errors(401, 403, 404, 422))
    async def stop(request: Request, id: JobId) -> schemas.Job:
        """Stop a job and keep its best plan; one that has ended stays as it is."""
        return _answer(await jobs(request).stop(find(request, id)))

    @app.get(
        "/v1/jobs/{id}/events",
        tags=["jobs"],
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "`best` (each new best plan with its routes), and at last "
                "`finished`, `stopped` or `failed`. Bests soon overtaken, within 20 ms or 1 % of the time so "
                "far, are left out.",
                "content": {"text/event-stream": {"schema": EVENT}},
            },
            204: {"description": "Nothing more will come."},
            **_errors(401, 403, 404, 422),
        },
    )
    async def events(
        request: Request,
        id: JobId,
        last_event_id: Annotated[int, Header(ge=0, le=2**53, description="The last event seen.")] = 0,
    ) -> Response:
        """Everything that happens to a job, from the beginning or after `Last-Event-ID`."""
        job = find(request, id)
        if job.has_ended and not jobs(request).store.events(job, last_event_id):
            return Response(status_code=204)  # tells a browser not to connect again

        async def lines() -> AsyncIterator[str]:
            async for event in jobs(request).events(job, last_event_id):
                if event is None:
                    yield ":\n\n"
                else:
                    yield f"id: {event.number}\nevent: {event.kind}\ndata: {event.data}\n\n"

        # A proxy in between must pass events on as they come.
        return StreamingResponse(lines(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    @app.get("/v1/jobs/{id}/problem", tags=["jobs"], responses=_errors(401, 403, 404, 422))
    async def problem(request: Request, id: JobId) -> dict[str, Any]:
        """The problem in our JSON, which says all of it."""
        text = jobs(request).store.problem(find(request, id))
        return Response(text, media_type="application/json")  # type: ignore[return-value]

    @app.get(
        "/v1/jobs/{id}/solution.{format}",
        tags=["jobs"],
        response_class=Response,
        responses={
            200: {
                "description": "The best plan so far.",
                "content": {
                    kind.partition(";")[0]: {"schema": {"type": "string"}}
                    for name, kind in MEDIA_TYPES.items()
                    if name != "json"
                }
                | {"application/json": {"schema": {"type": "object"}}},
            },
            **_errors(401, 403, 404, 409, 422),
        },
    )
    async def solution(request: Request, id: JobId, format: schemas.PlanFormat) -> Response:
        """The best plan so far as a file."""
        job = find(request, id)
        text = await jobs(request).export(job, format)
        if text is None:
            raise HTTPException(409, f"job {id} has no plan{'' if job.has_ended else ' yet'}")
        headers = {"Content-Disposition": f'attachment; filename="plan-{id}.{format}"'}
        if format == "svg":
            headers["Content-Security-Policy"] = SVG_POLICY
        return Response(text, media_type=MEDIA_TYPES[format], headers=headers)

    @app.get("/v1/jobs/{id}/exchanges", tags=["jobs"], responses=_errors(401, 403, 404, 409, 422))
    async def exchanges(
        request: Request,
        id: JobId,
        first: Annotated[
            int | None, Query(ge=1, le=10_000, description="Vehicle of tour 1; the longest if not given.")
        ] = None,
        second: Annotated[
            int | None,
            Query(ge=1, le=10_000, description="Vehicle of tour 2; the one to gain most with if not given."),
        ] = None,
        event: Annotated[
            int | None,
            Query(ge=0, le=2**53, description="The best event whose plan is meant; 0 is the first plan."),
        ] = None,
        top: Annotated[int, Query(ge=1, le=100, description="K.")] = 10,
        a1: Annotated[int | None, Query(ge=0, le=2**31 - 1, description="A start pair of one's own.")] = None,
        a2: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    ) -> schemas.Inspection:
        """What every CROSS exchange between two tours would gain, true and predicted."""
        chosen = None if a1 is None or a2 is None else (a1, a2)
        found = await jobs(request).inspect(
            find(request, id), event, first=first, second=second, top=top, chosen=chosen
        )
        if found is None:
            raise HTTPException(409, f"job {id} has no such plan")
        return schemas.Inspection.model_validate(found)

    # -- the page -------------------------------------------------------------------------------

    def serve(path: str, file: files.File) -> None:
        headers = {"Cache-Control": "public, max-age=31536000, immutable" if file.is_hashed else "no-cache"}

        @app.get(path, include_in_schema=False)
        async def asset() -> Response:
            return Response(file.content, media_type=file.media_type, headers=headers)

    for path, file in page.items():
        serve(path, file)
    return app


async def _ended_or_gone(request: Request, jobs: Jobs, job: Job) -> Job:
    """The job once it has ended; stopped when nobody waits for its answer any more."""
    try:
        async for _ in jobs.events(job, 0):
            if await request.is_disconnected():
                return await jobs.stop(job)
    except BaseException:
        await jobs.stop(job)
        raise
    return await jobs.ended(job)


def _answer(job: Job) -> schemas.Job:
    at = f"/v1/jobs/{job.id}"
    links = {"self": at, "events": f"{at}/events", "problem": f"{at}/problem"}
    if job.best is not None:
        links |= {f"solution.{format}": f"{at}/solution.{format}" for format in schemas.PLAN_FORMATS}
    return schemas.Job.model_validate(
        {
            "id": job.id, "state": job.state, "about": job.about, "options": job.options, "best": job.best,
            "error": job.error, "attempts": job.attempts, "created": job.created, "started": job.started,
            "ended": job.ended, "links": links,
        }
    )  # fmt: skip


def _upload() -> dict[str, Any]:
    schema = schemas.JobRequest.model_json_schema()
    start = schema.pop("$defs")["StartRoute"]
    schema["properties"]["start"]["anyOf"][0]["items"] = start
    text = {"schema": {"type": "string"}, "example": schemas.STOPS}
    return {
        "required": True,
        "content": {"application/json": {"schema": schema}, "text/csv": text, "text/plain": text},
    }


def _add_error_handlers(app: FastAPI) -> None:
    def answer(request: Request, status: int, error: str) -> JSONResponse:
        is_vroom = request.url.path == "/" and request.method == "POST"
        if not is_vroom:
            return JSONResponse({"error": error}, status)
        status = 400 if status == 422 else status
        return JSONResponse({"code": 1 if status >= 500 else 2, "error": error}, status)

    @app.exception_handler(StarletteHTTPException)
    async def http_error(request: Request, error: StarletteHTTPException) -> JSONResponse:
        response = answer(request, error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return answer(request, 422, in_a_sentence(error.errors()[0]))

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> JSONResponse:
        return answer(request, 422, str(error))

    @app.exception_handler(TimeoutError)
    async def slow(request: Request, error: TimeoutError) -> JSONResponse:
        return answer(request, 422, f"the request {error}")

    @app.exception_handler(QueueFull)
    async def full(request: Request, error: QueueFull) -> JSONResponse:
        response = answer(request, 429, str(error))
        response.headers["Retry-After"] = "5"
        return response

    @app.exception_handler(Failed)
    async def failed(request: Request, error: Failed) -> JSONResponse:
        return answer(request, 500, str(error))

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> JSONResponse:
        return answer(request, 500, f"a bug: {type(error).__name__}; the service's log has the details")
