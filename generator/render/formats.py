"""The outputs of a build: where each format goes, and who renders it. Renderers are imported only when they are needed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from generator.files.seal import sealed
from generator.text.problems import ProblemsError

if TYPE_CHECKING:
    from generator.render.module.view import ModuleSet
    from generator.sheet.compiled import Compiled
    from generator.spec.library import Library


@dataclass(frozen=True)
class Rendering:
    """One spec to be rendered, and the surroundings that its outputs may refer to.

    Args:
        modules: of the library, each analysed once.
        out: the folder of all outputs.
        pages: the names of all specs that have a page.
        language: of the texts of a workbook.
    """

    compiled: Compiled
    library: Library
    modules: ModuleSet
    out: Path
    pages: Collection[str]
    language: str = "en"


@dataclass(frozen=True)
class Format:
    """A kind of output.

    Args:
        name: what it is called, and the folder below the folder of outputs unless that is another.
        suffix: of the files.
        renderer: `module:function`, a function from a Rendering to the file's bytes; none for a spec that has no such output.
        committed: whether outputs are kept in version control, so that a missing one is worth a complaint.
        language: of its texts, where it has texts of its own in several languages.
        beside: the name of the format beside whose files these stand, and with which they are asked for.
    """

    name: str
    suffix: str
    renderer: str
    committed: bool = True
    language: str = "en"
    beside: str = ""

    @property
    def folder(self) -> str:
        """Where its files stand below the folder of outputs; also what `--formats` calls it."""
        return self.beside or self.name

    @property
    def key(self) -> str:
        """What the outputs of a spec are told apart by: the name, with the language if it is not English."""
        return self.name if self.language == "en" else f"{self.name}.{self.language}"

    def in_language(self, language: str) -> Format:
        """Return the format in another language; the language stands in the names of the files, `bert.zh.xlsx`."""
        return self if language == self.language else replace(self, suffix=f".{language}{self.suffix}", language=language)

    def path(self, spec: str) -> str:
        """Return the path of a spec's output below the folder of outputs, with forward slashes."""
        return f"{self.folder}/{spec}{self.suffix}"

    def render(self, rendering: Rendering) -> bytes:
        """Return the output's bytes."""
        module, _, function = self.renderer.partition(":")
        return cast("bytes", getattr(import_module(module), function)(replace(rendering, language=self.language)))


MODULES = Format("modules", ".py", "generator.render.formats:module_bytes")
WEIGHTS = Format("weights", ".weights.json", "generator.render.formats:weights_bytes", beside="modules")  # their names elsewhere
MARKDOWN = Format("markdown", ".md", "generator.render.formats:page_bytes")
EXCEL = Format("excel", ".xlsx", "generator.render.formats:workbook_bytes", committed=False)
SITE = Format("site", ".js", "generator.render.formats:site_script_bytes", committed=False)
SITE_OTHERS = Format("site_others", ".others.js", "generator.render.formats:site_others_bytes", committed=False, beside="site")
SITE_PAGE = Format("site_page", ".html", "generator.render.formats:site_page_bytes", committed=False, beside="site")
FORMATS: tuple[Format, ...] = (MODULES, WEIGHTS, MARKDOWN, EXCEL)  # what is built where nothing else is asked for
EVERY_FORMAT: tuple[Format, ...] = (*FORMATS, SITE, SITE_OTHERS, SITE_PAGE)
OF_MODULES = tuple(kind for kind in FORMATS if kind.folder == MODULES.name)  # what a module needs to be imported and used


def module_bytes(rendering: Rendering) -> bytes:
    """Return a spec's PyTorch module."""
    from generator.render.module.writer import render_module

    return sealed(render_module(rendering.compiled, rendering.modules))


def weights_bytes(rendering: Rendering) -> bytes:
    """Return how public implementations name a module's weights; nothing where none is known."""
    from generator.render.module.weight_names import render_weights
    from generator.render.module.writer import origin

    spec = rendering.compiled.architecture.spec
    return sealed(render_weights(spec, origin(rendering.compiled.sheet))) if spec.checkpoints else b""


def page_bytes(rendering: Rendering) -> bytes:
    """Return a spec's page, linked to its file and to the other pages."""
    from generator.files.ignored import is_missing_from_a_clone
    from generator.render.markdown.links import Links, spec_link
    from generator.render.markdown.page import render_page

    sheet = rendering.compiled.sheet
    spec = spec_link(rendering.library.path(sheet.name), rendering.out)
    workbook = not is_missing_from_a_clone(EXCEL.path(sheet.name), MARKDOWN.path(sheet.name), rendering.out)
    return sealed(render_page(sheet, Links(spec, frozenset(rendering.pages), workbook)))


def workbook_bytes(rendering: Rendering) -> bytes:
    """Return a spec's workbook."""
    from generator.render.workbook import build_workbook
    from generator.sheet.showable import unshown_problems

    sheet = rendering.compiled.sheet
    problems = list(unshown_problems(rendering.library.draft(sheet.name), sheet))
    if problems:
        raise ProblemsError(problems)
    return build_workbook(rendering.compiled.sheet, rendering.language)


def site_script_bytes(rendering: Rendering) -> bytes:
    """Return the formulas and the data of a spec for its page in a browser."""
    from generator.render.site.code_lines import code_lines
    from generator.render.site.model_page import model_script

    code = code_lines(rendering.compiled, rendering.library, rendering.modules)
    return sealed(model_script(rendering.compiled.sheet, code))


def site_others_bytes(rendering: Rendering) -> bytes:
    """Return the formulas and the data of a spec under other options and blocks; nothing where no preset has such."""
    from generator.render.site.model_page import others_script

    text = others_script(rendering.compiled.sheet)
    return sealed(text) if text else b""


def site_page_bytes(rendering: Rendering) -> bytes:
    """Return a spec's page for a browser."""
    from generator.render.site.model_page import model_page

    return sealed(model_page(rendering.compiled.sheet))
