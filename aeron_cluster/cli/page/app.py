"""The page as a web application: one page, its script and style, and JSON. It changes nothing."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.pipeline.optional_packages import require

if TYPE_CHECKING:
    import socket  # noqa: TID251 - of HTTP, not of a driver
    from collections.abc import Callable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from aeron_cluster.cli.page.view import PageView

__all__ = ["make_app", "serve"]

_EXTRA: Final = "page"
_FILES: Final = {
    "/": ("page.htm", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
# Nothing is loaded from elsewhere, and no other site shows the page in itself.
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
# A site that a browser shows must not read the page by a name of its own for this address.
_LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def make_app(view: PageView, *, is_local: bool) -> Starlette:
    """Return the application.

    Parameters
    ----------
    view : PageView
    is_local : bool
        Only requests to this machine's own names are answered.

    Raises
    ------
    MissingPackageError
        Without ``aeron-cluster[page]``.
    """
    applications: Any = require("starlette.applications", _EXTRA)
    responses: Any = require("starlette.responses", _EXTRA)
    routing: Any = require("starlette.routing", _EXTRA)
    trusted: Any = require("starlette.middleware.trustedhost", _EXTRA)
    middleware: Any = require("starlette.middleware", _EXTRA)
    concurrency: Any = require("starlette.concurrency", _EXTRA)

    def file_route(path: str, name: str, media_type: str) -> object:
        content = (files("aeron_cluster.cli.page") / name).read_bytes()

        async def get(_request: Request) -> Response:
            response: Response = responses.Response(
                content, media_type=media_type, headers=_HEADERS
            )
            return response

        return routing.Route(path, get)

    def json_route(path: str, look: Callable[[], dict[str, Any]]) -> object:
        async def get(_request: Request) -> Response:
            found = await concurrency.run_in_threadpool(look)
            response: Response = responses.JSONResponse(found, headers=_HEADERS)
            return response

        return routing.Route(path, get)

    hosts = list(_LOCAL_HOSTS) if is_local else ["*"]
    app: Starlette = applications.Starlette(
        routes=[
            *(file_route(path, *each) for path, each in _FILES.items()),
            json_route("/state", view.state),
            json_route("/log", view.log),
        ],
        middleware=[middleware.Middleware(trusted.TrustedHostMiddleware, allowed_hosts=hosts)],
    )
    return app


def serve(app: Starlette, bound: socket.socket, is_signalled: Callable[[], bool]) -> None:
    """Serve an application at a listening socket until a signal comes.

    Parameters
    ----------
    app : Starlette
    bound : socket.socket
    is_signalled : callable
        Whether a signal came before the server had its own handlers of signals.
    """
    uvicorn: Any = require("uvicorn", _EXTRA)

    async def end_if_signalled() -> None:
        server.should_exit = server.should_exit or is_signalled()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        callback_notify=end_if_signalled,
        timeout_notify=0,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[bound])
