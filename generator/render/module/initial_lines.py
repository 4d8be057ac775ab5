"""The lines of a constructor that give weights their initial values."""

from __future__ import annotations

from generator.render.module.signature import SizePrinter
from generator.resolve.architecture import InitialValue

_FUNCTIONS = {
    "zeros": "zeros_({0})",
    "ones": "ones_({0})",
    "constant": "constant_({0}, {1})",
    "normal": "normal_({0}, std={1})",
    "truncated": "trunc_normal_({0}, std={1})",
    "uniform": "uniform_({0}, -{2}, {1})",
    "xavier": "xavier_uniform_({0})",
    "xavier_normal": "xavier_normal_({0})",
    "kaiming": 'kaiming_uniform_({0}, nonlinearity="relu")',
    "kaiming_normal": 'kaiming_normal_({0}, nonlinearity="relu")',
}


def initial_line(initial: InitialValue, path: str, printer: SizePrinter) -> str:
    """Return the line that gives the weight at `path` its initial value."""
    number, beside = initial.text, initial.text
    if not number and initial.number is not None:
        number, beside = printer.built(initial.number), printer.built_operand(initial.number)
    elif beside and not beside.replace(".", "").replace("e-", "").isalnum():
        beside = f"({beside})"
    return f"nn.init.{_FUNCTIONS[initial.kind].format(path, number, beside)}"
