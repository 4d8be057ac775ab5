"""What a page knows of a sheet, as plain data: texts, whole numbers, and the numbers of formulas in a pool.

Nothing is keyed by a name from a spec, which may be `constructor`: sizes are told by their place in the list of sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sympy import Expr, Integer, Le, Symbol

from generator.formulas.mathml import mathml_name, to_mathml
from generator.quantities import MEASURES, PARAMS, QUANTITIES, STATE_ELEMENTS, TRAINABLE_PARAMS, cost_formula
from generator.questions.growth.crossing_words import preset_words
from generator.questions.growth.growth_summary import first_of_pairs, inside
from generator.questions.growth.inner_crossings import division_of, preferred
from generator.questions.growth.parts import main_quantity
from generator.questions.memory.decoding_passes import step_size
from generator.questions.memory.optimisers import NUMBERS_BY_SHAPE, numbers_kept
from generator.render.site.claim_texts import claim_texts
from generator.render.site.compact import compact
from generator.render.site.formula_pool import UNKNOWN, FormulaPool
from generator.render.site.time_data import time_data
from generator.render.site.translations import named, translations
from generator.sheet.example import known_views
from generator.sheet.pass_peak import Pass, PeakMemory
from generator.sheet.preset_totals import following
from generator.sheet.sheet import Sheet, SheetRow
from generator.text.errors import SizeError

DTYPES: Final = ("float32", "bfloat16")  # of which the highest moment is known; float16 has the second's
MOST_ROWS: Final = 60  # of a spec whose training step is replayed for its page: of more rows that takes minutes
LONGEST: Final = 60_000  # characters of a formula of the highest moment; a longer one is left to `gen memory`
CodeLine = tuple[str, int, str]  # the spec whose module has it, its number, and the line itself


def model_data(sheet: Sheet, pool: FormulaPool, code: Mapping[str, CodeLine] | None = None) -> dict[str, Any]:
    """Return a sheet as plain data.

    Args:
        pool: takes the formulas.
        code: the line of a module that computes a row, by the row's path.
    """
    return {
        "name": sheet.name,
        "title": sheet.title,
        "description": sheet.description,
        "source": sheet.source,
        "sizes": [
            [size.name, size.meaning, size.kind, -1 if size.value is None else pool.add(size.value), compact(mathml_name(size.name))]
            for size in sheet.sizes
        ],
        "conditions": [[one.text, pool.add(one.condition), _places(sheet, one.condition)] for one in sheet.constraints],
        "totals": [pool.add(cost_formula(sheet.totals, measure.key)) for measure in MEASURES],
        "idle": [measure.key for measure in MEASURES if measure.is_idle(sheet.totals)],
        "rows": [_row(sheet, row, pool, (code or {}).get(row.path)) for row in sheet.rows],
        "presets": _presets(sheet),
        "others": [[preset.name, [f"{name}={value}" for name, value in preset.choices.items()]] for preset in sheet.other_presets],
        "options": [[name, str(value), sheet.option_meanings.get(name, "")] for name, value in sheet.options.items()],
        "nothing": pool.add(Integer(0)),
        "saved": {
            kind: [[key, pool.add(count, is_drawn=False)] for key, count in counts.items()]
            for kind, counts in (("full", sheet.saved.full), ("half", sheet.saved.half))
        },
        "memory": _memory(sheet, pool),
        "time": time_data(sheet, pool),
        "decoding": _decoding(sheet),
        "growth": _growth(sheet),
        "claims": claim_texts(sheet),
        "said": translations(_texts(sheet)),
        "named": named((row.name, row.meaning) for row in sheet.rows),
        "sources": [[one.label, one.text, one.url] for _, one in sorted(sheet.references.items())],
    }


def _texts(sheet: Sheet) -> list[str]:
    """Return what the spec says in words and the page shows."""
    meanings = [*(size.meaning for size in sheet.sizes), *sheet.option_meanings.values()]
    return [sheet.title, sheet.description, *meanings, *(row.note for row in sheet.rows), *(row.meaning for row in sheet.rows)]


def _places(sheet: Sheet, condition: Any) -> list[int]:
    """Return the places of the sizes that a condition is about."""
    names = {one.name for one in condition.free_symbols}
    return [index for index, size in enumerate(sheet.sizes) if size.name in names]


def _row(sheet: Sheet, row: SheetRow, pool: FormulaPool, line: CodeLine | None) -> list[Any]:
    shapes = [[part, [_axis(sheet, axis, pool) for axis in axes]] for part, axes in row.shapes]
    costs = [pool.add(row.costs[quantity.key]) for quantity in QUANTITIES]
    repeat = pool.add(row.repeat)
    return [row.path, row.name, row.depth, row.op, list(row.inputs), shapes, repeat, int(row.is_group), costs, row.note, list(line or ())]


def _axis(sheet: Sheet, axis: Expr, pool: FormulaPool) -> int | list[int]:
    """Return the number of an axis's formula; of one that is so long only on average those of a numerator and a denominator."""
    return pool.quotient(axis) if sheet.is_average(axis) else pool.add(axis)


