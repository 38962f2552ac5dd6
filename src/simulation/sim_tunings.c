/* The list of forces that a comoving simulation has found for its error, also in restart files. */
#include "simulation/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* The force in use, which was found at the scale factor a. */
static struct ky_tuned_force force_now(const struct ky_sim *sim, double a)
{
    const struct ky_choice *choice = &sim->choice;
    return (struct ky_tuned_force){a, choice->order, choice->alpha, choice->measured,
                                   (double)choice->samples};
}

enum ky_status ky_sim_note_force(struct ky_sim *sim, double a, struct ky_error *error)
{
    const size_t count = sim->tunings;
    struct ky_tuned_force *list;
    KY_TRY(ky_array(&list, count + 1, sizeof *list, "forces that were found", error));
    if (count)
        memcpy(list, sim->tuned, count * sizeof *list);
    list[count] = force_now(sim, a);
    free(sim->tuned);
    sim->tuned = list;
    sim->tunings = count + 1;
    return KY_OK;
}

enum ky_status ky_sim_begin_tunings(struct ky_sim *sim, struct ky_error *error)
{
    const int is_measured = !isnan(sim->choice.asked) && !isnan(sim->choice.measured);
    return sim->line.comoving && is_measured ? ky_sim_note_force(sim, sim->line.start, error)
                                             : KY_OK;
}

void ky_sim_end_tunings(struct ky_sim *sim)
{
    free(sim->tuned);
    sim->tuned = NULL;
    sim->tunings = 0;
}

/* ---- restart files ---- */

static const char section_name[] = "tunings";

struct ky_section ky_sim_tunings_section(const struct ky_sim *sim)
{
    struct ky_section section = {.data = sim->tuned, .bytes = sim->tunings * sizeof *sim->tuned};
    memcpy(section.name, section_name, sizeof section_name);
    return section;
}

static enum ky_status check(const struct ky_tuned_force *tuned, size_t k, struct ky_error *error)
{
    if (tuned->a > 0 && isfinite(tuned->a) && tuned->order >= 0 && tuned->alpha > 0 &&
        tuned->alpha <= 1 && !(tuned->error < 0) && tuned->samples >= 0 &&
        tuned->samples < 9007199254740992.0)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "the restart file has a section '%s' whose entry %zu is no force", section_name,
                   k);
}

enum ky_status ky_sim_restore_tunings(struct ky_sim *sim, const struct ky_restart *restart,
                                      struct ky_error *error)
{
    const struct ky_section *section = ky_restart_find(restart, section_name);
    const uint64_t count = section ? section->bytes / sizeof *sim->tuned : 0;
    if (!section)
        return KY_OK;
    if (!count || count > KY_MOST_TUNINGS || section->bytes % sizeof *sim->tuned)
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file has a section '%s' of %llu bytes; it must have 1 to %d "
                       "entries of %zu bytes",
                       section_name, (unsigned long long)section->bytes, (int)KY_MOST_TUNINGS,
                       sizeof *sim->tuned);
    KY_TRY(
        ky_array(&sim->tuned, (size_t)count, sizeof *sim->tuned, "forces that were found", error));
    memcpy(sim->tuned, section->data, (size_t)section->bytes);
    sim->tunings = (size_t)count;
    for (size_t k = 0; k < count; k++)
        KY_TRY(check(&sim->tuned[k], k, error));
    return KY_OK;
}
