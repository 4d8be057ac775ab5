"""The files beside modules that say how public implementations name the weights."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from generator import load
from generator.cli import main
from tests.support.small_specs import LAYER, contents, tree, write_specs

NAMES = "checkpoint:\n  torch: {model: Sequential, weights: {y: '0'}, ignore: [spare]}\n"
NAMED = LAYER.replace("small:", "other:") + NAMES
FILE = "modules/named.weights.json"


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec whose weights have names elsewhere, and one without; the working directory is the folder around it."""
    monkeypatch.chdir(tmp_path)
    return write_specs(tmp_path / "mine", layer=LAYER, named=NAMED)


@pytest.fixture
def out(named: Path) -> Path:
    return named.parent / "generated"


@pytest.fixture
def gen(named: Path) -> Callable[..., int]:
    """`gen build mine/` for modules, with further arguments."""
    return lambda *arguments: main(["build", named.name, "--formats", "modules", *map(str, arguments)])


def test_a_module_reads_the_file_beside_it(gen, tmp_path, monkeypatch) -> None:
    assert gen("--out", tmp_path / "made") == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        own = importlib.import_module("made.modules.named").Named(k=3, m=5)
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "made"]:
            del sys.modules[name]
    theirs, x = nn.Sequential(nn.Linear(3, 5)), torch.randn(2, 3)
    own.load_reference({**theirs.state_dict(), "spare": torch.ones(1)})
    assert torch.equal(own(x), theirs(x))
    with pytest.raises(ValueError, match="unknown layout 'timm'; known: torch"):
        own.load_reference(theirs.state_dict(), "timm")


def test_a_single_file_has_the_names_in_itself(named) -> None:
    theirs, x = nn.Sequential(nn.Linear(3, 5)), torch.randn(2, 3)
    own = load("named", named).module(k=3, m=5)
    own.load_reference(theirs.state_dict())
    assert torch.equal(own(x), theirs(x))


def test_only_specs_with_such_names_have_a_file_and_a_second_build_writes_nothing(gen, out) -> None:
    assert gen() == 0
    assert [path for path in contents(out) if path.endswith(".weights.json")] == [FILE]
    assert json.loads((out / FILE).read_text())["layouts"] == {"torch": {"model": "Sequential", "weights": {"y": "0"}, "ignore": ["spare"]}}
    before = tree(out)
    assert gen() == 0
    assert tree(out) == before
    assert gen("--check") == 0


@pytest.mark.parametrize("with_record", [True, False])
def test_the_file_goes_with_the_names_and_with_the_spec(named, gen, out, with_record) -> None:
    gen()
    if not with_record:
        (out / ".manifest.json").unlink()
    write_specs(named, named=NAMED.removesuffix(NAMES))
    assert gen("--check") == 1
    assert (out / FILE).exists()
    assert gen() == 0
    assert not (out / FILE).exists()
    write_specs(named, named=NAMED)
    gen()
    (named / "named.yaml").unlink()
    assert gen() == 0
    assert not (out / FILE).exists()
    assert not (out / "modules/named.py").exists()


def test_a_missing_file_is_written_again_and_one_edited_by_hand_is_kept(gen, out, capsys) -> None:
    gen()
    written = (out / FILE).read_text()
    (out / FILE).unlink()
    assert gen("--check") == 1
    assert gen() == 0
    assert (out / FILE).read_text() == written
    (out / FILE).write_text(written.replace('"0"', '"1"'))
    assert gen() == 1
    assert "named.weights.json" in capsys.readouterr().err
    assert '"1"' in (out / FILE).read_text()
    assert gen("--force") == 0
    assert (out / FILE).read_text() == written


def test_json_names_module_and_file_apart(gen, capsys) -> None:
    assert gen("--json") == 0
    written = json.loads(capsys.readouterr().out)["specs"]["named"]["written"]
    assert written == {"modules": "generated/modules/named.py", "weights": f"generated/{FILE}"}