def _presets(sheet: Sheet) -> list[list[Any]]:
    """Return name, sizes as published, those of them that follow others, examples of ours, expected totals, note, and what sources print.

    A sheet without presets has one without a name, of examples only.
    """
    index = {size.name: i for i, size in enumerate(sheet.sizes)}
    found = []
    for view in known_views(sheet):
        preset = view.preset
        sizes = preset.sizes if preset else {}
        follow = following(sheet.sizes, sizes, sheet.families)
        found.append(
            [
                preset.name if preset else "",
                [[index[name], str(value)] for name, value in sizes.items()],
                [index[name] for name in follow],
                [[index[name], str(value)] for name, value in view.examples.items()],
                [[key, str(value)] for key, value in (preset.expect if preset else {}).items()],
                preset.note if preset else "",
                list(preset.implementation or ()) if preset else [],
            ]
        )
    return found


def _memory(sheet: Sheet, pool: FormulaPool) -> dict[str, Any]:
    """Return the counts that memory is made of, and the highest moments of passes as far as one formula holds."""
    used = {**sheet.totals, **sheet.inference}
    forward = sheet.inference_peak or sheet.peak
    return {
        "params": pool.add(sheet.totals[PARAMS.key]),
        "trainable": pool.add(sheet.totals[TRAINABLE_PARAMS.key]),
        "kept": {optimiser: pool.add(numbers_kept(sheet, optimiser)) for optimiser in NUMBERS_BY_SHAPE},
        "state": pool.add(used[STATE_ELEMENTS.key]),
        "forward": _peaks(forward, Pass.FORWARD, pool),
        "step": _peaks(sheet.peak if len(sheet.rows) <= MOST_ROWS else None, Pass.GRADIENTS, pool),
    }


def _peaks(peak: PeakMemory | None, what: Pass, pool: FormulaPool) -> list[Any]:
    """Return for each of `DTYPES` the number of a formula of bytes, and formulas with the least that each must come to for it to hold."""
    one = peak.of(what) if peak is not None else None
    if one is None or one.is_unknown:
        return [None] * len(DTYPES)
    found: list[Any] = []
    for dtype in DTYPES:
        formula = one.bytes(dtype)
        place = UNKNOWN if formula is None else pool.add(formula, is_drawn=False, longest=LONGEST)
        limits = [[pool.add(count, is_drawn=False), least] for count, least in one.limits(dtype)] if place >= 0 else []
        found.append([place, limits] if place >= 0 and all(count >= 0 for count, _ in limits) else None)
    return found


def _decoding(sheet: Sheet) -> list[list[int]]:
    """Return the sizes of new tokens, each with that of all tokens so far (-1 where none counts them); none where nothing decodes.

    In the pass over a prompt, the second follows from the first. Where it counts earlier tokens alone it would be 0, and sizes begin at 1.
    """
    index = {size.name: i for i, size in enumerate(sheet.sizes)}
    if sheet.growths:
        follow = all(sheet.sizes[index[one.other.name]].value == one.new for one in sheet.growths)
        return [[index[one.new.name], index[one.other.name]] for one in sheet.growths] if follow else []
    try:
        return [[index[step_size(sheet)], -1]]
    except SizeError:
        return []


def _growth(sheet: Sheet) -> dict[str, Any]:
    """Return the parts that are compared, over which size first, which sizes bound others, and the crossings that have a closed form."""
    index = {size.name: i for i, size in enumerate(sheet.sizes)}
    division = division_of(sheet)
    crossings = []
    for one in first_of_pairs(inside(sheet)):
        at_presets = [[name, preset_words(value, one.crossing)] for name, value in one.at_presets.items()]
        sides = [one.crossing.first.words, one.crossing.second.words]
        root = compact(to_mathml(one.crossing.root, [*index]))
        crossings.append([one.measure, index[one.crossing.size], *sides, root, at_presets])
    pair = division.pair
    return {
        "quantity": main_quantity(sheet).key,
        "size": index.get(preferred(sheet.sizes) or "", -1),
        "parts": [[part.name, list(part.rows)] for part in division.parts],
        "pair": [part.name for part in (pair.first, pair.second) if part is not None] if pair else [],
        "bounds": _bounds(sheet, index),
        "crossings": crossings,
    }


def _bounds(sheet: Sheet, index: Mapping[str, int]) -> list[list[int]]:
    """Return the pairs of sizes of which the first is at most the second, which can be given, by a condition such as n <= P."""
    settable = {size.name for size in sheet.sizes if size.kind != "derived"}
    pairs = []
    for one in sheet.constraints:
        if isinstance(one.condition, Le) and all(isinstance(side, Symbol) for side in one.condition.args):
            low, high = (side.name for side in one.condition.args)
            if high in settable:
                pairs.append([index[low], index[high]])
    return pairs
