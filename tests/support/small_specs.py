"""Small specs, written into folders of tests."""

from __future__ import annotations

from pathlib import Path

from generator.render.formats import Rendering

# Parameters k*m + m, MACs b*k*m.
LAYER = """\
title: One layer
dims:
  b: rows
  k: width in
  m: width out
inputs:
  x: [b, k]
layers:
  y: {op: linear, out: [b, m]}
presets:
  small: {set: {k: 3, m: 5}, expect: {params: 20}}
"""
# Two of them, with a choice of activation. Parameters 2*k**2 + 2*k.
PAIR = """\
title: Two layers
dims:
  b: rows
  h: heads
  k: {is: width, default: 4*h}
  e: {is: width of a head, value: k / h}
options:
  bend: {is: what stands between, default: relu, choices: [relu, silu]}
  second: {is: whether there is a second layer, default: true}
inputs:
  x: [b, k]
layers:
  first:  {use: layer, with: {m: k}, in: x}
  bent:   {op: activation, kind: bend}
  second: {use: layer, with: {m: k}, when: second}
presets:
  tiny: {set: {h: 2}}
"""
ALONE = LAYER.replace("One layer", "Nothing to do with the others").replace("small:", "lonely:")
BROKEN = LAYER.replace("op: linear", "op: linaer").replace("small:", "broken:")


def write_specs(folder: Path, **texts: str) -> Path:
    """Write specs by name (a double underscore is a folder) and return the folder."""
    for name, text in texts.items():
        file = folder / f"{name.replace('__', '/')}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the content of all files below a folder and when each was written, to see what a build has touched."""
    return {
        file.relative_to(folder).as_posix(): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of all outputs below a folder, without the record of the build."""
    return {path: data for path, (data, _) in tree(folder).items() if path != ".manifest.json"}


def text_bytes(rendering: Rendering) -> bytes:
    """Stand in for a renderer whose outputs need not be there."""
    return b"Made by `gen build`: " + rendering.compiled.sheet.source_hash.encode()
