"""The presets of a page: what they come to in numbers, and their sizes, at which formulas hold for whatever they leave open."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol, expand

from generator.formulas.evaluate import evaluate, reach
from generator.formulas.symbols import symbol
from generator.in_bytes import PEAK_BYTES
from generator.quantities import MATMUL_FLOPS, PARAMS, Shown, keys_in, shown_in
from generator.questions.growth.growth_summary import one_long_sequence
from generator.render.markdown.escape_markdown import code, text
from generator.render.markdown.formula import PageFormulas
from generator.render.markdown.links import citation
from generator.render.markdown.numbers import both, exact, human
from generator.render.markdown.peak_section import DTYPES
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.example import NoExampleError, example_sizes
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet, SheetClaim, SheetPreset
from generator.text.suggest import joined

BATCH = "b"
LONGEST = 2**20  # where conditions allow more, the size is no length, or none that anybody has
AT = "Work and memory at"
_OTHERS = ("Public implementation", "Published", "Note", "Source")  # the columns of what others say
PEAKS = {dtype: f"{PEAK_BYTES.en.short}, {dtype}" for dtype in DTYPES}


@dataclass(frozen=True)
class Presets:
    """What each preset comes to, and its sizes.

    Args:
        open_sizes: those that are open in the sizes; empty where all are set.
        others: what must be said of presets with options or blocks of their own; empty where there are none.
    """

    numbers: MarkdownTable
    sizes: MarkdownTable
    open_sizes: str
    others: str


def presets_section(sheet: Sheet, formulas: PageFormulas) -> Presets:
    """Return what each preset comes to for one sequence, what others have counted of it, and its sizes."""
    presets = sheet.every_preset
    shown = [_at_preset(sheet, preset) for preset in presets]
    batch = " (`b` = 1)" if any(_leaves_batch_open(sheet, preset) for preset in presets) else ""
    opened = [one for one in shown_in(Shown.PRESETS) if any(at[one.key].free_symbols for at in shown)]
    heads = {one.key: f"{one.title}{'' if one.unit == 'scalars' else batch}" for one in opened}
    rows = []
    for preset, at in zip(presets, shown, strict=True):
        name = code(preset.name)
        sizes = ", ".join(f"{code(size)} = {_word(value)}" for size, value in {**preset.sizes, **preset.choices}.items())
        cells = ("" if one.is_idle(at) else _value(at[one.key], f"{one.title} of {name}", one.unit, formulas) for one in opened)
        rows.append([name, sizes, *cells])
    sizes_of_presets = table(*without_empty_columns(["Preset", "Sizes", *heads.values()], rows, tuple(heads.values())))
    return Presets(_numbers(sheet), sizes_of_presets, _open_sizes(sheet, shown), _others(sheet))


def _others(sheet: Sheet) -> str:
    """Name the presets for which the formulas of the page do not hold, and say how theirs are seen."""
    if not sheet.other_presets:
        return ""
    names = [code(preset.name) for preset in sheet.other_presets]
    goes, their = ("goes", "its") if len(names) == 1 else ("go", "their")
    first = sheet.other_presets[0].name
    return (
        f"{joined(names)} {goes} with other options or blocks than those below, so that other formulas hold: {code(f'gen cost {first}')} "
        f"prints them, and {code(f'gen workbook {first}')} writes {their} workbook."
    )


def _numbers(sheet: Sheet) -> MarkdownTable:
    """Return what each preset comes to, at sizes of ours for those that it leaves open: one sequence, as long as is allowed."""
    quantities = shown_in(Shown.PRESETS)
    of_weights = {one.title for one in quantities if one.unit == "scalars"}
    work = [one.title for one in quantities if one.title not in of_weights]
    head = ["Preset", *(one.title for one in quantities if one.title in of_weights), *work, *PEAKS.values(), AT, *_OTHERS]
    rows = []
    for preset in sheet.every_preset:
        sizes, chosen = sizes_at(sheet, preset)
        totals = {key: at_sizes(total, _known(sizes)) for key, total in sheet.under(preset).totals.items()}
        cells = {"Preset": code(preset.name), AT: ", ".join(f"{code(name)} = {value:,}" for name, value in chosen.items())}
        for one in quantities:
            is_known = not one.is_idle(totals) and not totals[one.key].free_symbols
            cells[one.title] = both(evaluate(totals[one.key], {}), one.unit) if is_known else ""
        for dtype, title in PEAKS.items():
            cells[title] = _peak(sheet.under(preset), dtype, sizes)
        printed = "<br>".join(printed_number(claim, sheet) for claim in sheet.claims if claim.of_preset == preset.name)
        others = (_implementation(preset, sheet), printed, text(preset.note), citation(sheet, preset.cite))
        cells |= dict(zip(_OTHERS, others, strict=True))
        rows.append([cells[name] for name in head])
    return table(*without_empty_columns(head, rows, head[1:]), right=[*of_weights, *work, *PEAKS.values()])


@dataclass(frozen=True)
class PresetNumbers:
    """What a preset comes to, at sizes of ours for those that it leaves open; None where those that decide are not known.

    Args:
        chosen: these sizes.
        params: the parameters.
        flops: the matmul FLOPs of a forward pass.
    """

    preset: str
    chosen: Mapping[str, int]
    params: int | None
    flops: int | None


def preset_numbers(sheet: Sheet) -> tuple[PresetNumbers, ...]:
    """Return what each preset comes to."""
    found = []
    for preset in sheet.every_preset:
        sizes, chosen = sizes_at(sheet, preset)
        totals = sheet.under(preset).totals
        at = [at_sizes(totals[key], _known(sizes)) for key in (PARAMS.key, MATMUL_FLOPS.key)]
        params, flops = (int(one) if one.is_Integer else None for one in at)
        found.append(PresetNumbers(preset.name, chosen, params, flops))
    return tuple(found)


def sizes_at(sheet: Sheet, preset: SheetPreset) -> tuple[dict[str, int], dict[str, int]]:
    """Return all sizes of a preset with examples for those that it leaves open, and these alone; without them where none are found."""
    under = sheet.under(preset)
    _, allowed = one_long_sequence(under, preset.sizes)
    chosen = {name: value for name, value in allowed.items() if value <= LONGEST}
    with suppress(NoExampleError):
        chosen |= example_sizes(under, {**preset.sizes, **chosen})
    known = complete(under.sizes, {**preset.sizes, **chosen})
    return {name: value for name, value in known.items() if value is not None}, chosen


def _known(sizes: Mapping[str, int]) -> dict[Symbol, Expr]:
    return {symbol(name): Integer(value) for name, value in sizes.items()}


def _peak(sheet: Sheet, dtype: str, sizes: Mapping[str, int]) -> str:
    """Return the peak of memory where a formula gives it; elsewhere the whole step would have to be replayed."""
    if sheet.peak is None:
        return ""
    formula = sheet.peak_bytes(dtype)
    if formula is None or not {one.name for one in formula.free_symbols} <= sizes.keys():
        return ""
    if not reach(sheet.peak_limits(dtype), sizes):
        return ""
    count = evaluate(formula, sizes)
    return human(count, "bytes") or exact(count)


def _word(value: object) -> str:
    """Return a size or an option as a cell has it; a word may be any text."""
    return code(value) if isinstance(value, str) else str(value).lower()


def preset_parameters(sheet: Sheet) -> tuple[int, ...]:
    """Return the parameters of all presets that set the sizes these depend on, from few to many."""
    counts = (at_sizes(sheet.under(one).totals[PARAMS.key], preset_sizes(sheet.under(one), one.sizes)) for one in sheet.every_preset)
    return tuple(sorted(int(count) for count in counts if count.is_Integer))


def preset_sizes(sheet: Sheet, given: Mapping[str, int]) -> dict[Symbol, Expr]:
    """Return what each size is once some are given; defaults fall back to their value, which may hold open sizes."""
    known: dict[Symbol, Expr] = {}
    for size in sheet.sizes:
        if size.name in given and size.kind != "derived":
            known[symbol(size.name)] = Integer(given[size.name])
        elif size.value is not None:
            known[symbol(size.name)] = size.value.xreplace(known)
    return known


def at_sizes(formula: Expr, known: Mapping[Symbol, Expr]) -> Expr:
    """Return a formula with the known sizes put in."""
    return expand(formula.xreplace(dict(known)))


def _at_preset(sheet: Sheet, preset: SheetPreset) -> dict[str, Expr]:
    """Return each total at a preset's sizes, for one sequence where it leaves the batch open."""
    given = dict(preset.sizes) | ({BATCH: 1} if _leaves_batch_open(sheet, preset) else {})
    known = preset_sizes(sheet.under(preset), given)
    return {key: at_sizes(total, known) for key, total in sheet.under(preset).totals.items()}


