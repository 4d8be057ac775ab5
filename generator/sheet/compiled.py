"""One spec, read, resolved and costed: what every command and renderer starts from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from generator.files.resources import builtin_specs_dir
from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
from generator.ops.base import TRAINING
from generator.resolve.architecture import Architecture, BlockRow
from generator.resolve.binding import option_problem
from generator.resolve.declared_sizes import evaluated
from generator.resolve.decoding_sizes import growths
from generator.resolve.resolver import Resolver
from generator.sheet.claims.claimed_rows import Costs
from generator.sheet.claims.verdicts import sheet_claims
from generator.sheet.costed import Costed, costed
from generator.sheet.costs import makers, output_names, totals
from generator.sheet.pass_peak import PeakMemory
from generator.sheet.preset_totals import sheet_preset, sheet_presets
from generator.sheet.saved_bytes import SavedMemory
from generator.sheet.sheet import Constraint, OptionFlow, Sheet, SheetClaim, SheetPreset, SheetRow, Size
from generator.sheet.weights_read import ends_moved, sheet_weights, weights_read
from generator.spec.choices import Choices
from generator.spec.library import Library, with_variant
from generator.spec.model import Claim, Preset, Spec
from generator.spec.references import Reference, read_references
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.suggest import did_you_mean

_derived: WeakKeyDictionary[Library, dict[tuple[str, str], tuple[Compiled, tuple[Problem, ...]]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Compiled:
    """A spec's architecture (for the module) and its sheet (for everything else)."""

    architecture: Architecture
    sheet: Sheet


def compile_spec(library: Library, name: str, options: Mapping[str, Any] | None = None) -> Compiled:
    """Read, resolve and cost a spec.

    Args:
        options: values for options of the spec, instead of their defaults.

    Raises:
        ProblemsError: with all independent problems, claims and expectations included.
    """
    compiled, doubts = derive(library, name, options)
    if doubts:
        raise ProblemsError(doubts)
    return compiled


def derive(library: Library, name: str, options: Mapping[str, Any] | None = None) -> tuple[Compiled, tuple[Problem, ...]]:
    """Read, resolve and cost a spec; also return the claims that do not hold and the expectations that are missed, which change no count.

    The same is derived once for one library.

    Raises:
        ProblemsError: with all independent problems, those included; where there are no others, nothing is raised.
    """
    known = _derived.setdefault(library, {})
    key = (name, repr(sorted((options or {}).items())))
    if key not in known:
        known[key] = _derive(library, name, options)
    return known[key]


def _derive(library: Library, name: str, options: Mapping[str, Any] | None) -> tuple[Compiled, tuple[Problem, ...]]:
    spec = library.draft(name)
    doubts, problems = Problems(), Problems()
    problems.extend(spec.problems)
    references = read_references(dict.fromkeys((builtin_specs_dir(), *library.roots)))
    cited = _cited(spec, references, problems)
    try:
        traced = costed(library, spec, options)
    except ProblemsError as error:
        raise ProblemsError([*problems, *with_variant(name, spec.sources, error.problems)]) from None
    arch, rows = traced.architecture, traced.rows
    sums = totals(rows)
    sizes = _sizes(spec, arch, traced.facts)
    constraints = _constraints(spec, arch, in_training=False)
    outputs = output_names(arch)
    conditions = [(c.text, c.condition) for c in constraints]
    others = list(_other_presets(library, spec, problems, doubts)) if not options else []
    sheet = Sheet(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        family=spec.family,
        source=library.relative(name),
        source_hash=source_hash(library, name),
        sizes=sizes,
        options=dict(arch.options),
        inputs={n: x.shape for n, x in arch.inputs.items()},
        input_kinds={n: x.kind for n, x in arch.inputs.items()},
        outputs={name: arch.outputs[n].shape for n, name in outputs.items()},
        handed={outputs[n]: row for n, row in makers(arch).items() if outputs[n] != row},
        constraints=constraints,
        trained=_constraints(spec, arch, in_training=True),
        rows=rows,
        totals=sums,
        presets=sheet_presets(_in_force(spec, arch.options), sizes, sums, conditions, problems, doubts),
        other_presets=tuple(preset for preset, _ in others),
        claims=(
            *_judged(library, _claims_in_force(spec, arch.options), arch, rows, sizes, constraints, doubts),
            *(claim for _, said in others for claim in said),
        ),
        cite=spec.cite,
        references=cited,
        option_meanings={name: option.meaning for name, option in spec.options.items()},
        axes=_axes(arch),
        averages=tuple(sorted(arch.tracer.averages, key=str)),
        saved=saved_memory(library, traced),
        inference=(used := _in_inference(library, spec, traced, options)),
        inference_peak=PeakMemory(library.in_inference(), spec, options=arch.options) if used else None,
        weights=(weights := sheet_weights(traced)),
        weights_read=weights_read(weights, traced.facts),
        ends_moved=ends_moved(traced),
        growths=growths(arch),
        families=spec.entries,
        flows=tuple(dict.fromkeys(_flows(arch, ()))),
        peak=PeakMemory(library, spec, options=arch.options, traced=arch),
    )
    if len(problems):
        raise ProblemsError([*problems, *doubts])
    return Compiled(arch, sheet), tuple(doubts)


