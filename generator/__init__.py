"""Neural network architectures as cost sheets.

`load("bert").cost(preset="bert-base", n=512).params` counts parameters; see `generator.api`. Names are imported when they are first
used, so that the command line starts fast.
"""

import os
from typing import TYPE_CHECKING, Any

# sympy keeps 1,000 results of each function by default, and one spec alone needs more. It reads this once, when it is first imported.
os.environ.setdefault("SYMPY_CACHE_SIZE", "100000")

from generator.version import VERSION

if TYPE_CHECKING:
    from generator.api import Cost, LoadedSpec, MissingSizeError, RowCost, SizeError, SpecError, count, load

__version__ = VERSION
__all__ = ["Cost", "LoadedSpec", "MissingSizeError", "RowCost", "SizeError", "SpecError", "__version__", "count", "load"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from generator import api

    return getattr(api, name)
