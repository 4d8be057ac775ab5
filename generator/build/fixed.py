"""Outputs that come from no single spec: what makes the folder of modules a package, and the modules' support files."""

from __future__ import annotations

from collections.abc import Sequence

from generator.build.build_plan import INDEX
from generator.build.catalogue_output import catalogue_paths
from generator.build.published_pages import CLAIMS
from generator.files.seal import sealed
from generator.files.writing import MADE_BY
from generator.render.formats import MODULES, SITE, Format
from generator.render.module.imports import support_files
from generator.spec.library import Library
from generator.text.translated import LANGUAGES

OPS = "markdown/ops.md"  # the page of all ops
SCHEMA = "schema.json"  # of specs, for editors
PROOF = "markdown/proof.md"  # written by `gen verify --report`
APP, STYLE, LISTS = "site/app.js", "site/app.css", "site/lists.js"
START, START_DATA, COMPARE, IMPORTS = "site/index.html", "site/index.js", "site/compare.html", "site/imports.js"
SITE_LANGUAGES = tuple(f"site/{language}.js" for language in LANGUAGES if language != "en")
SITE_FILES = (APP, STYLE, LISTS, START, START_DATA, COMPARE, IMPORTS, *SITE_LANGUAGES)  # what the pages for a browser share


def fixed_files(formats: Sequence[Format], library: Library) -> dict[str, bytes]:
    """Return the fixed outputs as bytes by path below the folder of outputs."""
    texts = (_package_files() if MODULES in formats else {}) | (_site_files(library) if SITE in formats else {})
    return {path: sealed(text) for path, text in texts.items()}


def _package_files() -> dict[str, str]:
    texts = {
        "__init__.py": f'"""{MADE_BY}; do not edit. One PyTorch module, one page and one workbook for each spec."""\n',
        "modules/__init__.py": f'"""{MADE_BY}; do not edit. One PyTorch module for each spec."""\n',
    }
    texts |= {f"modules/{name}": f"# {MADE_BY}; do not edit.\n{text}" for name, text in support_files().items()}
    return texts


def _site_files(library: Library) -> dict[str, str]:
    """Return what the pages for a browser share, and the page from which they are found; these list the devices that can be named."""
    from generator.questions.hardware.device_names import devices
    from generator.render.site.site_files import app_script, app_style, language_scripts, lists_script
    from generator.render.site.start import compare_page, start_page

    return {
        APP: app_script(devices(library.roots)),
        LISTS: lists_script(),
        STYLE: app_style(),
        START: start_page(),
        COMPARE: compare_page(),
        **{f"site/{name}": text for name, text in language_scripts().items()},
    }


def reserved_paths() -> frozenset[str]:
    """Return all paths that no spec's output may take."""
    return frozenset({INDEX, OPS, PROOF, CLAIMS, *SITE_FILES, *catalogue_paths(), *_package_files()})
