/* Bodies as they travel from rank to rank: rows of doubles. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/domain.h"

/* The arrays of struct ky_bodies that travel, and how many numbers each has for a body. */
#define ROWS(R, p)                                                                                 \
    R(p, KY_WITH_MASS_ROW, mass, 1)                                                                \
    R(p, KY_WITH_POSITION_ROW, position, 3)                                                        \
    R(p, KY_WITH_VELOCITY_ROW, velocity, 3)                                                        \
    R(p, KY_WITH_ACCELERATION_ROW, acceleration, 3)                                                \
    R(p, KY_WITH_POTENTIAL_ROW, potential, 1)                                                      \
    R(p, KY_WITH_SOFTENING_ROW, softening, 1)

unsigned ky_domain_arrays_of(const struct ky_bodies *bodies)
{
#define ROW_THERE(p, bit, name, count) +(bodies->name ? (unsigned)(bit) : 0U)
    return 0U ROWS(ROW_THERE, );
}

size_t ky_row_numbers(unsigned with)
{
#define ROW_COUNT(p, bit, name, count) +(with & (unsigned)(bit) ? (count) : 0U)
    return 0U ROWS(ROW_COUNT, );
}

enum ky_status ky_rows_allocate(struct ky_bodies *bodies, size_t n, unsigned with,
                                struct ky_error *error)
{
    int complete = 1;
    *bodies = (struct ky_bodies){.n = n};
#define ROW_ALLOCATE(p, bit, name, count)                                                          \
    if (with & (unsigned)(bit))                                                                    \
        complete &= (bodies->name = ky_allocate(n, sizeof *bodies->name)) != NULL;
    ROWS(ROW_ALLOCATE, )
    return complete
               ? KY_OK
               : ky_no_memory(error, "bodies of a rank", n, ky_row_numbers(with) * sizeof(double));
}

void ky_rows_free(struct ky_bodies *bodies)
{
#define ROW_FREE(p, bit, name, count) free(bodies->name);
    ROWS(ROW_FREE, )
    *bodies = (struct ky_bodies){0};
}

void ky_rows_soften(struct ky_bodies *bodies, double softening)
{
    for (size_t i = 0; bodies->softening && i < bodies->n; i++)
        bodies->softening[i] = softening;
}

double *ky_row_write(double *row, const struct ky_bodies *bodies, size_t i, unsigned with)
{
#define ROW_WRITE(p, bit, name, count)                                                             \
    if (with & (unsigned)(bit)) {                                                                  \
        memcpy(row, &bodies->name[i], (count) * sizeof *row);                                      \
        row += (count);                                                                            \
    }
    ROWS(ROW_WRITE, )
    return row;
}

const double *ky_row_read(const double *row, const struct ky_bodies *bodies, size_t i,
                          unsigned with)
{
#define ROW_READ(p, bit, name, count)                                                              \
    if (with & (unsigned)(bit)) {                                                                  \
        memcpy(&bodies->name[i], row, (count) * sizeof *row);                                      \
        row += (count);                                                                            \
    }
    ROWS(ROW_READ, )
    return row;
}
