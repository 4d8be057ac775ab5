"""What can be said about the sizes, options and keys that the imports of a spec name."""

from __future__ import annotations

from collections.abc import Iterator

from generator.spec.import_mappings import Import, reached
from generator.spec.model import Spec
from generator.text.problems import Problem
from generator.text.suggest import did_you_mean, listed


def check_imports(spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the names in the imports of a spec."""
    for one in spec.imports.values():
        yield from _sizes(spec, one)
        for name in one.options:
            if name not in spec.options:
                notes = (*did_you_mean(name, spec.options), f"options: {listed(spec.options) or 'none'}")
                yield Problem(
                    f"import `{one.name}` sets `{name}`, which is not an option of `{spec.name}`", one.named(f"options.{name}"), notes
                )
        yield from _circles(one)


def _sizes(spec: Spec, one: Import) -> Iterator[Problem]:
    settable = [name for name, dim in spec.dims.items() if dim.kind != "derived"]
    for name in one.sizes:
        dim = spec.dims.get(name)
        if dim is None:
            notes = (*did_you_mean(name, settable), f"sizes: {listed(settable)}")
            yield Problem(f"import `{one.name}` sets `{name}`, which is not a size of `{spec.name}`", one.named(f"sizes.{name}"), notes)
        elif dim.kind == "derived" and dim.value is not None:
            note = f"what its value must be stands under `only`, as a formula: {{head_dim: {dim.value.text}}} in keys"
            yield Problem(f"import `{one.name}` sets `{name}`, which is always {dim.value.text}", one.named(f"sizes.{name}"), (note,))


def _circles(one: Import) -> Iterator[Problem]:
    """Yield the defaults that lead back to themselves."""
    for key in one.defaults:
        if key in reached(one.behind(key), one.behind):
            yield Problem(f"the default of `{key}` leads back to `{key}`", one.where(f"defaults.{key}"))
