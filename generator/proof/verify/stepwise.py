"""Decoding: a module that keeps a state, run step by step, must come to what it comes to in one pass over all tokens.

Everything is run in float64 with random weights, at drawn sizes and with the same splits each time. Where a stepwise run cannot come to the
same by definition, such as where tokens look at later ones, that is said with its reason and is no comparison.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from sympy import Expr, Integer, Symbol
from torch import Tensor, nn

from generator.formulas.evaluate import evaluate
from generator.formulas.text import to_text
from generator.ops.cache import Cache
from generator.proof.verify.failures import described
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import NoSampleError, sample
from generator.proof.verify.state import sizes_of_step
from generator.resolve.decoding_sizes import caches, growths
from generator.resolve.keepers import keepers
from generator.resolve.once import is_kept_once, keeps_once, run_once
from generator.resolve.states import forgetting
from generator.resolve.stepwise_mistakes import mixing_row
from generator.trace.tensor import Shape

TOLERANCE = 1e-10  # of float64 results, times the greatest of them where that is above one
SETS = 2  # so many sets of sizes are drawn
LEAST, MOST = 5, 12  # tokens in all
ATTEMPTS = 300
Sizes = Mapping[str, int]
Split = tuple[int, ...]


@dataclass(frozen=True)
class DecodingCheck:
    """One split at one set of sizes. `found` says what differs from the whole pass, and is empty where nothing does."""

    sizes: Sizes
    split: Split
    found: str = ""

    @property
    def equal(self) -> bool:
        """Whether each step came to what the whole pass comes to for its tokens."""
        return not self.found

    @property
    def steps(self) -> str:
        """The tokens of each step: `3+1+1`."""
        return "+".join(map(str, self.split))


@dataclass(frozen=True)
class Decoding:
    """What the stepwise runs of one spec came to.

    Args:
        reason: why a stepwise run is no comparison here; empty where it is one.
        left_out: splits that the spec's conditions do not allow, each with the condition.
    """

    checks: tuple[DecodingCheck, ...] = ()
    reason: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether no split differs."""
        return all(check.equal for check in self.checks)


class NotApplicableError(Exception):
    """A stepwise run cannot come to what the whole pass comes to; the message says why."""


def check_decoding(bench: Workbench, name: str) -> Decoding | None:
    """Compare stepwise runs with whole passes. None where the module keeps nothing between steps."""
    arch = bench.modules.view(name).arch
    if not bench.modules.view(name).stateful:
        reasons = [row.forgets for row in forgetting(arch)]
        return Decoding(reason=f"no state is kept: {reasons[0]}") if reasons else None
    rng = random.Random(f"decoding {name}")  # noqa: S311  sizes to try, not secrets
    checks: list[DecodingCheck] = []
    left_out: dict[str, None] = {}
    try:
        tokens = _Tokens(bench, name)
        for _ in range(SETS):
            sizes = tokens.drawn(rng)
            splits, refused = tokens.splits(sizes, rng)
            left_out |= dict.fromkeys(refused)
            checks += _compared(bench, name, tokens, sizes, splits, seed=rng.randrange(2**31))
    except NotApplicableError as error:
        return Decoding(reason=str(error))
    return Decoding(tuple(checks), left_out=tuple(left_out))


