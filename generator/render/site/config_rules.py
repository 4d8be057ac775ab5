"""What specs say under `imports`, as data: a page reads a config.json by it as `gen import` does."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from generator.files.writing import MADE_BY
from generator.importing.common_keys import shared
from generator.importing.found import rules
from generator.render.environment import environment
from generator.render.site.escaped import script_json
from generator.render.site.site_files import FIRST, READING, script_parts, texts_of
from generator.render.site.translations import translations
from generator.spec.import_mappings import Import
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.text.expression_tree import Ast, Binary, Call, Name, Number, Unary, fold, names, unparse

# The operations that `templates/site/fractions.js` knows; a rule with another one is left to `gen import`, and the page says so.
ARITHMETIC: Final = frozenset(["+", "-", "*", "/", "//", "%", "floor", "ceil", "min", "max"])


def imports_script(library: Library, pages: Collection[str]) -> str:
    """Return a script that reads configurations by `archsheet.imports`: the rules of the specs that have pages, and what is shared."""
    found = [(spec, rule) for spec, rule in rules(library) if spec.name in pages]
    data = {
        "rules": [_rule(spec, rule) for spec, rule in found],
        "said": translations([*(spec.title for spec, _ in found), *_reasons(rule for _, rule in found)]),
        "shared": [[name, _shared(name)] for name in sorted({rule.name for _, rule in found})],
    }
    own, parts = script_json(texts_of(FIRST, is_reading=True)), script_parts(READING)
    template = environment().get_template("site/imports.js.jinja")
    return template.render(origin=f"{MADE_BY}; do not edit", data=script_json(data), texts=own, parts=parts)


def _reasons(known: Iterable[Import]) -> list[str]:
    """Return why keys have no effect, and what values count otherwise than they are."""
    own = [*known]
    common = [shared(name) for name in dict.fromkeys(rule.name for rule in own)]
    said = [reason for rule in own for reason in rule.ignore.values()]
    said += [reason for one in common for reason in one.ignore.values()]
    return [*said, *(otherwise for one in common for _, otherwise in one.usual.values())]


def _rule(spec: Spec, rule: Import) -> dict[str, Any]:
    """Return a rule as lists of pairs, so that no name is taken for one of JavaScript's own; values are JSON in a text."""
    return {
        "spec": spec.name,
        "title": spec.title,
        "library": rule.name,
        "types": list(rule.model_type),
        "model": rule.model,
        "sizes": [[name, _formula(one.ast)] for name, one in rule.sizes.items()],
        "options": [
            [name, one.source, _value(spec.options[name].default), [[word, _value(value)] for word, value in one.words.items()]]
            for name, one in rule.options.items()
        ],
        "choices": [[name, list(spec.options[name].choices or ())] for name in rule.options],
        "defaults": [[key, _said(rule, value)] for key, value in rule.defaults.items()],
        "only": [[key, _allowed(rule, values)] for key, values in rule.only.items()],
        "unless": [[key, _allowed(rule, values)] for key, values in rule.unless.items()],
        "cycles": [[key, list(words)] for key, words in rule.cycles.items()],
        "ignore": list(map(list, rule.ignore.items())),
        "others": _others(spec),
    }


def _others(spec: Spec) -> list[list[Any]]:
    """Return the presets with other options than those in force and the same blocks: the name, and the options that differ."""
    found = []
    for preset in spec.presets.values():
        differing = {name: value for name, value in preset.options.items() if name in spec.options and value != spec.options[name].default}
        if differing and not preset.slots:
            found.append([preset.name, [[name, _value(value)] for name, value in differing.items()]])
    return found


def _allowed(rule: Import, values: tuple[Any, ...]) -> list[Any]:
    """Return allowed values; a single one may be a formula of other keys."""
    return [_said(rule, value) for value in values] if len(values) == 1 else [_value(value) for value in values]


def _said(rule: Import, value: Any) -> Any:
    formula = rule.formula(value)
    return _value(value) if formula is None else {"formula": _formula(formula)}


def _value(value: Any) -> str:
    return json.dumps(value)


def _formula(ast: Ast) -> list[Any]:
    """Return a formula's text, the keys that it names, and its tree; null in place of a tree that pages cannot work out."""
    try:
        tree = fold(ast, _node)
    except _BeyondPagesError:
        tree = None
    return [unparse(ast), list(names(ast)), tree]


class _BeyondPagesError(Exception):
    """A formula has an operation that pages do not know."""


def _node(node: Ast, operands: list[Any]) -> Any:
    if isinstance(node, Number):
        return [str(node.value.numerator), str(node.value.denominator)]
    if isinstance(node, Name):
        return node.id
    sign = node.function if isinstance(node, Call) else node.op
    if not isinstance(node, Binary | Call | Unary) or sign not in ARITHMETIC:
        raise _BeyondPagesError
    return [sign, operands]


def _shared(library: str) -> Mapping[str, Any]:
    known = shared(library)
    return {
        "ignore": list(map(list, known.ignore.items())),
        "usual": [[key, _value(usual), otherwise] for key, (usual, otherwise) in known.usual.items()],
    }
