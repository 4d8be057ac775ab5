"""Finds specs by name. A spec's name is its file's stem; folders are for people."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from generator.files.regular_file import read_regular, real
from generator.files.resources import builtin_specs_dir
from generator.spec.assemble import MAX_READ, assembled, block_names, block_place, inside, leans, renamed, with_sizes
from generator.spec.mode import is_training
from generator.spec.nearby import NOT_ARCHITECTURES, nearby_notes
from generator.spec.yaml_nodes import Mapping
from generator.text.naming import name_problem
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Source, Span
from generator.text.suggest import did_you_mean

if TYPE_CHECKING:
    from generator.spec.choices import Choices
    from generator.spec.model import Preset, Spec

_HOLDS_BLOCKS = re.compile(rb"(?:\A|\n)(?:[\"']?blocks[\"']?[ \t]*:|---|\{)")  # or may: a row of this name is further to the right
_PRESETS = re.compile(r"^presets:[^\n]*\n((?:[ \t]+[^\n]*\n|\n)*)", re.MULTILINE)
_NAMED = re.compile(r"^([ \t]+)([A-Za-z0-9][A-Za-z0-9_.+/-]*):", re.MULTILINE)


class Library:
    """The specs of some folders or files, and behind them the built-in ones.

    Args:
        paths: folders (searched in depth) and files. A spec here hides a built-in one of the same name.

    Attributes:
        is_training: whether its specs are counted as modules in training, or as ones in inference; that in force by default.
    """

    def __init__(self, paths: Sequence[Path] = ()) -> None:
        self._parsed: dict[str, Spec | ProblemsError] = {}
        # what is wrong with a spec by itself, by its name and options; None while that is being found out
        self.mistakes: dict[tuple[str, tuple[tuple[str, Any], ...]], tuple[Problem, ...] | None] = {}
        self.choices: Choices | None = None
        self.is_training = is_training()
        builtin = builtin_specs_dir()
        self.roots: tuple[Path, ...] = tuple(path if path.is_dir() else path.parent for path in paths)
        self.own: dict[str, Path] = {}
        self.namesakes: dict[str, list[Path]] = {}  # further files of a name, of which none can be meant
        for path in paths:
            for file in spec_files(path):
                known = (self.own.setdefault(file.stem, file), *self.namesakes.get(file.stem, ()))
                if real(file) not in map(real, known):
                    self.namesakes.setdefault(file.stem, []).append(file)
        self.files: dict[str, Path] = {file.stem: file for file in spec_files(builtin)} | self.own
        self.blocks: dict[str, tuple[str, str]] = {}  # specs inside of others: the name of the file, and theirs in it
        self._contents: dict[Path, bytes] = {}  # of files that were looked into
        self._trees: dict[str, Mapping | None] = {}  # None while a tree is being made
        self._texts: dict[str, str] = {}  # in place of what stands in the files
        self._leans: dict[str, list[str]] = {}  # what each is like, or has sizes of
        self._added: dict[str, Preset] = {}  # presets that stand in no file, by the spec that they are added to
        for name in [*self.files]:
            self._add_blocks(name)

    def _add_blocks(self, name: str) -> None:
        """Make a spec of each block in a file: that called `cell` in `mine.yaml` is `mine_cell` elsewhere."""
        content = self._content(self.files[name])
        if not _HOLDS_BLOCKS.search(content):
            return
        with suppress(ProblemsError):
            for block in _plain_names(content) or block_names(_tree(_load(self.files[name]))):
                full = f"{name}_{block}"
                if full in self.files:
                    self.namesakes.setdefault(full, []).append(self.files[name])
                    continue
                self.blocks[full] = (name, block)
                self.files[full] = self.files[name]
                if name in self.own:
                    self.own[full] = self.files[name]

    def _content(self, file: Path) -> bytes:
        """Return what stands in a file, as it was when this was first asked; nothing where it cannot be read."""
        if file not in self._contents:
            self._contents[file] = b""
            with suppress(OSError):
                self._contents[file] = read_regular(file, MAX_READ)
        return self._contents[file]

    def mentioning(self, text: str) -> Iterator[str]:
        """Yield the names of the specs in whose files a text stands, those of blocks too; the files are not read as specs."""
        return (name for name, file in self.files.items() if text.encode() in self._content(file))

    def blocks_of(self, name: str) -> tuple[str, ...]:
        """Return the full names of the blocks that stand in the file of a spec."""
        return tuple(full for full, (outer, _) in self.blocks.items() if outer == name)

    def tree(self, name: str, named_at: Span | None = None) -> Mapping:
        """Return the tree of a whole spec, with what it takes from others. Raises ProblemsError."""
        self._require(name, named_at)
        if name in self._trees and self._trees[name] is None:
            raise ProblemsError([Problem(f"`{name}` is built on itself: `like` and `from` lead back to it", named_at)])
        found = self._trees.get(name)
        if found is None:
            self._trees[name] = None
            try:
                found = self._trees[name] = self._assembled(name)
            finally:
                if found is None:
                    del self._trees[name]
        return found

    def _assembled(self, name: str) -> Mapping:
        outer, block = self.blocks.get(name, (name, ""))
        file = _tree(self._source(outer, self.files[outer]))
        full = {one: f"{outer}_{one}" for one in block_names(file)}
        tree = inside(file, block)
        leans = self._leans[name] = [outer] if block else []

        def other(one: str, named_at: Span) -> Mapping:
            leans.append(one)
            return self.tree(one, named_at)

        tree = assembled(renamed(tree, full), other)
        return with_sizes(tree, self.tree(outer), self._sizes) if block else tree

    def _sizes(self, name: str) -> frozenset[str]:
        """Return the names of the sizes that a spec declares; none where it cannot be read."""
        with suppress(ProblemsError):
            dims = self.tree(name).get("dims")
            return frozenset(entry.key.text for entry in getattr(dims, "entries", ()))
        return frozenset()

    def in_inference(self) -> Library:
        """Return the same library, whose specs are counted as modules in inference."""
        other = copy(self)
        other.is_training = False
        return other

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in alphabetical order."""
        return tuple(sorted(self.files))

    def path(self, name: str) -> Path:
        """Return the file of a spec. Raises KeyError."""
        return self.files[name]

    def name_problems(self, name: str) -> tuple[Problem, ...]:
        """Return what is wrong with a name that some file has: it cannot be a spec's, or several files have it."""
        file = self.files[name]
        wrong = name_problem(name)
        other = self.own.get(name.lower()) if name in self.own and name != name.lower() else None
        if other is not None:  # which is then no name to suggest
            clash = f"{shown(other)} differs from it by capital letters alone, and many disks do not tell such names apart; rename one"
            wrong = (wrong[0], clash, *(note for note in wrong[1:] if not note.startswith("did you mean")))
        misnamed = (Problem(wrong[0], _start(file), wrong[1:]),) if wrong else ()
        if wrong and name in self.blocks:
            outer, block = self.blocks[name]
            rule = f"elsewhere it is `{outer}_{block}`, the name of a Python module: a-z, digits and _, at most 60 of them"
            misnamed = (Problem(f"`{block}` cannot be the name of a block", block_place(_tree(_load(file)), block), (rule,)),)
        notes = (f"the other is {shown(file)}", "a spec's name is its file's name; rename one")
        same = (Problem(f"two specs are named `{name}`", _start(other), notes) for other in self.namesakes.get(name, ()))
        return (*misnamed, *same)

    def spec(self, name: str, named_at: Span | None = None) -> Spec:
        """Return a spec, parsed once.

        Args:
            named_at: the place that names it, for the error.

        Raises:
            ProblemsError: no such spec, or problems in its file.
        """
        found = self.draft(name, named_at)
        if found.problems:
            raise ProblemsError(found.problems)
        return found

    def parsed(self, name: str) -> Spec | ProblemsError | None:
        """Return a spec, or what is wrong with it, if it has been read."""
        return self._parsed.get(name)

    def draft(self, name: str, named_at: Span | None = None) -> Spec:
        """Return a spec as far as it can be read; its `problems` say what is wrong in the rest. Otherwise as `spec`."""
        self._require(name, named_at)
        if name not in self._parsed:
            self._parsed[name] = self._read(name)
        found = self._parsed[name]
        if isinstance(found, ProblemsError):
            raise found
        return found

    def _require(self, name: str, named_at: Span | None) -> None:
        """Raise ProblemsError where there is no such spec."""
        if name not in self.files:
            # A person may write the file's name, or its path.
            stem = PurePosixPath(name).name.removesuffix(".yaml")
            likely = (f"did you mean `{stem}`?",) if stem in self.files else nearby_notes(stem) or did_you_mean(stem, self.names)
            notes = (*likely, "a spec's name is its file's name without .yaml")
            raise ProblemsError([Problem(f"there is no spec named `{name}`" if name else "the name of a spec is missing", named_at, notes)])

    def _read(self, name: str) -> Spec | ProblemsError:
        """Return a spec; where its name is wrong, all mistakes in the files of that name."""
        problems = [*self.name_problems(name)]
        for file in (self.files[name], *self.namesakes.get(name, ())):
            try:
                spec = self._parse(name, file)
            except ProblemsError as error:
                problems += error.problems
            else:
                if not problems:
                    if name in self._added:
                        spec = replace(spec, presets={**spec.presets, self._added[name].name: self._added[name]})
                    return self.choices.applied(spec) if self.choices else spec
                problems += spec.problems
        return ProblemsError(problems)

    def _parse(self, name: str, file: Path) -> Spec:
        from generator.spec.parse import parse_assembled, parse_spec  # here, because it imports the ops, and those sympy

        source = self._source(name, file)
        if name not in self.blocks and (file != self.files[name] or not leans(source.text)):
            return parse_spec(name, source)
        tree = self.tree(name)
        sources = tuple(dict.fromkeys([source, *(_load(self.files[one]) for one in self._leant_on(name))]))
        try:
            spec = parse_assembled(name, source, tree, sources)
        except ProblemsError as error:
            raise ProblemsError(with_variant(name, sources, error.problems)) from None
        return replace(spec, problems=tuple(with_variant(name, sources, spec.problems)))

    def _leant_on(self, name: str) -> tuple[str, ...]:
        """Return all specs of which parts stand in the tree of a spec."""
        found: dict[str, None] = {}
        names = [name]
        while names:
            more = [one for one in self._leans.get(names.pop(), ()) if one not in found]
            found |= dict.fromkeys(more)
            names += more
        return tuple(found)

    def chosen(self, choices: Choices) -> Library:
        """Return this library as it is with options and slots chosen."""
        other = copy(self)
        other._parsed, other.choices, other.mistakes = {}, choices, {}  # noqa: SLF001  what is chosen is put into what was read
        return other

    def with_preset(self, preset: str) -> tuple[str, ...]:
        """Return the names of the specs that have a preset. Broken specs have no say in this."""
        found = []
        for name in self.mentioning(preset):
            with suppress(ProblemsError):
                if preset in self.draft(name).presets:
                    found.append(name)
        return tuple(found)

    def preset_names(self, names: Iterable[str] | None = None) -> list[str]:
        """Return what looks like the name of a preset in the files of some specs (by default of all); they are not read as specs."""
        found = []
        for file in dict.fromkeys(self.files.values() if names is None else (self.files[name] for name in names)):
            entries = [_NAMED.findall(part) for part in _PRESETS.findall(self._content(file).decode(errors="replace"))]
            found += [name for part in entries for indent, name in part if indent == part[0][0]]
        return found

    def _source(self, name: str, file: Path) -> Source:
        return Source(shown(file), self._texts[name]) if name in self._texts else _load(file)

    def rewritten(self, name: str, text: str) -> Library:
        """Return this library as it would be with another text in the file of a spec."""
        other = copy(self)
        other._texts, other._parsed, other._trees, other.mistakes = {name: text}, {}, {}, {}  # noqa: SLF001  what uses it is read again
        return other

    def with_added(self, name: str, preset: Preset) -> Library:
        """Return this library as it would be with one more preset of a spec, which stands in no file."""
        other = copy(self)
        other._added, other._parsed, other.mistakes = {**self._added, name: preset}, {}, {}  # noqa: SLF001  it is put into what was read
        return other

    def meaning(self, name: str, file: Path) -> Library:
        """Return this library as it would be if, of all files of a name, only one were there."""
        other = copy(self)
        other._parsed, other._trees = {}, {}  # noqa: SLF001  what uses the name is read again
        other.mistakes = {}
        other.files = {**self.files, name: file}
        other.namesakes = {known: files for known, files in self.namesakes.items() if known != name}
        return other

    def closure(self, name: str, *, read: bool = False) -> tuple[str, ...]:
        """Return the names of all specs that a spec uses, itself first; with `read` also of those that it is like, or has sizes of.

        Missing and broken ones are left out.
        """
        seen: dict[str, None] = {}

        def visit(current: str) -> None:
            if current in seen or current not in self.files:
                return
            seen[current] = None
            try:
                uses = self.draft(current).uses()
            except ProblemsError:
                return
            for used in (*(use.spec for use in uses), *(self._leans.get(current, ()) if read else ())):
                visit(used)

        visit(name)
        return tuple(seen)

    def relative(self, name: str) -> str:
        """Return a spec's path inside its library, with forward slashes."""
        file = real(self.files[name])
        for root in (*self.roots, builtin_specs_dir()):
            if file.is_relative_to(real(root)):
                return file.relative_to(real(root)).as_posix()
        return file.name


