"""What can be said about the sizes and inputs that the checkpoints of a spec name."""

from __future__ import annotations

from collections.abc import Iterator

from generator.spec.model import Spec
from generator.text.problems import Problem
from generator.text.suggest import did_you_mean, listed


def check_checkpoints(spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the names of sizes and inputs in the checkpoints of a spec."""
    settable = [name for name, dim in spec.dims.items() if dim.kind != "derived"]
    for one in spec.checkpoints.values():
        for name in one.at:
            if name not in settable:
                notes = (*did_you_mean(name, settable), f"sizes: {listed(settable)}")
                message = f"checkpoint `{one.name}` sets `{name}`, which is not a size of `{spec.name}` that can be set"
                yield Problem(message, one.named(f"at.{name}"), notes)
        for name in one.inputs:
            if name not in spec.inputs:
                notes = (*did_you_mean(name, spec.inputs), f"inputs: {listed(spec.inputs)}")
                yield Problem(
                    f"checkpoint `{one.name}` names `{name}`, which is not an input of `{spec.name}`", one.named(f"inputs.{name}"), notes
                )