@dataclass(frozen=True)
class Variant:
    """A spec's costs under other circumstances, and the conditions under which they hold there."""

    rows: tuple[SheetRow, ...]
    totals: Mapping[str, Expr]
    saved: SavedMemory
    peak: PeakMemory
    conditions: tuple[Boolean, ...]


def variant(library: Library, name: str, *, on_inputs: bool | None = None, fixed: Mapping[str, int] | None = None) -> Variant:
    """Return the costs of a spec under other circumstances.

    Args:
        on_inputs: whether all of its float inputs need a gradient, or none does; as the spec declares them by default.
        fixed: sizes that are these numbers, such as that of a stack with fewer layers than the formula for any number holds for, or an
            axis of one, where PyTorch copies less.

    Raises:
        ProblemsError: the spec has problems.
    """
    numbers = {size: Integer(value) for size, value in (fixed or {}).items()}
    traced = costed(library, library.spec(name), on_inputs=on_inputs, bound=numbers)
    memory = saved_memory(library, traced, on_inputs=on_inputs, bound=numbers)
    conditions = tuple(required.condition for required in traced.architecture.requirements)
    peak = PeakMemory(library, library.spec(name), on_inputs=on_inputs, bound=numbers)
    return Variant(traced.rows, totals(traced.rows), memory, peak, conditions)


def saved_memory(
    library: Library, traced: Costed, *, on_inputs: bool | None = None, bound: Mapping[str, Expr] | None = None
) -> SavedMemory:
    """Return what a traced architecture keeps for the backward pass, in full and in half precision."""
    full, arch = traced.saved, traced.architecture
    if not arch.tracer.depends_on_precision:
        return SavedMemory(full)
    return SavedMemory(full, lambda: costed(library, arch.spec, arch.options, on_inputs=on_inputs, half=True, bound=bound).saved)


def _in_inference(library: Library, spec: Spec, traced: Costed, options: Mapping[str, Any] | None) -> dict[str, Expr]:
    """Return the totals that are others where the module of a spec does not train."""
    if not (library.is_training and traced.architecture.tracer.depends_on_mode):
        return {}
    used = totals(costed(library.in_inference(), spec, options).rows)
    trained = totals(traced.rows)
    return {key: total for key, total in used.items() if total != trained[key]}


def _in_half(library: Library, arch: Architecture) -> Architecture:
    """Return a traced architecture once more, as one of numbers of two bytes."""
    return Resolver(library, half=True).architecture(arch.spec, arch.options)


def _in_force(spec: Spec, options: Mapping[str, Any]) -> list[Preset]:
    """Return the presets that go with options, and with the blocks that fill the slots by default."""
    plain = [preset for preset in spec.presets.values() if not preset.slots]
    return [preset for preset in plain if all(options.get(name) == value for name, value in preset.options.items())]


def _claims_in_force(spec: Spec, options: Mapping[str, Any]) -> list[Claim]:
    """Return the claims of a spec, and what sources print of the presets that go with options."""
    return [*spec.claims, *(claim for preset in _in_force(spec, options) for claim in preset.claims)]


def _judged(
    library: Library,
    claims: Iterable[Claim],
    arch: Architecture,
    rows: Sequence[SheetRow],
    sizes: Sequence[Size],
    constraints: Sequence[Constraint],
    doubts: Problems,
) -> tuple[SheetClaim, ...]:
    """Return claims of a traced spec with their verdicts. They are about training, so that none is doubted in inference."""
    costs = Costs(rows, arch, lambda: _in_half(library, arch))
    told = doubts if library.is_training else Problems()
    return sheet_claims(claims, arch, costs, sizes, constraints, arch.tracer.facts, told)


