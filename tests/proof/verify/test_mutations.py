"""Each op's rules are broken in turn, and the verification must notice and name the op.

Broken are, one at a time, what an op says about its kernels (multiply-accumulates, vector operations, traffic), what it keeps for the
backward pass and how many bytes that has, the size of its weights, the line that it writes into `forward` and the line that makes its
weights.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from generator.ops.registry import ops
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import sample
from generator.proof.verify.verification import Case, check_case
from generator.render.environment import environment
from generator.render.module import lines
from generator.spec.library import Library, spec_files
from generator.text.problems import ProblemsError
from generator.trace.tracer import Tracer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ops"
RULES = ("macs", "vector", "traffic", "saves", "bytes", "weights")
LINES = ("skipped", "doubled", "constructed")


class Breaker:
    """Breaks one rule of one op, and notes which rules the op has."""

    def __init__(self, op: str, broken: str) -> None:
        self.op, self.broken = op, broken
        self.running = 0
        self.has: set[str] = set()

    def rule(self, name: str) -> bool:
        """Note that the op has a rule, and say whether it is to be broken now."""
        if not self.running:
            return False
        self.has.add(name)
        return self.broken == name

    @contextmanager
    def applied(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            self._watch_the_op(patch)
            self._break_kernels(patch)
            self._break_storages(patch)
            self._break_lines(patch)
            yield

    def _watch_the_op(self, patch: pytest.MonkeyPatch) -> None:
        kind = ops()[self.op]
        run = kind.run

        def watched(op: Any, *args: Any) -> Any:
            self.running += 1
            try:
                return run(op, *args)
            finally:
                self.running -= 1

        patch.setattr(kind, "run", watched)

    def _break_kernels(self, patch: pytest.MonkeyPatch) -> None:
        kernel = Tracer.kernel

        def broken(t: Tracer, name: str, reads: Any, writes: Any, **costs: Any) -> None:
            if costs.get("vector", 0) != 0 and self.rule("vector"):
                costs["vector"] = 2 * costs["vector"]
            if costs.get("macs", 0) != 0 and self.rule("macs"):
                costs["macs"] = 2 * costs["macs"]
            if (reads or writes) and self.rule("traffic"):
                costs["sources"] = costs.get("sources") or reads  # what is really read, and gets a gradient, stays
                reads = [*reads, *reads, *writes]
            kernel(t, name, reads, writes, **costs)

        patch.setattr(Tracer, "kernel", broken)

    def _break_storages(self, patch: pytest.MonkeyPatch) -> None:
        save, parameter, new = Tracer.save, Tracer.parameter, Tracer.new
        made: dict[int, Any] = {}  # what the op has made itself, held so that no other storage gets its number

        def forgetful(t: Tracer, *tensors: Any) -> None:
            if not (any(not x.storage.persistent and x.storage.saved_by is None for x in tensors) and self.rule("saves")):
                save(t, *tensors)
            if self.running and any(x.kind != "float" and id(x.storage) in made for x in tensors):
                self.has.add("bytes")

        def wider(t: Tracer, shape: Any, **how: Any) -> Any:
            if how.get("trainable", True) and shape and self.rule("weights"):
                shape = (*shape[:-1], shape[-1] + 1)
            return parameter(t, shape, **how)

        def of_numbers(t: Tracer, shape: Any, **how: Any) -> Any:
            if self.running and self.broken == "bytes":
                how["kind"] = "float"
            x = new(t, shape, **how)
            if self.running:
                made[id(x.storage)] = x.storage
            return x

        patch.setattr(Tracer, "save", forgetful)
        patch.setattr(Tracer, "parameter", wider)
        patch.setattr(Tracer, "new", of_numbers)

    def _break_lines(self, patch: pytest.MonkeyPatch) -> None:
        if self.broken not in LINES:
            return
        breaker = self

        class Macros:
            def __init__(self, module: Any) -> None:
                if hasattr(module, "init"):
                    self.init = lambda o: breaker.constructor(str(module.init(o)))
                self.forward = lambda o: breaker.forward(str(module.forward(o)), o)

        class Templates:
            def get_template(self, name: str) -> Any:
                template = environment().get_template(name)
                if name != f"ops/{breaker.op}.jinja":
                    return template
                return type("Broken", (), {"module": Macros(template.module)})

        patch.setattr(lines, "environment", Templates)

    def constructor(self, text: str) -> str:
        """Make the first weight or table one larger in its first axis."""
        if self.broken != "constructed":
            return text
        broken = re.sub(r"(nn\.\w+\(|torch\.(?!where)\w+\(|tabulated\(\()(?!torch)([^,()]+)(?=[,)])", r"\1\2 + 1", text, count=1)
        if broken != text:
            self.has.add("constructed")
        return broken

    def forward(self, text: str, o: Any) -> str:
        """Leave the op out, or do something more than it should."""
        text = text.rstrip()
        targets = [name.strip() for name in str(o["out"]).split(",")]
        if self.broken == "skipped":
            self.has.add("skipped")
            source = o["x"] or "torch.zeros(())"
            *before, _ = text.split("\n")
            return "\n".join([*_needed(before, targets[0]), "; ".join(f"{target} = {source}" for target in targets)])
        if self.broken == "doubled":
            self.has.add("doubled")
            return text + "".join(f"; {target} = {target}.clone()" for target in targets)
        return text


def _needed(lines: list[str], target: str) -> list[str]:
    """Return the lines before an op's last one without those that only this last one needs."""
    found: list[str] = []
    for line in reversed(lines):
        name = line.split(" = ")[0]
        if not name.startswith(f"{target}_") or any(name in other for other in found):
            found.insert(0, line)
    return found


