/* Data of cells that act and of sinks, which the kernels of --force fmm and the host share. */
#ifndef KY_KERNELS_EXPAND_H
#define KY_KERNELS_EXPAND_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/tree/sources.h"

/* Sinks that share local coefficients: a cell, or a group. The middle of their box, relative to the
 * origin of the cells, and its half sides; the sum of the squares of these as a length; ε² of the
 * sinks, in the middle of its range; α a, KY_INFINITY where no last acceleration is known; the
 * smallest distance of a cell that acts on them at once. `parent`: the sinks of the cut above that
 * hold them. Bodies `begin` to `end` - 1 along the curve; none if no sink is wanted. */
struct ky_expanded {
    float high[3], radius;
    float low[3], eps2;
    float side[3], error;
    float least;
    unsigned int parent, begin, end;
} KY_LAID_OUT;
#define KY_NO_PARENT 0xffffffffU
/* Cells of a tree are fewer, so that two bits of a word can say more of a cell. */
#define KY_EXPAND_MOST_CELLS 0x40000000U

/* The factor of α for cells that act on large sinks: their errors are errors of many bodies at
 * once, and were the largest of all (Plummer spheres, 16,777,216 bodies, order 4: 99 % of the
 * accelerations within 2.7e-3 instead of 3.3e-3 with a half, in the same time). */
#define KY_EXPAND_PART_OF_ALPHA 0.25F

/* Data of the sinks in a cell: their largest 1/(α a) and ε², the bits of their smallest ε²
 * inverted, and 1 if there are any. Bits of floats that are not negative have the order of the
 * floats, so that atomic maxima find them, from 0 on. */
struct ky_expand_range {
    unsigned int most, high2, not_low2, wanted;
} KY_LAID_OUT;
/* Bodies of a cell that one team looks at. */
#define KY_EXPAND_PART 512

/* Numbers of the kernels, N(p, type, name); `p` is the caller's own. Sinks are those of bodies from
 * sinks_from to sinks_to - 1, since ranks divide the sinks. `first` and `count`: of the cells or
 * groups of a launch; `stride`: the second half of counts; `listed`: bodies of the list of wanted
 * ones (KY_FLAG_LISTED); `list`: cells that wait for the sinks of the next cut, at most (where
 * there are more a cell is not opened before); `acting`: cells that act on a group at once, at most
 * (others act on its sinks one by one). The limits of physics/fmm.h for all sinks: angle, least,
 * most;
 * `teams`: for each sink, which share out the grandchildren of the root with all that is below;
 * `above`: the same of the cut above. `start`: the root. `part`: of α; per_spread: a squared
 * distance over a range of ε²; eps2: that of bodies without their own. */
#define KY_EXPAND_NUMBERS(N, p)                                                                    \
    N(p, unsigned int, n)                                                                          \
    N(p, unsigned int, first)                                                                      \
    N(p, unsigned int, count)                                                                      \
    N(p, unsigned int, stride)                                                                     \
    N(p, unsigned int, sinks_from)                                                                 \
    N(p, unsigned int, sinks_to)                                                                   \
    N(p, unsigned int, list)                                                                       \
    N(p, unsigned int, acting)                                                                     \
    N(p, unsigned int, listed)                                                                     \
    N(p, unsigned int, teams)                                                                      \
    N(p, unsigned int, above)                                                                      \
    N(p, unsigned int, start)                                                                      \
    N(p, unsigned int, flags)                                                                      \
    N(p, int, order)                                                                               \
    N(p, float, angle)                                                                             \
    N(p, float, least)                                                                             \
    N(p, float, most)                                                                              \
    N(p, float, part)                                                                              \
    N(p, float, per_spread)                                                                        \
    N(p, float, eps2)
#define KY_EXPAND_MEMBER(p, type, name) type name;
struct ky_expand_numbers {
    KY_EXPAND_NUMBERS(KY_EXPAND_MEMBER, )
};
/* The last arguments of their kernels, and in a kernel the values of the struct; on the host the
 * last arguments of a launch. */
#define KY_EXPAND_TAKEN(p, type, name) , type number_##name
#define KY_EXPAND_TAKES KY_EXPAND_NUMBERS(KY_EXPAND_TAKEN, )
#define KY_EXPAND_HELD(p, type, name) number_##name,
#define KY_EXPAND_HERE                                                                             \
    {                                                                                              \
        KY_EXPAND_NUMBERS(KY_EXPAND_HELD, )                                                        \
    }
#define KY_EXPAND_GIVEN(numbers, type, name) , KY_VALUE((numbers).name)
#define KY_EXPAND_GIVE(numbers) KY_EXPAND_NUMBERS(KY_EXPAND_GIVEN, numbers)

/* Flags besides the flags of walks (shared.h): the spline. */
#define KY_FLAG_SPLINED 0x200000

#endif
