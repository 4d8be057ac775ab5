"""Binary logarithms as one node, where a formula comes from sympy and not from a spec.

sympy writes log2(n) as log(n)/log(2), which no dialect could tell from a quotient of natural logarithms, and which floating point
gets wrong at powers of two.
"""

from __future__ import annotations

from sympy import Expr, Integer, Mul, log

from generator.formulas.logarithm import Log2


def fold_logs(expr: Expr) -> Expr:
    """Return the expression with each log(x)/log(2) written as Log2(x)."""
    if not expr.has(log):
        return expr
    return expr.replace(lambda part: part.is_Mul and part.has(log), _fold_product)


def _fold_product(product: Expr) -> Expr:
    """Pair each logarithm in a product with a 1/log(2), as far as these go."""
    powers = dict(product.as_powers_dict())
    available = -powers.get(log(2), Integer(0))
    if not (available.is_Integer and available > 0):
        return product
    for base, exponent in list(powers.items()):
        if base.func is log and base != log(2) and exponent.is_Integer and exponent > 0:
            used = min(exponent, available)
            available -= used
            powers[base] = exponent - used
            powers[log(2)] += used
            powers[Log2(base.args[0])] = powers.get(Log2(base.args[0]), Integer(0)) + used
    return Mul(*(base**exponent for base, exponent in powers.items()))
