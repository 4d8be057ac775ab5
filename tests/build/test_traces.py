"""How often specs are traced: once where one trace serves several, as a trace is what takes time.

The peak of memory that a page shows is that of a step that is replayed, for which the spec is traced once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.resolve.resolver import Resolver
from generator.spec.model import Spec
from generator.trace.flow import Flow
from tests.support.small_specs import write_specs

REPOSITORY = Path(__file__).resolve().parents[2]
# No gradient flows back to what `a` is made of, which is seen only once all rows are there.
IDLE = """\
title: Indices of the greatest
dims: {b: batch size, n: sequence length, d: model width}
inputs: {x: [b, n, d]}
layers:
  a: {op: linear, in: x, out: [b, n, d]}
  c: {op: argmax, in: a, over: -1}
  y: {op: embedding, in: c, count: 9, width: d}
"""


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts each trace of a spec from its first row to its last."""
    found: Counter[str] = Counter()
    original = Resolver._traced

    def counted(self: Resolver, spec: Spec, options: Mapping[str, Any], flow: Flow) -> Any:
        found[spec.name] += 1
        return original(self, spec, options, flow)

    monkeypatch.setattr(Resolver, "_traced", counted)
    return found


def build(specs: Path, out: Path, *arguments: str) -> None:
    assert main(["build", str(specs), "--out", str(out), "--jobs", "1", "--formats", "modules,markdown", *arguments]) == 0


def test_a_build_traces_each_spec_once_and_again_for_the_peak_on_its_page(tmp_path: Path, traces: Counter[str]) -> None:
    build(REPOSITORY / "specs", tmp_path, "--only", "bert")
    assert traces == {"bert": 2, "post_norm_block": 1, "multi_head_attention": 1, "mlp": 1}


def test_a_spec_of_which_a_part_gets_no_gradient_is_traced_twice_for_its_sums_and_once_for_its_peak(
    tmp_path: Path, traces: Counter[str]
) -> None:
    write_specs(tmp_path / "specs", mine=IDLE)
    build(tmp_path / "specs", tmp_path / "out")
    assert traces == {"mine": 3}
