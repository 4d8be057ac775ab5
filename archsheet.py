"""The package under the name by which it is installed: `import archsheet` is `import generator` without its inner parts.

`archsheet.load("bert").cost(preset="bert-base", n=512).params`; see `generator.api`. The code lives in `generator`, which keeps its name:
it is one of the folders that the repository is made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import generator

if TYPE_CHECKING:
    from generator import Cost, LoadedSpec, MissingSizeError, RowCost, SizeError, SpecError, count, load

__version__ = generator.__version__
__all__ = ["Cost", "LoadedSpec", "MissingSizeError", "RowCost", "SizeError", "SpecError", "__version__", "count", "load"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(generator, name)