def _other_presets(
    library: Library, spec: Spec, problems: Problems, doubts: Problems
) -> Iterator[tuple[SheetPreset, tuple[SheetClaim, ...]]]:
    """Yield the presets that go with other options or blocks than the defaults, with the formulas under these; and what sources print."""
    usual = _in_force(spec, {name: option.default for name, option in spec.options.items()})
    known: list[tuple[Preset, Library, Compiled]] = []
    for preset in spec.presets.values():
        if preset in usual or not (set(preset.options) <= set(spec.options) and set(preset.slots) <= set(spec.slots)):
            continue
        wrong = [(name, option_problem(spec, spec.options[name], value)) for name, value in preset.options.items()]
        for name, said in wrong:
            if said:
                problems.add(f"preset `{preset.name}`: {said[0]}", preset.where(f"options.{name}"), *said[1:])
        if any(said for _, said in wrong):
            continue
        try:
            chosen, compiled = _under(library, spec, preset, known)
            under = compiled.sheet
            judged = _judged(chosen, preset.claims, compiled.architecture, under.rows, under.sizes, under.constraints, doubts)
            printed = tuple(replace(claim, check=None) for claim in judged)  # its formulas are not those of the sheet
        except ProblemsError as error:
            problems.extend(error.problems)
            continue
        conditions = [(one.text, one.condition) for one in under.constraints]
        found = sheet_preset(preset, under.sizes, under.totals, conditions, problems, doubts)
        slots = {name: use.spec for name, use in preset.slots.items()}
        yield replace(found, options=dict(preset.options), slots=slots, under=under), printed


def _under(library: Library, spec: Spec, preset: Preset, known: list[tuple[Preset, Library, Compiled]]) -> tuple[Library, Compiled]:
    """Return a spec as a preset has it, and the library in which it is so; presets of the same options and blocks share theirs."""
    for other, chosen, compiled in known:
        if (other.options, other.slots) == (preset.options, preset.slots):
            return chosen, compiled
    chosen = library.chosen(Choices.of(spec.name, preset))
    known.append((preset, chosen, derive(chosen, spec.name)[0]))
    return chosen, known[-1][2]


def _flows(arch: Architecture, around: tuple[Architecture, ...]) -> Iterator[OptionFlow]:
    """Yield the options of used specs that come from options around them, the outermost rows first."""
    chain = (arch, *around)
    for bound in arch.rows:
        if not isinstance(bound, BlockRow):
            continue
        child = bound.child
        for name, source in child.option_sources.items():
            giver = next((one.spec.name for one in chain if source in one.options), arch.spec.name)
            yield OptionFlow(name, child.spec.name, child.options[name], source, giver)
        yield from _flows(child, chain)


def _axes(arch: Architecture) -> tuple[Expr, ...]:
    return tuple(sorted((axis for axis in arch.tracer.axes if axis.free_symbols), key=str))


def source_hash(library: Library, name: str) -> str:
    """Return the SHA-256 over a spec and all it uses, in hexadecimal."""
    digest = sha256()
    for used in library.closure(name, read=True):
        digest.update(f"{used}\0".encode())
        digest.update(library.draft(used).source.text.encode())
    return digest.hexdigest()


def _sizes(spec: Spec, arch: Architecture, facts: Facts) -> tuple[Size, ...]:
    found = []
    for name, dim in spec.dims.items():
        value = None
        if dim.kind == "derived":
            value = arch.sizes[name]
        elif dim.value is not None:
            value = evaluated(dim.value, arch.sizes, facts, Problems())
        found.append(Size(name, dim.meaning, dim.kind, value))
    return tuple(found)


def _constraints(spec: Spec, arch: Architecture, *, in_training: bool) -> tuple[Constraint, ...]:
    """All conditions of the spec and of what it uses, each once, in the spec's own sizes; those of training are apart."""
    order = tuple(spec.dims)
    texts: dict[str, Constraint] = {}
    for requirement in arch.requirements:
        if (
            requirement.applies
            and (TRAINING in requirement.when) == in_training
            and requirement.condition.free_symbols <= {symbol(name) for name in order}
        ):
            text = to_text(requirement.condition, order)
            texts.setdefault(text, Constraint(text, requirement.condition))
    return tuple(texts.values())


def _cited(spec: Spec, references: Mapping[str, Reference], problems: Problems) -> dict[str, Reference]:
    """Return the references that a spec cites; unknown keys are problems."""
    presets = spec.presets.values()
    places = [spec.cites, *(preset.cites for preset in presets), *(claim.cites for claim in spec.all_claims)]
    places += [preset.implementation.cites for preset in presets if preset.implementation is not None]
    found: dict[str, Reference] = {}
    for key, span in (entry for spans in places for entry in spans.items()):
        if key in references:
            found[key] = references[key]
        else:
            problems.add(f"`{key}` is not in references.yaml", span, *did_you_mean(key, references))
    return found
