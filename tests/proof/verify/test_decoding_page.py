"""The page about decoding says what is so: its example decodes, and its table names the states that come."""

from __future__ import annotations

import re
from pathlib import Path

from generator.api import load
from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import verify
from generator.spec.library import Library

SECTION = (Path(__file__).parents[3] / "docs" / "language.md").read_text(encoding="utf-8").partition("\n## Decoding\n")[2]


def test_the_example_decodes_and_costs_what_the_page_says(tmp_path: Path) -> None:
    ((name, text),) = re.findall(r"```yaml\n# (\w+)\.yaml\n(.*?)```", SECTION.partition("\n## ")[0], re.DOTALL)
    (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    with Workbench(Library([tmp_path])) as bench:
        result = verify(bench, name, samples=3)
        sheet = bench.compiled(name).sheet
    assert result.equal
    assert result.decoding is not None
    assert len(result.decoding.checks) == 6
    at = {"b": 2, "s": 7, "w": 4, "d": 3}
    (read,) = [row.costs["matmul_flops"] for row in sheet.rows if row.name == "read"]
    assert [evaluate(read, {**at, "n": n, "m": m}) for n, m in ((5, 5), (1, 6))] == [2 * 2 * 7 * 3**2, 0]
    # three inputs of the convolution, three tokens of the window, and the source
    assert evaluate(sheet.totals["state_elements"], {**at, "n": 1, "m": 9}) == 2 * 3 * 3 + 2 * 3 * 3 + 2 * 7 * 3


def test_the_step_of_mistral_keeps_what_the_page_says() -> None:
    kept = load("mistral").cost(preset="mistral-7b", b=1, n=1, m=32000).state_elements
    assert kept == 2 * 32 * 8 * 128 * (4096 - 1)  # keys and values, layers, heads, their width, the window without the new token
    assert f"31,999 tokens, of which {kept:,} elements are kept" in SECTION