def _leaves_batch_open(sheet: Sheet, preset: SheetPreset) -> bool:
    return BATCH not in preset.sizes and any(size.name == BATCH and size.kind == "free" for size in sheet.sizes)


def _value(formula: Expr, caption: str, unit: str, formulas: PageFormulas) -> str:
    if formula.free_symbols:
        return formulas.cell(formula, caption)
    return both(evaluate(formula, {}), unit)


def _implementation(preset: SheetPreset, sheet: Sheet) -> str:
    """Return what a public implementation comes to, and which; nothing where the totals expected are arithmetic of our own."""
    if preset.implementation is None:
        return ""
    model, cite = preset.implementation
    found = [_expectation(preset, key, sheet.under(preset).totals[key], sheet) for key in preset.expect]
    return "<br>".join([*found, f"{code(model)}, {citation(sheet, cite)}"])


def printed_number(claim: SheetClaim, sheet: Sheet) -> str:
    """Return a number as a source prints it, with its verdict: `✗ 117M; derived 124,439,808 (Radford et al., 2019, table 2): why`."""
    differs = claim.verdict == "differs"
    what = "" if claim.quantity == PARAMS.key else f"{code(claim.quantity)} "
    where = [code(one) for one in claim.conditions if one != f"preset {claim.of_preset}"]
    said = f" with {', '.join(where)}" if where else ""
    said += f" without {', '.join(map(code, claim.ignored))}" if claim.ignored else ""
    derived = f"; derived {exact(evaluate(claim.derived, {}))}" if differs else ""
    source = ", ".join(filter(None, (citation(sheet, claim.cite), text(claim.note))))
    found = f"{'✗' if differs else '✓'} {what}{text(claim.text)}{said}{derived}{f' ({source})' if source else ''}"
    return f"{found}: {text(claim.erratum)}" if differs else found


def _expectation(preset: SheetPreset, key: str, total: Expr, sheet: Sheet) -> str:
    expected = preset.expect[key]
    found = at_sizes(total, preset_sizes(sheet.under(preset), preset.sizes))
    if not found.free_symbols and evaluate(found, {}) == expected:
        return f"✓ {code(key)} {exact(expected)}"
    derived = "depends on open sizes" if found.free_symbols else f"derived {exact(evaluate(found, {}))}"
    return f"✗ {code(key)} {exact(expected)}, {derived}"


def _open_sizes(sheet: Sheet, shown: list[dict[str, Expr]]) -> str:
    """Name the sizes that are left in the formulas of the table."""
    names = {left.name for at in shown for key in keys_in(Shown.PRESETS) for left in at[key].free_symbols}
    return ", ".join(code(size.name) for size in sheet.sizes if size.name in names)