class _Tokens:
    """Which sizes of a spec count tokens, those of a step or all so far, and what a step changes.

    Raises:
        NotApplicableError: nothing grows, or not by a size of the spec.
    """

    def __init__(self, bench: Workbench, name: str) -> None:
        self.bench, self.name = bench, name
        self.arch, self.sheet = bench.compiled(name).architecture, bench.compiled(name).sheet
        self.pairs = growths(self.arch)
        self.once = [i for i, name in enumerate(self.arch.spec.inputs) if self._is_read_once(name)]
        ops = [kept.row.op for kept in caches(self.arch)]
        self.windows = [op.keep for op in ops if isinstance(op, Cache) and op.keep is not None]
        self.new = list(dict.fromkeys(pair.new for pair in self.pairs)) or self._steps() or self._beside_what_is_kept_once()
        counted = {size.name for size in self.new}
        frozen = [argument.name for argument in bench.modules.view(name).arguments if argument.name in counted]
        if frozen:
            raise NotApplicableError(f"it is built for one number of tokens, {frozen[0]}")

    def _steps(self) -> list[Symbol]:
        """Return the sizes along which its recurrences and causal convolutions go on."""
        lengths = dict.fromkeys(one.length for one in keepers(self.arch) if not one.row.forgets and not one.reason)
        sizes = {size for x in self.arch.inputs.values() for axis in x.shape for size in axis.free_symbols}
        for length in lengths:
            if len(length.free_symbols & sizes) != 1:
                raise NotApplicableError(f"its number of steps, {to_text(length, tuple(self.arch.spec.dims))}, is no size of its own")
        return list(dict.fromkeys(size for length in lengths for size in length.free_symbols & sizes))

    def _beside_what_is_kept_once(self) -> list[Symbol]:
        """Return a size along which inputs may be given in pieces that later steps read too; none where steps are whole.

        Raises:
            NotApplicableError: nothing is kept once.
        """
        shapes = [(name in {[*self.arch.inputs][i] for i in self.once}, x.shape) for name, x in self.arch.inputs.items()]
        if not keeps_once(self.arch):
            raise NotApplicableError("nothing in it is said to grow from step to step")
        once = {size for is_once, shape in shapes if is_once for axis in shape for size in axis.free_symbols}
        found = [axis for is_once, shape in shapes if not is_once for axis in shape[1:] if isinstance(axis, Symbol) and axis not in once]
        return found[:1] if once else []

    def at(self, sizes: Sizes, start: int, length: int) -> dict[str, int]:
        """Return all sizes in a step of `length` tokens behind `start` others."""
        changed = {size.name: length for size in self.new}
        return sizes_of_step(
            self.bench, self.name, sizes, changed | {n: value for pair in self.pairs for n, value in pair.at(start, length).items()}
        )

    def total(self, sizes: Sizes) -> int:
        """Return the number of tokens of a whole pass; one where steps are whole."""
        return sizes[self.new[0].name] if self.new else 1

    def drawn(self, rng: random.Random) -> dict[str, int]:
        """Return random sizes of a whole pass over some tokens, with which caches drop tokens if they ever do.

        Raises:
            NotApplicableError: there are none.
        """
        found: dict[str, int] = {}
        for _ in range(ATTEMPTS):
            try:
                sizes = sample(self.sheet, rng)
            except NoSampleError as error:
                raise NotApplicableError(str(error)) from None
            if not self.new:
                return sizes
            total = max([sizes[size.name] for size in self.new] + [pair.past(sizes) + sizes[pair.new.name] for pair in self.pairs])
            whole = self.at(sizes, 0, total)
            if LEAST <= total <= MOST and not self.broken(whole):
                if all(evaluate(keep, whole) < total - 1 for keep in self.windows) and any(self._equal_parts(whole)):
                    return whole
                found = found or whole
        if found:
            return found
        raise NotApplicableError(f"no small sizes were found with {LEAST} to {MOST} tokens in one pass")

    def _is_read_once(self, name: str) -> bool:
        """Say whether an input holds numbers that only the first step reads."""
        once = {*run_once(self.arch.spec), *(row.name for row in self.arch.rows if is_kept_once(row.row))}
        readers = {row.name for row in self.arch.rows if name in row.input_names}
        return self.arch.inputs[name].kind == "float" and bool(readers) and readers <= once

    @property
    def dropping(self) -> str:
        """Say that tokens are dropped, which may be why results differ; empty where none are."""
        first = next((kept.row.path for kept in caches(self.arch) if kept.drops), "")
        return f"; `{first}` keeps the last tokens alone, and one pass must hide the others too" if first else ""

    def broken(self, sizes: Sizes) -> str:
        """Return the condition that sizes break, or the row that would have nothing to hold; empty where all is well."""
        for constraint in self.sheet.constraints:
            if not evaluate(constraint.condition, sizes):
                return constraint.text
        empty = (
            row.path
            for row in self.sheet.rows
            for _, shape in row.shapes
            for axis in shape
            if evaluate(axis, sizes) < 1 and not self.sheet.is_average(axis)
        )
        return next((f"an axis of `{row}` to have an element" for row in empty), "")

    def splits(self, sizes: Sizes, rng: random.Random) -> tuple[list[Split], list[str]]:
        """Return one token at a time, a prompt and then single tokens, and random pieces; and those of them that are not allowed."""
        if not self.new:
            return [(1, 1, 1)], []
        total = self.total(sizes)
        wanted = [(1,) * total, (total // 2, *(1,) * (total - total // 2))]
        allowed = [split for split in wanted if not self._refused(sizes, split)]
        refused = [
            f"{DecodingCheck(sizes, split).steps} would need {self._refused(sizes, split)}" for split in wanted if split not in allowed
        ]
        for _ in range(ATTEMPTS):
            cuts = sorted(rng.sample(range(1, total), rng.randint(1, min(3, total - 1))))
            pieces = tuple(end - start for start, end in zip([0, *cuts], [*cuts, total], strict=True))
            if pieces not in wanted and not self._refused(sizes, pieces):
                return [*allowed, pieces], refused
        allowed = allowed or [*islice(self._equal_parts(sizes), 1)]
        if not allowed:
            raise NotApplicableError(f"tokens cannot be given in steps: {refused[0]}")
        return allowed, refused

    def _equal_parts(self, sizes: Sizes) -> Iterator[Split]:
        """Yield the splits into steps of as many tokens each that are allowed, as where tokens come in whole chunks."""
        total = self.total(sizes)
        parts = ((part,) * (total // part) for part in range(1, total) if total % part == 0)
        return (split for split in parts if not self._refused(sizes, split))

    def _refused(self, sizes: Sizes, split: Split) -> str:
        return next((text for start, length in _steps(split) if (text := self.broken(self.at(sizes, start, length)))), "")

    def cut(self, x: Tensor, shape: Shape, sizes: Sizes, start: int, length: int) -> Tensor:
        """Return a step's part of a tensor of the whole pass: its own tokens; of axes that hold earlier ones too, the last of all so far.

        Raises:
            NotApplicableError: an axis cannot be cut.
        """
        step = self.at(sizes, start, length)
        for axis, size in enumerate(shape):
            if self.is_new(size):
                x = x.narrow(axis, int(evaluate(size, self.at(sizes, 0, start))), int(evaluate(size, step)))
            elif self._grows(size):
                so_far, held = (int(evaluate(size, values)) for values in (self.at(sizes, 0, start + length), step))
                x = x.narrow(axis, max(so_far - held, 0), held)
        return x

    def is_new(self, size: Expr) -> bool:
        """Say whether an axis holds the tokens of a step, one or several elements each. Raises NotApplicableError for mixtures."""
        found = [one for one in self.new if size.has(one)]
        if not found or any(self._is_total(size, one) for one in found):
            return False
        if len(found) > 1 or (size / found[0]).has(found[0]):
            raise NotApplicableError(f"an axis of {to_text(size, tuple(self.arch.spec.dims))} cannot be cut into steps")
        return True

    def _is_total(self, size: Expr, new: Symbol) -> bool:
        """Say whether a size that names the new tokens counts all so far: n + p."""
        return any(p.new == new and p.is_past and not size.xreplace({new: Integer(0) - p.other}).expand().has(p.other) for p in self.pairs)

    def _grows(self, size: Expr) -> bool:
        return any(size.has(pair.other) for pair in self.pairs)


def _steps(split: Split) -> Iterator[tuple[int, int]]:
    """Yield where each step starts and how many tokens it has."""
    start = 0
    for length in split:
        yield start, length
        start += length


def _compared(bench: Workbench, name: str, tokens: _Tokens, sizes: Sizes, splits: Sequence[Split], *, seed: int) -> Iterator[DecodingCheck]:
    """Run the splits; whatever stops one is a difference. Raises NotApplicableError."""
    with torch.random.fork_rng(devices=[]), torch.no_grad(), _one_thread():
        torch.manual_seed(seed)
        try:
            runs = _StepwiseRuns(bench, name, tokens, sizes)
        except NotApplicableError:
            raise
        except Exception as error:  # noqa: BLE001  whatever stops a generated module is a finding to report
            yield DecodingCheck(sizes, (tokens.total(sizes),), described(bench, error))
            return
        for split in splits:
            try:
                found = runs.difference(split)
            except NotApplicableError:
                raise
            except Exception as error:  # noqa: BLE001  as above
                found = described(bench, error)
            yield DecodingCheck(sizes, split, found)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run without threads: they wait for each other at each of the many small operations, for longer than these take."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _StepwiseRuns:
    """A module with random weights and inputs, and what it comes to in one pass."""

    def __init__(self, bench: Workbench, name: str, tokens: _Tokens, sizes: Sizes) -> None:
        self.tokens, self.sizes = tokens, sizes
        self.module: Any = bench.build(name, sizes, dtype=torch.float64).eval()
        _randomise(self.module)
        self.inputs = bench.inputs(name, sizes, dtype=torch.float64)
        self.shapes = [x.shape for x in tokens.arch.inputs.values()]
        self.outputs = {name: x.shape for name, x in tokens.arch.outputs.items()}
        self.whole = self._run(self.inputs)
        self.passes: dict[int, list[Tensor]] = {tokens.total(sizes): self.whole}

    def _run(self, inputs: Sequence[Tensor], state: dict[str, Any] | None = None) -> list[Tensor]:
        result = self.module(*inputs) if state is None else self.module(*inputs, state)
        return list(result) if isinstance(result, tuple) else [result]

    def _fed(self, start: int, length: int, *, is_later: bool = False) -> list[Tensor]:
        """Return the inputs of a step; in later ones no numbers stand where what the first step has made of them is kept."""
        inputs = [torch.full_like(x, torch.nan) if is_later and i in self.tokens.once else x for i, x in enumerate(self.inputs)]
        return [self.tokens.cut(x, shape, self.sizes, start, length) for x, shape in zip(inputs, self.shapes, strict=True)]

    def _pass_over(self, length: int) -> list[Tensor] | None:
        """Return what one pass over the first tokens alone comes to; None where the spec does not allow so many."""
        if length not in self.passes:
            if self.tokens.broken(self.tokens.at(self.sizes, 0, length)):
                return None
            self.passes[length] = self._run(self._fed(0, length))
        return self.passes[length]

    def difference(self, split: Split) -> str:
        """Return where the steps come to something else than the whole pass; empty where they never do."""
        state: dict[str, Any] = {}
        for start, length in _steps(split):
            found = self._run(self._fed(start, length, is_later=start > 0), state)
            for index, (name, shape) in enumerate(self.outputs.items()):
                expected = self._expected(index, name, shape, start, length)
                far = None if expected is None else _distance(found[index], expected)
                if far:
                    self._refuse_of_all(name, shape)
                    which = f"token {start + 1}" if length == 1 else f"tokens {start + 1} to {start + length}"
                    which = which if self.tokens.new else f"step {start + 1}"
                    return f"`{name}` differs at {which} of {self.tokens.total(self.sizes)}: {far}{self.tokens.dropping}"
        return ""

    def _refuse_of_all(self, name: str, shape: Shape) -> None:
        """Raise NotApplicableError for a result of all tokens at once behind a recurrence, such as their mean: no step has seen them all.

        Beside a cache, which says that the spec is for decoding, a row that makes such a result is a mistake.
        """
        row = "" if self.tokens.pairs else mixing_row(self.tokens.arch, self.tokens.new)
        if row and not any(self.tokens.is_new(size) for size in shape):
            raise NotApplicableError(f"`{row}` computes `{name}` from all tokens at once, and keeps none of them for later steps")

    def _expected(self, index: int, name: str, shape: Shape, start: int, length: int) -> Tensor | None:
        """Return what a step should come to; None where no pass could tell. Raises NotApplicableError where later tokens change it."""
        shorter = self._pass_over(start + length)
        if not any(self.tokens.is_new(size) for size in shape):  # it tells of all tokens so far
            return None if shorter is None else shorter[index]
        expected = self.tokens.cut(self.whole[index], shape, self.sizes, start, length)
        if shorter is not None:
            alone = self.tokens.cut(shorter[index], shape, self.sizes, start, length)
            if _distance(alone, expected):
                reason = f"`{name}` of a token depends on later tokens, which a step has not seen: it is not causal"
                raise NotApplicableError(reason)
        return expected


def _randomise(module: nn.Module) -> None:
    """Give all weights random values, those too that begin as zeros or ones."""
    for weight in module.parameters():
        scale = weight.shape[-1] ** -0.5 if weight.dim() > 1 else 0.5
        weight.copy_(torch.randn_like(weight) * scale + (weight.mean() if weight.dim() == 1 else 0))


def _distance(found: Tensor, expected: Tensor) -> str:
    """Say how two tensors differ; empty where they do not."""
    if found.shape != expected.shape:
        return f"its shape is {list(found.shape)}, not {list(expected.shape)}"
    if not found.is_floating_point():
        return "" if torch.equal(found, expected) else "other numbers"
    finite = expected.isfinite()
    if not finite.any():
        return "the whole pass comes to no finite number"
    if not torch.equal(found.isfinite(), finite) or not torch.equal(found[~finite], expected[~finite]):
        return "other elements are infinite or no numbers"
    far = (found[finite] - expected[finite]).abs().max().item()
    return "" if far <= TOLERANCE * max(1.0, expected[finite].abs().max().item()) else f"by {far:.2g}"
