"""Random texts of the expression language that are Python as well, for tests with hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

SIZES = ("b", "n", "d", "h", "e")


def written(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operand = st.one_of(inner, inner.map("({})".format), inner.map("-{}".format))
    return st.one_of(
        st.tuples(operand, st.sampled_from(["+", "-", "*", "/", "//", "%", " + ", " // "]), operand).map("".join),
        st.tuples(inner.map("({})".format), st.sampled_from(["**2", "**0", "**-1", " ** 3", "**2**2", "**-(1)"])).map("".join),
        st.tuples(st.sampled_from(["ceil", "floor"]), inner).map(lambda parts: "{}({})".format(*parts)),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda parts: "{}({}, {})".format(*parts)),
    )


# Texts of our language that are Python as well; operators are joined without regard to precedence, so that the parser has to find it.
expressions = st.recursive(st.one_of(st.integers(0, 12).map(str), st.sampled_from(SIZES)), written, max_leaves=8)


comparisons = st.tuples(expressions, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), expressions).map(" ".join)
conditions = st.recursive(
    comparisons,
    lambda inner: st.tuples(st.one_of(inner, inner.map("({})".format)), st.sampled_from(["and", "or"]), inner).map(" ".join),
    max_leaves=3,
)
