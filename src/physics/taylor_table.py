#!/usr/bin/env python3
"""Writes src/physics/taylor_table.h, the tables of physics/taylor.h, to standard output: taylor_table.py > taylor_table.h

tests/command/generated.py compares the file with what this program writes."""
import functools
import math
import textwrap

MOST = 6
DEGREE_2 = [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1)]  # as in octree/layout.h
HEAD = """\
/* Tables for physics/taylor.h, written by taylor_table.py: change that program, not this file.
 *
 * A coefficient belongs to three exponents n = (i, j, k), its degree is |n| = i + j + k. Their
 * numbers: 0 is (0, 0, 0), 1 to 3 are x, y, z, 4 to 9 are xx yy zz xy xz yz, then come the
 * triples of degree 3 and so on. A table ends in the degree of its rows.
 *
 * KY_TAYLOR_POWERS_d(T), T(n, axis, below, over, degree): t^n/n! = t[axis] (t^below/below!) / over.
 * KY_TAYLOR_SUMS_d(A), A(a, b, c): all a and b whose exponents add up to the exponents of c.
 * KY_TAYLOR_DERIVATIVES_d(G, X, Y, S): D_n s^(|n|+1) for all n of the degree, in the order in which
 * they are computed. Numbers from %d on are intermediate; u is the direction.
 *     G(to, number): the number
 *     X(to, axis, from): u[axis] from
 *     Y(to, axis, from, other): u[axis] from + other
 *     S(to, from, k): k from */
#ifndef KY_PHYSICS_TAYLOR_TABLE_H
#define KY_PHYSICS_TAYLOR_TABLE_H

/* clang-format off */
"""


def of_degree(degree):
    if degree == 2:
        return DEGREE_2
    return [(i, j, degree - i - j) for i in range(degree, -1, -1) for j in range(degree - i, -1, -1)]


TERMS = [n for degree in range(MOST + 1) for n in of_degree(degree)]
PLACE = {n: k for k, n in enumerate(TERMS)}


def lowered(n, axis):
    return tuple(k - (i == axis) for i, k in enumerate(n))


def lowest_axis(n):
    """The axis with the smallest exponent that is not 0: of a factor 1 no multiplication comes."""
    return min((k, axis) for axis, k in enumerate(n) if k)[1]


def power(n):
    axis = lowest_axis(n)
    return f"T({PLACE[n]},{axis},{PLACE[lowered(n, axis)]},{n[axis]},{sum(n)})"


def sums(degree):
    for c in of_degree(degree):
        for a in TERMS:
            b = tuple(k - l for k, l in zip(c, a))
            if min(b) >= 0:
                yield f"A({PLACE[a]},{PLACE[b]},{PLACE[c]})"


class Derivatives:
    """R^k_n of physics/taylor.h times s^(|n|+2k+1), each made once."""

    def __init__(self):
        self.rows = []
        self.count = len(TERMS)

    def new(self):
        self.count += 1
        return self.count - 1

    @functools.cache
    def g(self, k):
        place = self.new()
        self.rows.append(f"G({place},{math.prod(1 - 2 * j for j in range(1, k + 1))})")
        return place

    @functools.cache
    def times(self, place, factor):
        if factor == 1:
            return place
        scaled = self.new()
        self.rows.append(f"S({scaled},{place},{factor})")
        return scaled

    @functools.cache
    def r(self, n, k):
        if sum(n) == 0:
            return self.g(k)
        axis = lowest_axis(n)
        below = lowered(n, axis)
        first = self.r(below, k + 1)
        other = self.times(self.r(lowered(below, axis), k + 1), below[axis]) if below[axis] else None
        place = PLACE[n] if k == 0 else self.new()
        self.rows.append(f"X({place},{axis},{first})" if other is None else f"Y({place},{axis},{first},{other})")
        return place

    def of_degree(self, degree):
        self.rows = []
        for n in of_degree(degree):
            self.r(n, 0)
        return self.rows


def table(name, arguments, rows):
    lines = [f"#define KY_TAYLOR_{name}({arguments})"] + ["    " + line for line in textwrap.wrap(" ".join(rows), 92)]
    print(" \\\n".join(lines))


def main():
    derivatives = Derivatives()
    print(HEAD % len(TERMS))
    for degree in range(MOST + 1):
        table(f"POWERS_{degree}", "T", [power(n) for n in of_degree(degree) if degree])
    for degree in range(MOST + 1):
        table(f"SUMS_{degree}", "A", list(sums(degree)))
    for degree in range(MOST + 1):
        table(f"DERIVATIVES_{degree}", "G, X, Y, S", derivatives.of_degree(degree))
    print(f"\n/* The highest order, its coefficients, and the numbers that its derivatives take. */\n#define KY_TAYLOR_MOST {MOST}")
    print(f"#define KY_TAYLOR_TERMS {len(TERMS)}\n#define KY_TAYLOR_DERIVATIVES {derivatives.count}")
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
