/* External fields in groups. The centre of a group feels a field as a single body does. Within the
 * group only the tides of the field act, as a tensor at the centre, since fields change little
 * across a group; where they do not, the group ends. */
#include <math.h>

#include "engine/common/external.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"

/* In sizes of a group: the strength is found so far from the centre of a field, since a field of a
 * point has no tide where the point is. */
static const double off_centre = 1e-3;

/* Adds the tidal tensor of a field at its time where it is strongest within a group at x: nearest
 * to the centre of the field. */
static void add_strongest(const struct ky_external *field, const double x[3], double size,
                          double tide[6])
{
    double place[3], d[3];
    for (int c = 0; c < 3; c++)
        d[c] = field->centre[c] - x[c];
    const double r = sqrt(ky_few_length2(d));
    for (int c = 0; c < 3; c++)
        place[c] = r > size ? x[c] + size / r * d[c] : field->centre[c];
    place[0] += r > size ? 0 : off_centre * size;
    ky_externals_tide_at(field, 1, place, tide);
}

double ky_cpu_group_field_strength(const struct ky_cpu *cpu, const double x[3], double size,
                                   double gm)
{
    const struct ky_externals *fields = &cpu->base.externals;
    double place[3], tide[6] = {0}, square = 0;
    for (int c = 0; c < 3; c++)
        place[c] = x[c] * cpu->length;
    for (size_t k = 0; k < fields->count; k++) {
        const struct ky_external now = ky_external_in(&fields->field[k], 1, 1, fields->time);
        add_strongest(&now, place, size, tide);
    }
    for (int c = 0; c < 6; c++)
        square += (c < 3 ? 1 : 2) * tide[c] * tide[c];
    return sqrt(square * 2 / 3) * size * size * size / gm; /* of a point: 2 m/M (size/distance)³ */
}

void ky_cpu_group_field_tides(const struct ky_cpu_way *b, const struct ky_cpu_group *group,
                              double h, double tide[3][6])
{
    const struct ky_cpu *cpu = b->cpu;
    const uint32_t slot = group->member[0];
    struct ky_externals fields = cpu->base.externals;
    for (int t = 0; t < 3; t++) {
        double x[3];
        const double s = 0.5 * t * h;
        for (size_t c = 0; c < 3; c++)
            x[c] = cpu->hermite->at[c][slot] * cpu->length +
                   s * (cpu->hermite->at[3 + c][slot] * cpu->length +
                        s * (0.5 * cpu->a[c][slot] +
                             s / 6 * cpu->extra[KY_COLUMN_JERK][c * cpu->n + slot]));
        fields.time = ky_advance_time(b->way, b->way->now) + s;
        ky_externals_add_tide(&fields, x, tide[t]);
    }
}

double ky_cpu_group_field_energy(const struct ky_cpu *cpu, const struct ky_cpu_group *group,
                                 const double centre[3], const struct ky_cpu_inside *inside)
{
    const double gm = ky_cpu_groups_gm(cpu, 1);
    double energy = 0;
    if (!cpu->base.externals.count)
        return 0;
    for (int k = 0; k <= group->n; k++) { /* the last one is the centre */
        double x[3], potential = 0;
        for (int c = 0; c < 3; c++)
            x[c] = centre[c] * cpu->length + (k < group->n ? inside->x[k][c] : 0);
        ky_externals_add(&cpu->base.externals, x, NULL, &potential);
        energy += (k < group->n ? group->mass[k] : -ky_cpu_group_mass(group)) * gm * potential;
    }
    return energy;
}