def cases(op: str) -> Iterator[Case | str]:
    """What the verification says about each fixture of an op; the message where it cannot even be derived."""
    library = Library([FIXTURES])
    for file in spec_files(FIXTURES / op):
        rng = random.Random(file.stem)
        with Workbench(library) as bench:
            try:
                yield check_case(bench, file.stem, sample(bench.compiled(file.stem).sheet, rng))
            except ProblemsError as error:
                yield str(error)


def names_the_op(op: str, case: Case | str) -> bool:
    if isinstance(case, str):
        return f"op: {op}" in case
    said = [str(check.measured) for check in case.checks if check.quantity == "run"]
    return any(d.op == op for d in case.differences) or any(f"({op})" in message for message in said)


def missed(op: str, broken: str) -> list[str]:
    """Return what went wrong when a rule was broken: nothing if it was noticed and the op named, or if the op has no such rule."""
    breaker = Breaker(op, broken)
    with breaker.applied():
        found = list(cases(op))
    noticed = [case for case in found if isinstance(case, str) or not case.equal]
    if broken not in breaker.has or any(names_the_op(op, case) for case in noticed):
        return []
    if not noticed:
        return [f"nothing was noticed of the broken {broken} of {op}"]
    said = [case if isinstance(case, str) else ([c for c in case.checks if not c.equal], case.differences) for case in noticed]
    return [f"of the broken {broken} of {op} it is said: {said}"]


@pytest.mark.parametrize(("op", "broken"), [("linear", "macs"), ("softmax", "saves"), ("dropout", "bytes"), ("scale", "doubled")])
def test_a_broken_rule_is_noticed_and_the_op_named(op: str, broken: str) -> None:
    assert not missed(op, broken)


def test_unbroken_all_is_equal_and_the_breaker_sees_the_rules_of_the_op() -> None:
    breaker = Breaker("linear", "")
    with breaker.applied():
        assert all(not isinstance(case, str) and case.equal for case in cases("linear"))
    assert breaker.has >= {"macs", "vector", "traffic", "saves", "weights"}


@pytest.mark.parametrize(
    "op", [pytest.param(op, marks=pytest.mark.exhaustive if i % 24 else pytest.mark.slow) for i, op in enumerate(sorted(ops()))]
)
def test_each_broken_rule_of_each_op_is_noticed_and_the_op_named(op: str) -> None:
    assert not [problem for broken in (*RULES, *LINES) for problem in missed(op, broken)]
