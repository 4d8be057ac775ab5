"""Public implementations that tests compare with; they are imported where they run, for that takes longer than most tests."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_transformers = pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
