"""Who may ask, and the headers every answer carries."""

from __future__ import annotations

from hmac import compare_digest
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from neurocross.service.settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Refuses other hosts' names, other sites' pages and missing tokens, before all else."""

    def __init__(self, app: ASGIApp, settings: Settings, public: frozenset[str]) -> None:
        self._app, self._settings, self._public = app, settings, public
        self._headers = _headers(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        return await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal(self, method: str, path: str, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "")
        # A name that a stranger points at this machine is how a web page would get around the same origin.
        if self._settings.is_local and _name(host) not in (
            "localhost",
            "127.0.0.1",
            "::1",
            self._settings.host,
        ):
            return _answer(403, f"this service does not answer for the host '{host[:80]}'")
        origin = headers.get("origin")
        if method not in SAFE and origin is not None and urlsplit(origin).netloc != host:
            return _answer(403, "requests from the pages of other sites are refused")
        if method in SAFE and path in self._public:
            return None
        if self._settings.token is not None and not _carries(headers, self._settings.token):
            return _answer(
                401, "this service wants a token: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"}
            )
        return None


def _answer(status: int, error: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": error}, status, headers)


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _carries(headers: Headers, token: str) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and compare_digest(given.strip().encode(), token.encode())


def _headers(settings: Settings) -> dict[str, str]:
    tiles = urlsplit(settings.tiles)
    pictures = f" {tiles.scheme}://{tiles.netloc}" if settings.tiles else ""
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": f"'self' data: blob:{pictures}",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{key} {value}" for key, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "geolocation=(), camera=(), microphone=()",
        "Cache-Control": "no-store",
    }
