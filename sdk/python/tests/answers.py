"""A service whose answers a test gives, one after the other, for what the cases of sdk/conformance cannot say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSED = 422, {"error": {"code": "exchange_rejected", "message": "No.", "retryable": False}}
UNKNOWN = 504, {"error": {"code": "order_outcome_unknown", "message": "It may exist.", "retryable": True}}


class Answers:
    """Answers by method, each once, the last for ever; None ends the connection, a float after so many seconds.

    `asked`: what was asked.
    """

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, list[Any]] = {name: [*given] for name, given in answers.items()}
        self.asked: list[tuple[str, str]] = []
        self.url = ""

    def give(self, method: str, path: str) -> Any:
        self.asked.append((method, path))
        given = self.answers[f"{method}_key" if "/by-key/" in path else method]
        return given.pop(0) if len(given) > 1 else given[0]


@contextmanager
def serving(**answers: Any) -> Iterator[Answers]:
    """A service with these answers (`GET`, `POST`, `DELETE`, and `DELETE_key` of `/by-key/`): status and body each."""
    made = Answers(**answers)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            given = made.give(self.command, self.path)
            if given is None or isinstance(given, float):
                time.sleep(given or 0)
                return
            body = given[1] if isinstance(given[1], bytes) else json.dumps(given[1]).encode()
            self.send_response(given[0])
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = do_PATCH = answer

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
