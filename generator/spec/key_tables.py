"""The tables of keys in docs/language.md, from the same declarations as the schema."""

from __future__ import annotations

import re

from generator.spec.checkpoint import Checkpoint, WeightRule
from generator.spec.claim import Claim
from generator.spec.import_mappings import Import, ImportedOption
from generator.spec.keys import Key, keys_of
from generator.spec.model import Dim, Implementation, Input, Layers, Leaning, Option, Preset, Published, Slot, Spec, Use
from generator.spec.schema_builder import OF_BLOCKS, OF_ROWS

TABLES: dict[str, tuple[Key, ...]] = {
    "a spec": keys_of(Spec),
    "a spec that leans on others": keys_of(Leaning),
    "a size": keys_of(Dim),
    "an input": keys_of(Input),
    "an option": keys_of(Option),
    "a row": OF_ROWS,
    "a row with `use` or `slot`": OF_BLOCKS,
    "layers in a pattern": keys_of(Layers),
    "a slot": tuple(one for one in keys_of(Slot) if one not in keys_of(Use)),
    "a preset": keys_of(Preset),
    "a public implementation": keys_of(Implementation),
    "what a source prints of a preset": keys_of(Published),
    "a checkpoint": keys_of(Checkpoint),
    "a weight": keys_of(WeightRule),
    "an import": keys_of(Import),
    "an imported option": keys_of(ImportedOption),
    "a claim": keys_of(Claim),
}
_MARKED = re.compile(r"<!-- keys of ([^\n]*?) -->\n.*?<!-- end -->", re.DOTALL)


def with_tables(page: str) -> str:
    """Return a page with its tables between `<!-- keys of NAME -->` and `<!-- end -->` as the keys are declared. Raises KeyError."""
    return _MARKED.sub(lambda match: f"<!-- keys of {match[1]} -->\n{_table(TABLES[match[1]])}<!-- end -->", page)


def _table(known: tuple[Key, ...]) -> str:
    lines = ["| key | what it says | such as |", "| --- | --- | --- |"]
    for one in (one for one in known if one.help):
        needed = ", needed" if one.required else ""
        example = f"`{one.name}: {one.example}`".replace("|", "\\|") if one.example else ""
        lines.append(f"| `{one.name}`{needed} | {one.help} | {example} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"
