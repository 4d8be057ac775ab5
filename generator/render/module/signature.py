"""What a module's constructor takes: which sizes it must know when it is built, and which it reads off its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Dummy, Expr, Mod, Symbol, fraction
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from generator.formulas.algebra import cancel
from generator.formulas.python import to_python, to_python_number
from generator.formulas.symbols import symbol
from generator.resolve.architecture import Architecture
from generator.spec.model import Spec
from generator.text.expressions import symbolic


@dataclass(frozen=True)
class Argument:
    """A constructor argument for a size.

    `default` is its value where none is given; `optional` arguments serve only a slot's default block.
    """

    name: str
    default: Expr | None = None
    optional: bool = False
    variable: str = ""  # its name in the code


@dataclass
class SizeUse:
    """Which sizes are asked for while the module is built and while it runs."""

    built: set[str] = field(default_factory=set)
    run: set[str] = field(default_factory=set)


class SizePrinter:
    """Prints sizes as Python and notes who asked for which.

    Args:
        arch: the spec, resolved on its own, so that its sizes are its own symbols.
    """

    def __init__(self, arch: Architecture) -> None:
        self.arch = arch
        self.order = tuple(arch.spec.dims)
        self.variables = {name: dim.variable for name, dim in arch.spec.dims.items()}
        self.use = SizeUse()
        self.run_names: dict[str, str] = {}
        self._derived = {name: arch.sizes[name] for name, dim in arch.spec.dims.items() if dim.kind == "derived" and name in arch.sizes}

    def built(self, size: Expr) -> str:
        """Print a size for the constructor, where each size is a local name."""
        return self._print(size, self.use.built, self.variables)

    def run(self, size: Expr) -> str:
        """Print a size for `forward`."""
        return self._print(size, self.use.run, self._names_at_run())

    def built_operand(self, size: Expr) -> str:
        """Print a size for the constructor, to stand beside an operator."""
        return self._print(size, self.use.built, self.variables, operand=True)

    def run_operand(self, size: Expr) -> str:
        """Print a size for `forward`, to stand beside an operator."""
        return self._print(size, self.use.run, self._names_at_run(), operand=True)

    def _names_at_run(self) -> Mapping[str, str]:
        return self.run_names or {name: f"self.{variable}" for name, variable in self.variables.items()}

    def definition(self, name: str, names: Mapping[str, str]) -> str:
        """Print a derived size, or a default, by what it is made of."""
        default = self.arch.spec.dims[name].value
        value = self._derived[name] if name in self._derived or default is None else symbolic(default.ast, self.arch.sizes)
        return to_python(value, dict(names), self.order)

    def condition(self, condition: Boolean, names: Mapping[str, str]) -> str:
        """Print a condition; where it compares quotients that need not be whole, they are not rounded."""
        printer = to_python if self._compares_whole(condition) else to_python_number
        return printer(condition, dict(names), self.order)

    def _compares_whole(self, condition: Boolean) -> bool:
        """Say whether all that a condition compares or takes a remainder of is known to be whole."""
        sides = [side for part in condition.atoms(Relational, Mod) for side in part.args]
        remainders = {part: Dummy(integer=True) for part in condition.atoms(Mod)}
        return all(self.arch.tracer.facts.is_whole(side.xreplace(remainders)) for side in sides)

    def _print(self, size: Expr, used: set[str], names: Mapping[str, str], *, operand: bool = False) -> str:
        size = self._folded(size)
        used.update(s.name for s in size.free_symbols)
        printer = to_python if self.arch.tracer.facts.is_whole(self._unfolded(size)) else to_python_number
        return printer(size, dict(names), self.order, operand=operand)

    def _folded(self, size: Expr) -> Expr:
        """Write derived sizes by their names where that is shorter: d/h becomes e, but e*h stays d."""
        for name, value in self._derived.items():
            if isinstance(value, Symbol) or value.is_number:
                continue
            size = min((size, *_rewrites(size, symbol(name), value)), key=lambda form: (form.count_ops(), str(form)))
        return size

    def _unfolded(self, size: Expr) -> Expr:
        return size.xreplace({symbol(name): value for name, value in self._derived.items()})


def _rewrites(size: Expr, name: Symbol, value: Expr) -> tuple[Expr, ...]:
    """Return the forms of `size` that use the name of a derived size."""
    forms = [size.xreplace({value: name})]
    over, _ = fraction(value)
    solvable = [s for s in over.free_symbols if over.as_powers_dict().get(s) == 1]
    if value.is_Mul and solvable:
        first = min(solvable, key=str)
        forms.append(
            cancel(size.xreplace({first: name * first / value}))
            if size.is_rational_function()
            else size.xreplace({first: name * first / value})
        )
    return tuple(forms)


def input_sizes(spec: Spec) -> dict[str, tuple[str, int]]:
    """Return the sizes that stand alone as an axis of an input: name to (input, axis). They can be read when the module runs."""
    found: dict[str, tuple[str, int]] = {}
    for name, declared in spec.inputs.items():
        for axis, expression in enumerate(declared.shape):
            if expression.text in spec.dims:
                found.setdefault(expression.text, (name, axis))
    return found
