/* The parameters of a simulation as text, for its restart file, and from one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "simulation/run_tasks.h"

enum ky_status ky_sim_text(const struct ky_sim *sim, char **text, struct ky_error *error)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    struct ky_parameters own = ky_sim_given(sim);
    size_t size = 0;
    *text = NULL;
    ky_parameter_sets(&own, sets);
    FILE *memory = open_memstream(text, &size);
    if (!memory)
        return ky_no_memory(error, "parameters", 1, 4096);
    ky_options_write_ini(sets, KY_PARAMETER_SETS, memory);
    return fclose(memory) ? ky_no_memory(error, "parameters", 1, 4096) : KY_OK;
}

/* Takes engine, threads, log, `stop` and field function from the caller. Other values stay as they
 * were, so that the run continues bit for bit. On the CPU a setting for device trees is dropped. */
static void take_processor(struct ky_parameters *stored, const struct ky_parameters *wanted)
{
    if (wanted->engine && strcmp(wanted->engine, "auto") != 0)
        stored->engine = wanted->engine;
    if (ky_parameters_ignore(stored, "tree"))
        stored->tree = KY_TREE_BY_ENGINE;
    if (wanted->isa > KY_ISA_AUTO)
        stored->isa = wanted->isa;
    if (wanted->threads > 0)
        stored->threads = wanted->threads;
    if (wanted->ranks > 0)
        stored->ranks = wanted->ranks;
    stored->log = wanted->log;
    stored->log_context = wanted->log_context;
    stored->stop = wanted->stop;
    stored->field_function = wanted->field_function;
    stored->field_places = wanted->field_places;
    stored->field_context = wanted->field_context;
    stored->units = wanted->units;
}

enum ky_status ky_sim_restore_parameters(const struct ky_restart *restart,
                                         const struct ky_parameters *wanted,
                                         struct ky_parameters *parameters, char **text,
                                         struct ky_error *error)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    const struct ky_section *section = ky_restart_find(restart, "parameters");
    *text = NULL;
    if (!section || !section->bytes || ((const char *)section->data)[section->bytes - 1])
        return ky_fail(error, KY_BAD_DATA, "the restart file has no parameters");
    if (!(*text = malloc(section->bytes)))
        return ky_no_memory(error, "parameters", (size_t)section->bytes, 1);
    memcpy(*text, section->data, (size_t)section->bytes);
    ky_parameters_defaults(parameters);
    parameters->force = KY_TREE; /* files name the method in use, never `auto` */
    ky_parameter_sets(parameters, sets);
    enum ky_status status = ky_options_read_back(sets, KY_PARAMETER_SETS, *text, error);
    if (status == KY_USAGE)
        status = ky_fail_in(error, KY_BAD_DATA, "the restart file: ");
    take_processor(parameters, wanted);
    return status;
}