def with_variant(name: str, sources: tuple[Source, ...], problems: Iterable[Problem]) -> Iterator[Problem]:
    """Say of mistakes in what a spec has from another that it is this spec that they are made in."""
    for problem in problems:
        is_other = problem.span is not None and problem.span.source in sources[1:] and problem.span.source != sources[0]
        yield replace(problem, notes=(*problem.notes, f"as part of `{name}` ({sources[0].path})")) if is_other else problem


def _plain_names(content: bytes) -> list[str]:
    """Return the names of blocks that are written one below the other, as they mostly are; none where YAML must be asked."""
    section = re.search(rb"(?:\A|\n)blocks:[ \t]*\n((?:[ \t]+[^\n]*\n|[ \t]*(?:#[^\n]*)?\n)*)", content + b"\n")
    lines = [line for line in section[1].splitlines() if line.strip() and not line.lstrip().startswith(b"#")] if section else []
    indent = len(lines[0]) - len(lines[0].lstrip(b" ")) if lines else 0
    heads = [line for line in lines if len(line) - len(line.lstrip(b" ")) <= indent]
    names = [re.fullmatch(rb" +([A-Za-z][A-Za-z0-9_]*):(?: [^&*]*)?", line.rstrip()) for line in heads]
    return [name[1].decode() for name in names if name is not None] if all(names) else []


