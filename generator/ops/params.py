"""The kinds of parameter that a row may give to its op, from YAML value to bound value.

Each kind says how it looks in the JSON Schema, how a value is parsed (with its position, before anything is known about sizes)
and how it is bound once the sizes and options of the architecture at hand are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Rational

from generator.text.expressions import Ast, ExpressionError, parse_expression, parse_table_value, symbolic
from generator.text.naming import NAME, RESULT
from generator.text.source import Span
from generator.text.spec_values import as_written
from generator.text.suggest import did_you_mean, listed


@dataclass(frozen=True)
class Raw:
    """A value as it stands in the file: plain data, the text of a scalar, and where it stands."""

    value: Any
    text: str
    span: Span


@dataclass(frozen=True)
class Flag:
    """A yes or no; `option` names the option that decides it, if one does."""

    value: bool
    option: str | None = None

    def __bool__(self) -> bool:
        return self.value


@dataclass(frozen=True)
class Choice:
    """One word of a fixed set; `option` names the option that decides it, if one does."""

    value: str
    option: str | None = None


@dataclass(frozen=True)
class NumberOption:
    """A number such as an epsilon; `option` names the option that decides it, if one does."""

    value: float
    text: str
    option: str | None = None


class BindError(ValueError):
    """A parameter's value does not fit; the message says why, `notes` may help further; `cause` as in `Problem`."""

    def __init__(self, message: str, *notes: str, offset: int = 0, length: int = 1, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause
        self.notes = notes
        self.offset = offset
        self.length = length


@dataclass(frozen=True)
class ParamScope:
    """What a value may refer to: sizes by name, the options in force, and the words from which each of them may be chosen."""

    sizes: Mapping[str, Expr]
    options: Mapping[str, Any]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Kind:
    """A kind of parameter."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        raise NotImplementedError

    def parse(self, raw: Raw) -> Any:
        """Return the parsed value. Raises ExpressionError or BindError."""
        return raw.value

    def bind(self, parsed: Any, scope: ParamScope) -> Any:
        """Return the value with sizes and options filled in. Raises ExpressionError or BindError."""
        return parsed


class FlagKind(Kind):
    """true, false or the name of an option."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["boolean", "string"]}

    def bind(self, parsed: Any, scope: ParamScope) -> Flag:
        """Look an option up where one is named."""
        if isinstance(parsed, bool):
            return Flag(parsed)
        value = _option(parsed, scope, "true, false")
        if not isinstance(value, bool):
            raise BindError(f"option `{parsed}` is `{value}`, where true or false is needed", cause=f"option {parsed}")
        return Flag(value, parsed)


@dataclass(frozen=True)
class ChoiceKind(Kind):
    """One of a fixed set of words, or the name of an option whose value is one of them."""

    words: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {
            "type": "string",
            "description": "one of: " + ", ".join(self.words) + "; or the name of an option",
            "examples": list(self.words),
        }

    def bind(self, parsed: Any, scope: ParamScope) -> Choice:
        """Accept a word, or look an option up."""
        if parsed in self.words:
            return Choice(parsed)
        if parsed not in scope.options:
            raise BindError(f"`{parsed}` is not one of {', '.join(self.words)}", *did_you_mean(parsed, self.words))
        value = scope.options[parsed]
        if value not in self.words:
            raise BindError(
                f"option `{parsed}` is `{as_written(value)}`, which is not one of {', '.join(self.words)}", cause=f"option {parsed}"
            )
        for word in scope.choices.get(parsed, ()):
            if word not in self.words:
                raise BindError(
                    f"option `{parsed}` may be `{word}`, which is not one of {', '.join(self.words)}",
                    *did_you_mean(word, self.words),
                    cause=f"option {parsed}",
                )
        return Choice(value, parsed)


class NumberKind(Kind):
    """A number, or the name of an option whose value is one."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["number", "string"]}

    def parse(self, raw: Raw) -> Any:
        """Keep the text, so that the module shows the number as it was written."""
        return raw

    def bind(self, parsed: Any, scope: ParamScope) -> NumberOption:
        """Look an option up where one is named."""
        if not isinstance(parsed, Raw):
            return NumberOption(float(parsed), repr(parsed))
        if isinstance(parsed.value, str):
            value = _option(parsed.value, scope, "a number")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BindError(
                    f"option `{parsed.value}` is `{as_written(value)}`, where a number is needed", cause=f"option {parsed.value}"
                )
            return NumberOption(float(value), repr(value), parsed.value)
        return NumberOption(float(parsed.value), repr(parsed.value))


class SizeKind(Kind):
    """An expression of sizes."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["integer", "number", "string"]}

    def parse(self, raw: Raw) -> Any:
        """Parse the expression."""
        return parse_expression(raw.text)

    def bind(self, parsed: Any, scope: ParamScope) -> Expr:
        """Evaluate the expression; a default given as a plain number passes through."""
        if isinstance(parsed, int | float):
            return Rational(str(parsed))
        result: Expr = symbolic(parsed, scope.sizes)
        return result


class SizesKind(Kind):
    """One expression, or a list of them."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["integer", "string", "array"], "items": {"type": ["integer", "string"]}}

    def parse(self, raw: Raw) -> tuple[Ast, ...]:
        """Parse each expression."""
        values = raw.value if isinstance(raw.value, list) else [raw.value]
        return tuple(parse_expression(str(value)) for value in values)

    def bind(self, parsed: Any, scope: ParamScope) -> tuple[Expr, ...]:
        """Evaluate each expression."""
        if isinstance(parsed, int):
            return (Rational(parsed),)
        return tuple(symbolic(one, scope.sizes) for one in parsed)


@dataclass(frozen=True)
class Formula:
    """A formula of the numbers of a place: its tree, and its text."""

    ast: Ast
    text: str


class FormulaKind(Kind):
    """A formula of the numbers of a place, and of sizes."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["integer", "number", "string"]}

    def parse(self, raw: Raw) -> Formula:
        """Parse the formula."""
        return Formula(parse_table_value(raw.text), raw.text)


class IndicesKind(Kind):
    """Names for the numbers of a place along each axis, each with the length of the axis."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        lengths = {"type": ["integer", "string"]}
        return {"type": "object", "minProperties": 1, "propertyNames": {"pattern": NAME}, "additionalProperties": lengths}

    def parse(self, raw: Raw) -> tuple[tuple[str, Ast], ...]:
        """Parse each length."""
        return tuple((name, parse_expression(str(length))) for name, length in raw.value.items())

    def bind(self, parsed: Any, scope: ParamScope) -> tuple[tuple[str, Expr], ...]:
        """Evaluate each length."""
        return tuple((name, symbolic(length, scope.sizes)) for name, length in parsed)


class AxisKind(Kind):
    """An axis: its index (negative from the right), or its size as the spec names it."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["integer", "string"]}


class AxesKind(Kind):
    """One axis or a list of axes."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": ["integer", "string", "array"], "items": {"type": ["integer", "string"]}}

    def parse(self, raw: Raw) -> tuple[int | str, ...]:
        """Return a tuple in any case."""
        return tuple(raw.value) if isinstance(raw.value, list) else (raw.value,)


class TextKind(Kind):
    """A text, such as an einops pattern."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": "string"}


