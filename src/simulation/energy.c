/* energy.csv. */
#include "simulation/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/number.h"

static double relative(double change, double reference)
{
    return reference != 0 ? change / fabs(reference) : (double)NAN;
}

double ky_energy_change(const struct ky_energy_start *start, const struct ky_sums *sums)
{
    if (!start->conserved)
        return (double)NAN;
    return relative(ky_total_energy(sums) - start->energy, start->energy);
}

double ky_energy_error(const struct ky_energy_start *start, const struct ky_sums *sums)
{
    const int is_near_zero = fabs(start->energy) < 0.01 * fabs(start->potential);
    if (!start->conserved)
        return (double)NAN;
    return relative(ky_total_energy(sums) - start->energy,
                    is_near_zero ? start->potential : start->energy);
}

static const char columns[] =
    "time,steps,kinetic,potential,energy,de,dew,virial_ratio,momentum_x,momentum_y,momentum_z,"
    "angular_momentum_x,angular_momentum_y,angular_momentum_z,centre_x,centre_y,centre_z";

/* Columns that a run may lack, in their order, and the members of struct ky_energy_start that tell.
 */
#define PART(member, names)                                                                        \
    {                                                                                              \
        names, offsetof(struct ky_energy_start, member)                                            \
    }
static const struct {
    const char *names;
    size_t member;
} parts[] = {
    PART(external, ",external"),
    PART(bound, ",bodies,mass,bound_mass,half_mass_radius"),
    PART(comoving, ",layzer_irvine"),
    PART(evolution, ",evolution"),
    PART(groups, ",grouped,group_energy,handover_work,slow_work,slow_energy"),
    PART(tuned, ",order,alpha,force_error"),
    PART(core, ",core_radius,core_density,core_bodies"),
};
enum { PARTS = sizeof parts / sizeof *parts };

void ky_energy_find_columns(FILE *file, struct ky_energy_start *start)
{
    char line[1024] = "";
    rewind(file);
    do { /* comments come first */
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
    } while (*line == '#');
    for (int k = 0; k < PARTS; k++) {
        const char *found = strstr(line, parts[k].names);
        int *member = (int *)((char *)start + parts[k].member);
        *member = found && strchr(",\n", found[strlen(parts[k].names)]);
    }
}

void ky_energy_header(FILE *file, const struct ky_energy_start *start)
{
    fputs(columns, file);
    for (int k = 0; k < PARTS; k++)
        if (*(const int *)((const char *)start + parts[k].member))
            fputs(parts[k].names, file);
    for (int k = 0; k < KY_LAGRANGIAN_FRACTIONS && start->core; k++)
        fprintf(file, ",lagrangian_%02.0f", 100 * ky_lagrangian_fractions[k]);
    for (size_t k = 0; k < start->followed.count; k++) {
        const uint64_t id = start->followed.id[k];
        fprintf(file, ",x_%" PRIu64 ",y_%" PRIu64 ",z_%" PRIu64, id, id, id);
    }
    fprintf(file, ",wall_s\n");
}

/* An unknown value leaves its cell empty. */
static void value(FILE *file, double number)
{
    char text[KY_NUMBER_TEXT];
    fprintf(file, ",%s", isfinite(number) ? ky_number_text(text, number) : "");
}

void ky_energy_row(FILE *file, const struct ky_energy_start *start, const struct ky_energy_now *now)
{
    const struct ky_sums *sums = &now->sums;
    const double energy = ky_total_energy(sums);
    char text[KY_NUMBER_TEXT];
    fprintf(file, "%s,%" PRIu64, ky_number_text(text, now->time), now->steps);
    value(file, sums->kinetic);
    value(file, sums->potential);
    value(file, energy);
    value(file, ky_energy_change(start, sums));
    value(file,
          start->conserved ? relative(energy - start->energy, start->potential) : (double)NAN);
    value(file, ky_virial_ratio(sums));
    for (int k = 0; k < 3; k++)
        value(file, sums->momentum[k]);
    for (int k = 0; k < 3; k++)
        value(file, sums->angular_momentum[k]);
    for (int k = 0; k < 3; k++)
        value(file, sums->centre[k]);
    if (start->external)
        value(file, sums->external);
    if (start->bound) {
        fprintf(file, ",%zu", now->bodies);
        value(file, sums->mass);
        value(file, now->bound.mass);
        value(file, now->bound.half_mass_radius);
    }
    if (start->comoving)
        value(file, relative(energy + now->layzer - start->energy, sums->kinetic));
    if (start->evolution)
        value(file, start->evolved);
    if (start->groups) {
        fprintf(file, ",%zu", now->grouped);
        value(file, now->inner);
        value(file, now->handover_work);
        value(file, now->slow_work);
        value(file, now->slow_energy);
    }
    if (start->tuned) {
        value(file, now->order);
        value(file, now->alpha);
        value(file, now->force_error);
    }
    for (int k = 0; k < KY_CORE_NUMBERS && start->core; k++)
        value(file, now->core[k]);
    for (size_t k = 0; k < start->followed.count; k++)
        for (int c = 0; c < 3; c++)
            value(file, start->followed.place[k][c]);
    ky_format(text, sizeof text, "%.3f", now->wall);
    fprintf(file, ",%s\n", text);
}
