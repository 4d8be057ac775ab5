"""What attention in tiles moves between a slow and a fast memory."""

from __future__ import annotations

from sympy import Expr, ceiling

STATISTICS = 2  # of each query: the greatest score so far, and the sum of the weights


def tiled_traffic(q: tuple[Expr, ...], k: tuple[Expr, ...], v: tuple[Expr, ...], tile: Expr) -> Expr:
    """Return the elements that attention in tiles loads from slow memory and stores there (Dao et al., 2022, algorithm 1).

    For each head the result and two statistics of each query are stored first, as zeros. Then blocks of `tile` keys follow each other, the
    last may be shorter: a block and its values are loaded and stay in fast memory, while blocks of queries pass by. Of each of these the
    queries, the result so far and the statistics are loaded, and the new result and statistics stored. How many queries are in a block
    changes nothing, as each passes by once for each block of keys. Scores and weights are in fast memory alone.

    Args:
        q: shape of the queries [b, h, n, e]; k of the keys [b, g, m, e], v of the values [b, g, m, c]. Each of the h heads loads its own.
        tile: keys in a block.
    """
    b, h, n, e = q
    m, c = k[2], v[3]
    result = n * c + STATISTICS * n
    passing = n * e + 2 * result  # loaded, and stored again but for the queries
    return b * h * (result + m * (e + c) + ceiling(m / tile) * passing)
