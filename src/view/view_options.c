/* The options of the view. */
#include "view/view_options.h"

#include <stddef.h>

#include "base/sizes.h"

#define FIELD(name) offsetof(struct ky_view_parameters, name)

const struct ky_option ky_view_options[] = {
    {"view-port", KY_OPTION_COUNT, FIELD(port), "0", 0, 65535, NULL, "PORT",
     "port of the view on 127.0.0.1; 0: the system chooses a free one"},
    {"view-bodies", KY_OPTION_COUNT, FIELD(bodies), "200000", 1, 20e6, NULL, "BODIES",
     "maximum number of bodies in the view; if there are more it shows a sample, always the same "
     "one"},
    {"view-frame", KY_OPTION_FLAG, FIELD(frame), NULL, KY_NO_RANGE, NULL, NULL,
     "allow pages of this machine, such as a notebook, to show the view in a frame"},
};
const size_t ky_view_option_count = sizeof ky_view_options / sizeof *ky_view_options;

void ky_view_parameters_defaults_sized(struct ky_view_parameters *parameters, size_t size)
{
    struct ky_view_parameters own = {.size = sizeof own};
    const struct ky_option_set set = {"view", ky_view_options, ky_view_option_count, &own, NULL,
                                      NULL};
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}
