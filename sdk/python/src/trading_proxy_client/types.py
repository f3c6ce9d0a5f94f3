"""What is sent and received, by the names of the OpenAPI document."""

from ._generated import *  # noqa: F403
from ._schema import DecimalInput as DecimalInput
