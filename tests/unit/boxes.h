/* Bodies in a periodic box, in systems of many shapes. */
#ifndef KY_TEST_BOXES_H
#define KY_TEST_BOXES_H

#include "physics/space.h"
#include "ranked.h"

#define SIDE 2.5

/* Of the box: bodies at random; clumps of every size, some across faces; a lattice that waves have
 * displaced a little; all in one corner; a half on faces, edges and corners; all at one place. */
enum set { UNIFORM, CLUMPS, WAVES, CORNER, FACES, TOGETHER };

static inline double coordinate(enum set set, size_t i, size_t n, int c, struct ky_random *random)
{
    const double pi = 3.14159265358979323846, u = ky_random_uniform(random),
                 side = ceil(cbrt((double)n)), place = fmod(floor((double)i / pow(side, c)), side);
    struct ky_random clump = ky_random_at(9, 1, 3 * (i % 7) + (size_t)c);
    switch (set) {
    case CLUMPS:
        return (i % 7 ? 0.1 * pow(0.3, (double)(i % 7)) * (u - 0.5) : u) +
               (i % 7 == 1 ? 0 : ky_random_uniform(&clump));
    case WAVES: /* as at z = 49: displacements are a small part of the spacing */
        return (place + 0.5) / side + 0.04 / side * sin(2 * pi * (place / side + 0.1 * c)) +
               0.01 / side * (u - 0.5);
    case CORNER:
        return 0.1 * u;
    case FACES:
        return (i + (size_t)c) % 3 == 0 || i % 5 == 0 ? 0 : u;
    case TOGETHER:
        return 0.3;
    default:
        return u;
    }
}

static inline struct ky_bodies make_box(enum set set, size_t n)
{
    struct ky_error error;
    struct ky_bodies bodies;
    assert_ok(ky_bodies_allocate(&bodies, n, RESULTS, &error));
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(3, (uint32_t)set, i);
        for (int c = 0; c < 3; c++) {
            bodies.position[i][c] = SIDE * ky_wrap(coordinate(set, i, n, c, &random), 1);
            bodies.velocity[i][c] = 3 * (2 * ky_random_uniform(&random) - 1);
        }
        bodies.id[i] = i;
        bodies.mass[i] = (set == WAVES ? 1 : 0.5 + ky_random_uniform(&random)) / (double)n;
    }
    return bodies;
}

#endif
