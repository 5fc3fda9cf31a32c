"""Which call that was made answers which call that was expected: the pairs that make the most of both."""

from __future__ import annotations

import math
from collections.abc import Sequence

Pair = tuple[int, int]
"""The index of an expected call, and of the call that was made for it."""
Grid = Sequence[Sequence[int]]
"""For each expected call, and each that was made: 0 another tool, 1 the same, 2 its arguments fit, too."""

__all__ = ["best_pairs", "best_pairs_in_order"]


def best_pairs(grid: Grid) -> list[Pair]:
    """As many pairs of one tool as there can be, and among those ways the one in which most arguments fit.

    In any order. No call stands in two pairs, so a call made twice answers one expectation only.
    """
    expected, made = len(grid), len(grid[0]) if grid else 0
    if not made:
        return []
    if expected > made:
        return [(row, column) for column, row in best_pairs(list(zip(*grid, strict=True)))]
    # One more pair is worth more than all the arguments of the others.
    worth = (0, expected + 1, expected + 2)
    chosen = _assigned([[-worth[one] for one in row] for row in grid])
    return [(row, column) for row, column in chosen if grid[row][column]]


def best_pairs_in_order(grid: Grid) -> list[Pair]:
    """The same, of pairs that follow each other: what is expected later was called later."""
    expected, made = len(grid), len(grid[0]) if grid else 0
    # best[row][column]: of the expected calls from `row` on and the made ones from `column` on.
    best: list[list[tuple[int, int, list[Pair]]]] = [[(0, 0, [])] * (made + 1) for _ in range(expected + 1)]
    for row in reversed(range(expected)):
        for column in reversed(range(made)):
            choices = [best[row + 1][column], best[row][column + 1]]
            if grid[row][column]:
                pairs, fitting, found = best[row + 1][column + 1]
                fits = grid[row][column] == 2
                choices.append((pairs + 1, fitting + fits, [(row, column), *found]))
            best[row][column] = max(choices, key=lambda one: one[:2])
    return best[0][0][2]


def _assigned(cost: Sequence[Sequence[int]]) -> list[Pair]:
    """Each row with a column of its own, at the least cost together (the Hungarian method).

    There are at least as many columns as rows.
    """
    rows, columns = len(cost), len(cost[0])
    # Rows and columns count from 1; column 0 is where a row waits that has no column yet.
    of_row, of_column = [0] * (rows + 1), [0] * (columns + 1)
    row_of = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        least, before = [math.inf] * (columns + 1), [0] * (columns + 1)
        seen = [False] * (columns + 1)
        while row_of[column]:  # until a column is reached that nobody has
            seen[column] = True
            here, step, following = row_of[column], math.inf, 0
            for other in range(1, columns + 1):
                if not seen[other]:
                    reduced = cost[here - 1][other - 1] - of_row[here] - of_column[other]
                    if reduced < least[other]:
                        least[other], before[other] = reduced, column
                    if least[other] < step:
                        step, following = least[other], other
            for other in range(columns + 1):
                if seen[other]:
                    of_row[row_of[other]] += step
                    of_column[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:  # everyone on the way moves on by one
            row_of[column] = row_of[before[column]]
            column = before[column]
    return sorted((row_of[column] - 1, column - 1) for column in range(1, columns + 1) if row_of[column])
