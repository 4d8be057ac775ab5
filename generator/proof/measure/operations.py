"""What torch says about its own operations. The one place, beside `storages`, that looks at attributes torch does not document."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from generator.proof.measure.storages import storage_key


def full_name(op: OpOverload) -> str:
    """The name with its namespace: `aten.add.Tensor` -> `aten::add.Tensor`."""
    qualified: str = op.name()  # type: ignore[no-untyped-call]  # torch annotates no result
    return qualified


def op_name(op: OpOverload) -> str:
    """The name without namespace: `aten.add.Tensor` -> `add.Tensor`; `aten.mm.default` -> `mm`."""
    return full_name(op).rsplit("::", 1)[-1]


def base_name(op: OpOverload) -> str:
    """The name without namespace and overload: `aten.add_.Tensor` -> `add_`."""
    return op_name(op).split(".", 1)[0]


def is_own(op: OpOverload) -> bool:
    """True for torch's own operations, whose names the counters know; False for those that other packages define, whatever their names."""
    return bool(op.namespace in ("aten", "prims"))


def is_composite(op: OpOverload) -> bool:
    """True if torch defines the operation by other operations, for every device alike: there is no kernel of its own for the CPU."""
    implicit, cpu = torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.CPU  # noqa: SLF001  # torch's FlopCounterMode asks so too
    name = full_name(op)
    has = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001  # as above
    return bool(has(name, implicit)) and not has(name, cpu)


def is_question(op: OpOverload) -> bool:
    """True for what fake tensors are asked about themselves, such as their device: no operation on data."""
    return bool(op.namespace == "prim")


def is_view(op: OpOverload, inputs: list[Tensor], outputs: list[Tensor]) -> bool:
    """True if `op` only made other views of its inputs, so that it moved no data.

    Decided by what happened, not by the schema alone, because `_unsafe_view` shares storage without declaring it.
    """
    if torch.Tag.inplace_view in op.tags:
        return True
    if op._schema.is_mutable or not outputs:  # noqa: SLF001  # the schema is documented for C++ only
        return False
    given = {storage_key(tensor) for tensor in inputs}
    return all(storage_key(tensor) in given for tensor in outputs)


def argument_names(op: OpOverload) -> tuple[str, ...]:
    """Names of the arguments in the operation's schema, in order."""
    return tuple(argument.name for argument in op._schema.arguments)  # noqa: SLF001  # as above


def argument(op: OpOverload, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of an argument, whether given by position, by name, or left to its default; None if there is no such argument."""
    for position, declared in enumerate(op._schema.arguments):  # noqa: SLF001  # as above
        if declared.name == name:
            if name in kwargs:
                return kwargs[name]
            return args[position] if position < len(args) else declared.default_value
    return None
