"""The part of a spec that says how the configurations of public models give its sizes and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from generator.spec.keys import CLASS, TEXT, VALUE, WORD, WORDS, KeyKind, Reader, SpecPart, entries, key, part
from generator.spec.values import Expression
from generator.spec.yaml_nodes import Node, Scalar, plain
from generator.spec.yaml_nodes import Sequence as SequenceNode
from generator.text.expressions import Ast, ExpressionError, names, parse_expression
from generator.text.problems import Problem

_CONFIG_KEY = r"^[A-Za-z_][A-Za-z0-9_]*$"


def _allowed(_reader: Reader, _key: Scalar, node: Node) -> tuple[Any, ...]:
    return tuple(plain(item) for item in (node.items if isinstance(node, SequenceNode) else (node,)))


ALLOWED = KeyKind(lambda: {"type": ["boolean", "string", "number", "array"]}, _allowed, tuple)
FORMULA = KeyKind(lambda: {"type": ["integer", "string"]}, lambda reader, _key, node: reader.expression(node))


@dataclass(frozen=True)
class ImportedOption(SpecPart):
    """The key of a configuration that decides an option, and what its words are called here."""

    source: str = key(WORD, "the key of the configuration", "key", required=True, example="hidden_act")
    words: Mapping[str, Any] = key(
        entries(VALUE, pattern=""), "its words and what they are here; others cannot be said", example="{gelu_new: gelu_tanh}"
    )
    short: ClassVar[str] = "key"


@dataclass(frozen=True)
class Import(SpecPart):
    """How the configuration (config.json) of a public model gives the sizes and options of the spec.

    An item of a list is named by its number, `depths_1`, an entry of an object by its key, `rope_parameters_factor`, and how many there
    are is `depths_count`.
    A default that is a formula of other keys stands in for a key that is absent, null or `auto`, any other default for an absent key.
    """

    model_type: tuple[str, ...] = key(WORDS, "what `model_type` says in such a file", required=True, example="llama")
    model: str = key(CLASS, "the class that the spec counts", example="LlamaForCausalLM")
    sizes: Mapping[str, Expression] = key(
        entries(FORMULA), "each size as a formula of the file's keys", required=True, example="{d: hidden_size, w: attention_window / 2}"
    )
    options: Mapping[str, ImportedOption] = key(
        entries(part(lambda: ImportedOption)), "the key that decides an option", example="{tied: tie_word_embeddings}"
    )
    defaults: Mapping[str, Any] = key(
        entries(VALUE, _CONFIG_KEY),
        "what the library takes for a key that is absent: a value, or a formula of other keys",
        example="{num_key_value_heads: num_attention_heads}",
    )
    only: Mapping[str, tuple[Any, ...]] = key(
        entries(ALLOWED, _CONFIG_KEY),
        "the values of a key that the spec stands for, null as [null]; or the formula of other keys that it must equal",
        example="{hidden_act: silu}",
    )
    unless: Mapping[str, tuple[Any, ...]] = key(
        entries(ALLOWED, _CONFIG_KEY),
        "the values of a key that the spec does not stand for; or the formula of other keys that it must not equal",
        example="{embedding_size: hidden_size}",
    )
    cycles: Mapping[str, tuple[str, ...]] = key(
        entries(WORDS, _CONFIG_KEY),
        "lists with a word for each layer: the words that come over and over again",
        example="{layer_types: [sliding_attention, full_attention]}",
    )
    ignore: Mapping[str, str] = key(
        entries(TEXT, _CONFIG_KEY),
        "keys without an effect on costs, each with the reason",
        example="{initializer_range: how weights start}",
    )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The keys that sizes follow from, also by way of defaults: a text that stands for one of them is a formula."""
        first = [name for expression in self.sizes.values() for name in names(expression.ast)]
        return frozenset(reached(first, lambda key: _names(self.defaults.get(key))))

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of a configuration that are used here."""
        options = {option.source for option in self.options.values()}
        return self.numbers | options | {*self.defaults, *self.only, *self.unless, *self.cycles}

    def formula(self, value: Any) -> Ast | None:
        """Return what stands for the value of a key as a formula of other keys; None where it is a plain value, such as a word."""
        named = set(_names(value))
        return parse_expression(value) if named and named <= self.known else None

    def behind(self, name: str) -> tuple[str, ...]:
        """Return the keys that the default of a key follows from."""
        ast = self.formula(self.defaults.get(name))
        return () if ast is None else names(ast)

    def mistakes(self) -> Iterator[Problem]:
        """A key is used or without effect."""
        for name in self.known & self.ignore.keys():
            yield Problem(f"`{name}` is used here, so it is not without effect", self.named(f"ignore.{name}"))


def reached(first: Iterable[str], behind: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Yield keys, then those behind them, and those behind these: each once, the nearest first."""
    found = [*dict.fromkeys(first)]
    for name in found:  # it grows
        yield name
        found += [one for one in behind(name) if one not in found]


def _names(value: Any) -> tuple[str, ...]:
    """Return the names in a text that can be read as a formula; none for anything else."""
    try:
        return names(parse_expression(value)) if isinstance(value, str) else ()
    except ExpressionError:
        return ()
