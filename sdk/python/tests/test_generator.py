"""scripts/sdk-python.mjs: what it makes of a schema, and that it refuses what it does not know."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
const { pythonTypes } = await import('./scripts/sdk-python.mjs');
let text = '';
for await (const part of process.stdin) text += part;
process.stdout.write(pythonTypes(JSON.parse(text)));
"""


def made_of(member: dict[str, Any], sent: bool = False) -> subprocess.CompletedProcess[str]:
    """What is made of a document with one call, whose answer (or body too) has one member."""
    thing = {"type": "object", "properties": {"member": member}, "required": ["member"]}
    content = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ThingDto"}}}}
    call = {"operationId": "getThing", "responses": {"200": content}, **({"requestBody": content} if sent else {})}
    return made_by({"paths": {"/thing": {"post": call}}, "components": {"schemas": {"ThingDto": thing}}})


def made_by(document: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    command = ["node", "--input-type=module", "-e", PROGRAM]
    return subprocess.run(command, cwd=ROOT, input=json.dumps(document), capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize(
    ("member", "line"),
    [
        ({"type": "string", "format": "decimal"}, "member: Decimal"),
        ({"type": ["string", "null"], "format": "decimal"}, "member: Decimal | None"),
        ({"type": "string", "enum": ["a", "b"]}, 'member: Literal["a", "b"] | str'),
        ({"type": "string", "format": "password"}, "member: str = field(repr=False)"),
        ({"type": "array", "items": {"type": "string"}}, "member: tuple[str, ...]"),
        ({"anyOf": [{"$ref": "#/components/schemas/ThingDto"}, {"type": "null"}]}, "member: Thing | None"),
        ({"type": "object", "additionalProperties": True}, "member: Mapping[str, Any]"),
    ],
)
def test_types_of_what_is_received(member: dict[str, Any], line: str) -> None:
    assert f"    {line}\n" in made_of(member).stdout


def test_types_of_what_is_sent() -> None:
    made = made_of({"type": "string", "enum": ["a"]}, sent=True).stdout
    assert 'class ThingInput(TypedDict):\n    member: Literal["a"]\n' in made
    assert '"getThing": Operation("POST", "/thing", ThingInput, Thing, "member", False)' in made


def test_types_of_what_is_streamed() -> None:
    """Of each message its data; the client knows the rest itself."""
    thing = {"type": "object", "properties": {"price": {"type": "string", "format": "decimal"}}, "required": ["price"]}
    message = {"type": "object", "properties": {"data": {"$ref": "#/components/schemas/Thing"}}}
    schema = {"oneOf": [{"$ref": "#/components/schemas/Message"}]}
    call = {"operationId": "streamThings", "responses": {"200": {"content": {"text/event-stream": {"schema": schema}}}}}
    schemas = {"Thing": thing, "Message": message}
    made = made_by({"paths": {"/things": {"get": call}}, "components": {"schemas": schemas}}).stdout
    assert "class Thing:\n    price: Decimal\n" in made
    assert "class Message" not in made
    assert '"streamThings": Operation("GET", "/things", None, None, "", False)' in made


@pytest.mark.parametrize(
    ("member", "what"),
    [
        ({"type": "string", "const": "a"}, "the word const"),
        ({"type": "string", "format": "uuid"}, "the format uuid"),
        ({"type": "number"}, "the type number"),
        ({"allOf": [{"type": "string"}, {"type": "string"}]}, "allOf of several"),
    ],
)
def test_refuses_what_it_does_not_know(member: dict[str, Any], what: str) -> None:
    made = made_of(member)
    assert made.returncode != 0
    assert f"ThingDto.member: scripts/sdk-python.mjs does not know {what}" in made.stderr