class NamesKind(Kind):
    """A list of names for results that other rows read as `row.name`."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": "array", "items": {"type": "string", "pattern": RESULT}, "uniqueItems": True}

    def parse(self, raw: Raw) -> tuple[str, ...]:
        """Return a tuple."""
        return tuple(raw.value)


FLAG = FlagKind()
NUMBER = NumberKind()
SIZE = SizeKind()
SIZES = SizesKind()
AXIS = AxisKind()
AXES = AxesKind()
NAMES = NamesKind()
TEXT = TextKind()


def _option(name: Any, scope: ParamScope, otherwise: str) -> Any:
    if name not in scope.options:
        known = f"expected {otherwise} or the name of an option; options of this spec: {listed(scope.options) or 'none'}"
        raise BindError(f"there is no option `{name}`", *did_you_mean(str(name), scope.options), known, cause=f"option {name}")
    return scope.options[name]


__all__ = [
    "AXES",
    "AXIS",
    "FLAG",
    "NAMES",
    "NUMBER",
    "SIZE",
    "SIZES",
    "TEXT",
    "BindError",
    "Choice",
    "ChoiceKind",
    "ExpressionError",
    "Flag",
    "Formula",
    "FormulaKind",
    "IndicesKind",
    "Kind",
    "NumberOption",
    "ParamScope",
    "Raw",
]
