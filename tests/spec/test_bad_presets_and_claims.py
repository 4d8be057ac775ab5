"""Mistakes in presets, expectations and claims. The specs go on after HEAD, whose last line is line 9."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import HEAD, each_of, errors

MISTAKES = {
    "a wrong preset": (
        """\
where: n <= 512
layers:
  q: {op: linear, out: [b, n, h*e]}
presets:
  small: {set: {dd: 8, e: 4, h: 2}}
  odd: {set: {d: 9, h: 2}}
  long: {set: {d: 8, h: 2, n: 513}}
""",
        """\
mine.yaml:14:17: error: preset `small` sets `dd`, which is not a size of `mine`
   14 |   small: {set: {dd: 8, e: 4, h: 2}}
      |                 ^^
  did you mean `d`?
  sizes: `b`, `n`, `d` and `h`
mine.yaml:14:24: error: preset `small` sets `e`, which is always d / h
   14 |   small: {set: {dd: 8, e: 4, h: 2}}
      |                        ^
mine.yaml:15:3: error: preset `odd` breaks `d % h == 0`
   15 |   odd: {set: {d: 9, h: 2}}
      |   ^^^
  d is 9, h is 2
mine.yaml:16:3: error: preset `long` breaks `n <= 512`
   16 |   long: {set: {d: 8, h: 2, n: 513}}
      |   ^^^^
  n is 513""",
    ),
    "a preset with a number that is no size": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
presets:
  small: {set: {d: 0, h: 1.5, n: ten}}
""",
        """\
mine.yaml:13:20: error: expected at least 1 in `presets.small.set.d`; found 0
   13 |   small: {set: {d: 0, h: 1.5, n: ten}}
      |                    ^
mine.yaml:13:26: error: expected a whole number in `presets.small.set.h`; found `1.5`
   13 |   small: {set: {d: 0, h: 1.5, n: ten}}
      |                          ^^^
mine.yaml:13:34: error: expected a whole number in `presets.small.set.n`; found `ten`
   13 |   small: {set: {d: 0, h: 1.5, n: ten}}
      |                                  ^^^""",
    ),
    "a missed expectation": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
presets:
  small: {set: {d: 4, h: 2}, expect: {params: 21, macs: 7}}
""",
        """\
mine.yaml:13:47: error: preset `small` expects params to be 21, but it is 20
   13 |   small: {set: {d: 4, h: 2}, expect: {params: 21, macs: 7}}
      |                                               ^^
  the difference is -1
mine.yaml:13:57: error: preset `small` expects macs, which depends on `b` and `n`; the preset does not set them
   13 |   small: {set: {d: 4, h: 2}, expect: {params: 21, macs: 7}}
      |                                                         ^""",
    ),
    "printed numbers that do not hold, or are none": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
presets:
  small: {set: {d: 4, h: 2}, published: 21}
  other: {set: {d: 4, h: 2}, published: {prints: 0.02K, erratum: the bias is missing}}
  third: {set: {d: 4, h: 2}, published: [{prints: about 20}, "20"]}
  fourth: {set: {d: 4, h: 2}, implementation: {model: Small, cite: doc000}}
  fifth: {set: {d: 4, h: 2}, published: {of: macs, prints: 7}}
""",
        """\
mine.yaml:13:41: error: this claim does not hold: params is not 21
   13 |   small: {set: {d: 4, h: 2}, published: 21}
      |                                         ^^
  derived: 20
  claimed - derived: 1
  with preset small
  if the source is wrong, say why under `erratum`
mine.yaml:14:50: error: this claim holds, so it is no erratum: params is 20, 0.02K in 1 digit
   14 |   other: {set: {d: 4, h: 2}, published: {prints: 0.02K, erratum: the bias is missing}}
      |                                                  ^^^^^
mine.yaml:15:51: error: `about 20` is no whole number; write it as the source prints it: 117M, 1.5B, 65 million or 109,482,240
   15 |   third: {set: {d: 4, h: 2}, published: [{prints: about 20}, "20"]}
      |                                                   ^^^^^^^^
mine.yaml:16:31: error: preset `fourth` names an implementation, but not what its totals are
   16 |   fourth: {set: {d: 4, h: 2}, implementation: {model: Small, cite: doc000}}
      |                               ^^^^^^^^^^^^^^
  expect: {params: ...}, as the implementation has them
mine.yaml:17:60: error: a printed number is held against macs of preset `fifth`, but `b` and `n` have no value
   17 |   fifth: {set: {d: 4, h: 2}, published: {of: macs, prints: 7}}
      |                                                            ^
  give them under `given`""",
    ),
    "a claim that does not hold": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
claims:
  - {of: macs, equals: 2*b*n*d**2}
""",
        """\
mine.yaml:13:24: error: this claim does not hold: macs is not 2*b*n*d**2
   13 |   - {of: macs, equals: 2*b*n*d**2}
      |                        ^^^^^^^^^^
  derived: b*n*d**2
  claimed - derived: b*n*d**2
  if the source is wrong, say why under `erratum`""",
    ),
    "an erratum that is none": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
claims:
  - {of: macs, equals: b*n*d**2, erratum: they forgot the bias}
""",
        """\
mine.yaml:13:24: error: this claim holds, so it is no erratum: macs is b*n*d**2
   13 |   - {of: macs, equals: b*n*d**2, erratum: they forgot the bias}
      |                        ^^^^^^^^""",
    ),
    "a claim about an unknown row": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
claims:
  - {of: macs, row: qq, equals: b*n*d**2}
""",
        """\
mine.yaml:13:21: error: there is no row `qq`, which the claim is about
   13 |   - {of: macs, row: qq, equals: b*n*d**2}
      |                     ^^
  did you mean `q`?
  rows: `q`""",
    ),
}


@each_of(MISTAKES, head=HEAD)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
