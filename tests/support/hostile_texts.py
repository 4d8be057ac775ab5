"""Texts that mean something in one of the formats that texts get into: if any of them is more than text there, something is not escaped."""

from __future__ import annotations

RAN = "open('ran', 'w')"  # what a text would do if it ran
MARK = "evil.example"  # stands in each address that nobody may be led to

PYTHON = (
    f'" + str({RAN}) + "',
    f"' + str({RAN}) + '",
    f'""" ; {RAN} ; """',
    f"''' ; {RAN} ; '''",
    f'"\n{RAN}\n"',
    f"text\n{RAN}: 1,",
    f'"""\n\n{RAN}\n\nclass A:\n    """',
    f'\\" + {RAN} + \\"',
    "ends with a backslash \\",
    'ends with a quote "',
    r"C:\users\new \x \u12 \N{nothing} \777 \1 \g<0>",
    "{" + RAN + "} {{" + RAN + "}} {0.__class__} {name!r:>{width}} %s %(name)s",
    "{{ " + RAN + " }} {% for x in y %} {# comment #} @@IMPORTS@@",
    f"# {RAN}",
    f'"): {RAN}, ("',
    "__import__('os').system('touch ran')",
)
SPREADSHEET = (
    '=HYPERLINK("http://evil.example", "click")',
    "=1+1",
    "+1+1",
    "-1-1",
    "@SUM(A1)",
    "'=1+1",
    "\t=1+1",
    "#N/A",
    "#REF!",
    "_x000D_ and _x003D_1",
    "TRUE",
    "1e5",
    '"&CHAR(65)&"',
    '&A &P &"Arial,Bold"&12 && &',
    "x" * 9_000,
)
MARKUP = (
    "a | b || c \\| d \\\\| e",
    "`code` ``two`` ```\nfence\n``` `a | b` `a\\|b`",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![image](http://evil.example/a.png) [link](javascript:alert(1)) [ref]: http://evil.example",
    "<!-- comment --> --> --!> <![CDATA[ x ]]> ]]> <?php ?> &lt; &amp; &#60; &copy; &nothing;",
    "# heading\n\n- list\n1. one\n> quote\n***\n---\n===\n~~~\n| a |\n|---|",
    "*a* **b** _c_ __d__ ~~e~~ ~f~",
    "$x$ $$\\frac{1}{2}$$ \\(y\\) $`z`$ a $ b",
    "\\input{/etc/passwd} \\write18{touch ran} } { % \\end{document} ^ _ & #",
    "- starts like a list",
    "1. starts like another",
    'end"] --> x["a"] ; click x "http://evil.example" %% end\nsubgraph',
    "see https://evil.example/a?b=<c>&d='e'\"f` for more",
    '"><svg onload="alert(1)"> \' onclick=\'alert(1)',
)
SEEN = ("😀 \U0001d54f 你好 नमस्ते é ﬁ Ａ", "نمی\u200cخواهم 👩\u200d🔬", "a\u00a0b c\u3000d")
UNSEEN = (
    "a\u202eb\u2066c\u2069",
    "zero\u200bwidth\u2060",
    "\ufeffmark",
    "nul\x00",
    "\x1b[31mred\x07",
    "line\u2028next\u2029",
    "\x85next",
    "carriage\rreturn",
    "half \ud83d of one",
    "\U000e0041tag",
    "y" * 40_000,
)
SHOWN = (*PYTHON, *SPREADSHEET, *MARKUP, *SEEN)
HOSTILE = (*SHOWN, *UNSEEN)
