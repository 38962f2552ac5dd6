/* The seam of block and Hermite steps, where engines that share a system wait for each other. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/steps/levels.h"

/* Rows of the caller's units: x v a j, mass, softening. */
enum { ROWS = 3 + 3 + 3 + 3 + 1 + 1 };

enum ky_status ky_cpu_seam_least(const struct ky_cpu_way *own, uint64_t *number,
                                 struct ky_error *error)
{
    const struct ky_seam *seam = own->way->seam;
    return seam ? seam->least(seam->context, number, error) : KY_OK;
}

/* Three columns, times `factor`, to rows. */
static void fill(double (*row)[3], size_t n, const double *const column[3], size_t along,
                 double factor)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++)
            row[i][c] = column[c][i * along] * factor;
}

static void fill_change(double (*a)[3], double (*jerk)[3], const struct ky_cpu *cpu)
{
    const double *from = cpu->extra[KY_COLUMN_JERK];
    const size_t n = cpu->n;
    fill(a, n, (const double *const[]){cpu->a[0], cpu->a[1], cpu->a[2]}, 1, 1);
    fill(jerk, n, (const double *const[]){from, from + n, from + 2 * n}, 1, 1);
}

enum ky_status ky_cpu_seam_exchange(const struct ky_cpu_way *own,
                                    const struct ky_cpu_standing *standing, struct ky_error *error)
{
    struct ky_cpu *cpu = own->cpu;
    const struct ky_seam *seam = own->way->seam;
    const size_t n = cpu->n;
    if (!seam)
        return KY_OK;
    double(*x)[3] = ky_allocate(n, ROWS * sizeof(double));
    if (!x)
        return ky_no_memory(error, "bodies for other engines", n, ROWS * sizeof(double));
    double(*v)[3] = x + n, (*a)[3] = v + n, (*jerk)[3] = a + n, *mass = (double *)(jerk + n),
    *softening = mass + n;
    struct ky_foreign given = {.n = n, .position = (const double(*)[3])x, .mass = mass};
    fill(x, n, standing->x, standing->along, cpu->length);
    if (standing->v[0]) {
        fill(v, n, standing->v, standing->along, cpu->length);
        given.velocity = (const double(*)[3])v;
    }
    if (standing->change) {
        fill_change(a, jerk, cpu);
        given.acceleration = (const double(*)[3])a;
        given.jerk = (const double(*)[3])jerk;
    }
    for (size_t i = 0; i < n; i++) {
        mass[i] = cpu->mass[i] * cpu->mass_unit;
        if (cpu->softening)
            softening[i] = cpu->softening[i] * cpu->length;
    }
    given.softening = cpu->softening ? softening : NULL;
    enum ky_status status = seam->exchange(seam->context, &cpu->base, &given, error);
    free(x);
    return status;
}