def spec_files(path: Path) -> Iterator[Path]:
    """Yield the spec files of a folder in a fixed order, or the file itself."""
    if path.is_file():
        yield path
        return
    for file in sorted(path.rglob("*.yaml")):
        inside = file.relative_to(path).parts
        if file.name == "references.yaml" or inside[0] in NOT_ARCHITECTURES or any(part.startswith(".") for part in inside):
            continue
        if not file.is_dir():
            yield file


def shown(file: Path) -> str:
    """Return a path as people know it: relative to where they are, where it lies below."""
    for path in (os.path.abspath(file), os.path.realpath(file)):  # noqa: PTH100  Path.resolve() follows links, Path.absolute() keeps `..`
        if Path(path).is_relative_to(Path.cwd()):
            return Path(path).relative_to(Path.cwd()).as_posix()
    return file.as_posix()


def _start(file: Path) -> Span:
    """Return the first place of a file, which need not be readable."""
    try:
        return Span(_load(file), 1, 1)
    except ProblemsError:
        return Span(Source(shown(file), ""), 1, 1)


def _load(file: Path) -> Source:
    from generator.spec.yaml_reader import load_source  # here, because it imports yaml, which a listing of specs does without

    return load_source(file, shown(file))


@lru_cache(maxsize=256)  # a process that opens many libraries reads the built-in specs once
def _tree(source: Source) -> Mapping:
    """Return the tree of a file. Raises ProblemsError where it has none."""
    from generator.spec.yaml_reader import read_mapping  # here, as above

    return read_mapping(source)
