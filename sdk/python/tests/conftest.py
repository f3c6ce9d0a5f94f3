"""The scripted service of sdk/conformance, one for all cases."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

CONFORMANCE = Path(__file__).parents[2] / "conformance"


class Service:
    """The scripted service: its addresses, its cases, and what it saw."""

    def __init__(self, line: str) -> None:
        urls = json.loads(line)
        self.url, self.closed_url = urls["url"], urls["closed_url"]
        self._http = httpx2.Client(base_url=self.url, trust_env=False, timeout=10)

    def load(self, name: str) -> Any:
        answer = self._http.post("/__case", json={"name": name})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def seen(self) -> Any:
        return self._http.get("/__seen").json()


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    command = ["node", str(CONFORMANCE / "server.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        yield Service(process.stdout.readline())
        process.stdin.close()


def case_names() -> list[str]:
    """Names of all cases, in the order of their files."""
    folder = "cases" if os.environ.get("CONFORMANCE_LIVE") is None else "live"
    files = sorted((CONFORMANCE / folder).glob("*.json"))
    return [case["name"] for file in files for case in json.loads(file.read_text())]
