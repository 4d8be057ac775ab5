"""What all pages share: the script, with what does not depend on a spec, and the style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from generator.files.resources import templates_dir
from generator.files.writing import MADE_BY
from generator.quantities import MEASURES, QUANTITIES, summands
from generator.questions.hardware.device import Device
from generator.questions.memory.optimisers import COPIES, NUMBERS_BY_SHAPE
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.render.environment import environment
from generator.render.site.escaped import script_json
from generator.sheet.number_formats import HALF, ITEM_BYTES, item_bytes
from generator.text.translated import LANGUAGES

DTYPES: Final = ("float32", *HALF)
# The parts of the script, in the order in which they need each other. What scripts declare is seen by those behind them.
PARTS: Final = (
    "exact",
    "numbers",
    "model",
    "memory",
    "fractions",
    "time",
    "growth",
    "state",
    "dom",
    "config_view",
    "answer_view",
    "sizes_view",
    "memory_view",
    "tree_view",
    "chart",
    "downloads",
    "growth_view",
    "about_view",
    "main",
)
LISTS: Final = ("compare", "start")  # the parts of the pages of several models
FIRST, *OTHERS = LANGUAGES
READING: Final = ("config_values", "config_rules", "config_said")  # those that read a configuration, which come where one is to be read


def app_script(devices: Iterable[Device]) -> str:
    """Return the script of all pages."""
    return (
        environment()
        .get_template("site/app.js.jinja")
        .render(origin=f"{MADE_BY}; do not edit", common=script_json(_common(devices), is_ascii=False), parts=script_parts(PARTS))
    )


def lists_script() -> str:
    """Return the script of the pages of several models, which runs behind that of all pages."""
    return environment().get_template("site/lists.js.jinja").render(origin=f"{MADE_BY}; do not edit", parts=script_parts(LISTS))


def language_scripts() -> dict[str, str]:
    """Return the scripts of all texts in a language but the first, by the name of the file: loaded where one is asked for."""
    template = environment().get_template("site/language.js.jinja")
    return {
        f"{language}.js": template.render(origin=f"{MADE_BY}; do not edit", language=language, texts=script_json(texts(language)))
        for language in OTHERS
    }


def script_parts(names: Sequence[str]) -> list[str]:
    """Return parts of a script without comments and indentation, which are a tenth of what a page loads."""
    texts = [(templates_dir() / "site" / f"{name}.js").read_text(encoding="utf-8") for name in names]
    return ["\n".join(line for line in map(_without_comment, text.splitlines()) if line) for text in texts]


def _without_comment(line: str) -> str:
    """Return a line of a script without the comment that it is or ends with: one behind a sign after which no string goes on."""
    return re.sub(r"(?:^|(?<=[;{},(\]]) )// .*", "", line.strip())


def html_page(page: str, *, origin: str, title: str, description: str, script: str, plain: str, home: str = "index.html") -> str:
    """Return the HTML of a page, all of which are alike but for these texts.

    Args:
        page: what it shows: `model`, `start` or `compare`.
        origin: what it was made of, for those who open the file.
        script: the file with its data.
        plain: the page in Markdown.
        home: the page that it leads back to; empty for that page itself.
    """
    given = {"origin": origin, "title": title, "description": description, "script": script, "plain": plain, "home": home}
    return environment().get_template("site/page.html.jinja").render(given, page=page)


def app_style() -> str:
    """Return the style of all pages."""
    return environment().get_template("site/app.css").render(origin=f"{MADE_BY}; do not edit")


def _common(devices: Iterable[Device]) -> dict[str, Any]:
    return {
        "measures": [
            [one.key, one.unit, list(summands(one.key)) if one.sum_of else [], {language: _words(one, language) for language in LANGUAGES}]
            for one in MEASURES
        ],
        "rowQuantities": [one.key for one in QUANTITIES],
        "stored": [[one.key, one.bytes_each.numerator, one.bytes_each.denominator, one.words] for one in STORED_FORMATS.values()],
        "dtypes": [[dtype, item_bytes(ITEM_BYTES[dtype])] for dtype in DTYPES],
        "optimisers": [[name, COPIES.get(name)] for name in (*COPIES, *NUMBERS_BY_SHAPE)],
        "devices": [_device(one) for one in sorted(devices, key=lambda one: (one.memory, one.name))],
        "languages": [[language, texts(language)["language"]] for language in LANGUAGES],
        "texts": {FIRST: texts_of(FIRST, is_reading=False)},
    }


def _device(device: Device) -> list[Any]:
    """Return name, title, bytes, bytes a second, and operations a second by number format; fractions as two texts."""
    peaks = [[dtype, *_pair(peak)] for dtype, peak in device.peak.items()]
    return [device.name, device.title, str(device.memory), _pair(device.bandwidth), peaks]


def _pair(value: Fraction) -> list[str]:
    return [str(value.numerator), str(value.denominator)]


def _words(measure: Any, language: str) -> Sequence[str]:
    words = measure.words(language)
    return [words.title, words.short or words.title, words.meaning]


def texts_of(language: str, *, is_reading: bool) -> dict[str, str]:
    """Return the texts of all pages, or those that are needed only where a configuration is read: `reading_...`."""
    return {key: text for key, text in texts(language).items() if key.startswith("reading_") == is_reading}


@cache
def texts(language: str) -> Mapping[str, str]:
    """Return what the pages say in a language, by key."""
    path: Path = templates_dir() / "site" / f"{language}.yaml"
    return {str(key): str(text) for key, text in yaml.safe_load(path.read_text(encoding="utf-8")).items()}
