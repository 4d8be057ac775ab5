"""A spec, a list of a document's formulas that points to its claims, and the sources of both, in a folder."""

from __future__ import annotations

from pathlib import Path

MIXER = """\
title: A mixer
dims: {b: batch size, n: sequence length, d: model width}
inputs: {x: [b, n, d]}
layers:
  q: {op: linear, out: [b, n, d], bias: false}
  scores: {op: einsum, in: [q, x], eq: "b i d, b j d -> b i j"}
claims:
  - {id: width, of: params, equals: d**2, cite: notes}
  - {of: macs, row: scores, equals: b*n*d, cite: notes, erratum: every position meets every other one, correct: b*n**2*d}
"""
NOTES = """\
title: The notes
cite: notes
counts: It counts multiplications.
letters: {F: the width}
entries:
  - {section: First part, what: weights, printed: F^2, claim: mixer/width}
  - {what: products, printed: n F, claim: mixer/2, remark: of one sequence}
  - {section: Second part, what: the scale, printed: sqrt(F), spec: mixer, row: scores, erratum: there is none, check: "with F = 4: 2"}
  - what: time
    remark: Not what the formulas predict.
    measured: {spec: mixer, sizes: {b: 1, d: 8}, over: n, unit: ms, points: {10: 1, 20: 4}}
"""
REFERENCES = """\
notes: {label: Notes, text: Some notes.}
"""


def write_list(folder: Path, notes: str = NOTES, mixer: str = MIXER) -> Path:
    """Write all files and return the folder of specs."""
    specs = folder / "mine"
    (specs / "documents").mkdir(parents=True, exist_ok=True)
    (specs / "mixer.yaml").write_text(mixer, encoding="utf-8")
    (specs / "documents" / "notes.yaml").write_text(notes, encoding="utf-8")
    (specs / "references.yaml").write_text(REFERENCES, encoding="utf-8")
    return specs
