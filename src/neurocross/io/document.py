"""Strict JSON: finite numbers, no key twice, and every error names the place in the document."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurocross.errors import InputError
from neurocross.io.text import shown
from neurocross.problem import FloatArray


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a JSON document that knows where it stands."""

    data: Any
    path: str
    """Such as `cities[3].x`; empty for the whole document."""
    source: str

    def fail(self, message: str) -> InputError:
        """The error to raise about this value."""
        return InputError(f"{self.source}: {self.path or 'the document'} {message}")

    def members(self) -> dict[str, Value]:
        """The members of an object, whatever they are called."""
        prefix = f"{self.path}." if self.path else ""
        return {
            key: Value(value, prefix + key, self.source)
            for key, value in self._as(dict, "an object {…}").items()
        }

    def fields(self, allowed: Iterable[str], required: Iterable[str] = ()) -> dict[str, Value]:
        """The members of an object; keys that are not `allowed` are refused by name."""
        members, known = self.members(), tuple(allowed)
        for key in members:
            if key not in known:
                raise self.fail(f"has the unknown key '{shown(key)}'; known are {', '.join(known)}")
        for key in required:
            if key not in members:
                raise self.fail(f"lacks the key '{key}'")
        return members

    def items(self) -> list[Value]:
        """The elements of a list."""
        elements = self._as(list, "a list […]")
        return [Value(value, f"{self.path}[{k}]", self.source) for k, value in enumerate(elements)]

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number between `least` and `most`."""
        if type(self.data) not in (int, float):
            raise self.fail(f"must be a number, not {_quoted(self.data)}")
        try:
            value = float(self.data)
        except OverflowError:
            raise self.fail("is too large a number") from None
        if not least <= value <= most:
            raise self.fail(f"must be {_range(least, most)}, not {value:g}")
        return value

    def square(self, size: int | None = None) -> FloatArray:
        """A matrix of `size` rows, or as many as it has, with numbers of at least 0."""
        rows = self.items()
        n = len(rows) if size is None else size
        if len(rows) != n:
            raise self.fail(f"has {len(rows)} rows, one for each of the {n} nodes is needed")
        matrix = np.empty((n, n))
        for k, row in enumerate(rows):
            numbers = row._numbers()
            if len(numbers) != n:
                raise row.fail(f"has {len(numbers)} numbers, as many as there are rows ({n}) are needed")
            matrix[k] = numbers
        return matrix

    def _numbers(self) -> list[float]:
        data = self._as(list, "a list […]")
        if all(type(x) in (int, float) and 0 <= x < 1e300 for x in data):
            return [*map(float, data)]
        return [item.number(least=0) for item in self.items()]  # slower, and names the one that is wrong

    def whole(self, least: int, most: float = math.inf) -> int:
        """A whole number between `least` and `most`."""
        if type(self.data) is not int:
            raise self.fail(f"must be a whole number, not {_quoted(self.data)}")
        if not least <= self.data <= most:
            raise self.fail(f"must be {_range(least, most)}, not {_quoted(self.data)}")
        return self.data

    def truth(self) -> bool:
        """True or false."""
        return bool(self._as(bool, "true or false"))

    def text(self) -> str:
        """A string."""
        value = self._as(str, "a string")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.fail("is no valid text: it holds half of a surrogate pair") from None
        return str(value)

    def label(self) -> str:
        """An identifier: a string, or a whole number taken as one."""
        if type(self.data) is int and abs(self.data) < 10**18:
            return str(self.data)
        return self.text()

    def choice(self, words: Sequence[str]) -> str:
        """One of the given words."""
        if self.data not in words:
            raise self.fail(f"must be one of {', '.join(words)}, not {_quoted(self.data)}")
        return str(self.data)

    def _as(self, kind: type, name: str) -> Any:
        if not isinstance(self.data, kind):
            raise self.fail(f"must be {name}, not {_quoted(self.data)}")
        return self.data


def parse_document(text: str, source: str) -> Value:
    """The document in a text; anything JSON proper does not know is an error."""
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}:{error.lineno}: is not valid JSON: {_lower(error.msg)} (column {error.colno})"
        ) from None
    except _NotFiniteError as error:
        line = _line_of(text, str(error))
        raise InputError(f"{source}:{line}: {shown(str(error))} is not a finite number") from None
    except _TwiceError as error:
        raise InputError(f"{source}: the key '{shown(str(error))}' is given twice in one object") from None
    except RecursionError:
        raise InputError(f"{source}: is nested too deeply to be one of our documents") from None
    except ValueError:  # an integer of more digits than Python converts
        raise InputError(f"{source}: holds a number of too many digits") from None
    return Value(data, "", source)


def format_document(document: dict[str, Any]) -> str:
    """JSON text with one line for each key, and one for each element of a list of lists or objects."""
    members = (f"  {_dumps(key)}: {_rows(value)}" for key, value in document.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _rows(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list | dict):
        return "[\n" + ",\n".join(f"    {_dumps(row)}" for row in value) + "\n  ]"
    return _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class _NotFiniteError(Exception):
    pass


class _TwiceError(Exception):
    pass


def _finite(token: str) -> float:
    value = float(token)
    if not math.isfinite(value):
        raise _NotFiniteError(token)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise _TwiceError(key)
        members[key] = value
    return members


def _line_of(text: str, token: str) -> int:
    """The line of the first such token that is not inside a string."""
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|[-+.\w]+', text):
        if match[0] == token:
            return text.count("\n", 0, match.start()) + 1
    return 1


def _quoted(value: Any) -> str:
    return shown(json.dumps(value, ensure_ascii=False, default=str))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _range(least: float, most: float) -> str:
    return f"at least {least:g}" if math.isinf(most) else f"between {least:g} and {most:g}"
