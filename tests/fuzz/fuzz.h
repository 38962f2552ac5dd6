/* Feeds one reader with bytes. Bodies that it accepts must be right: they are checked, and their
 * arrays are read from end to end. */
#ifndef KY_FUZZ_H
#define KY_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_with(enum ky_format format, const uint8_t *data, size_t size,
                             const struct ky_read_options *options)
{
    struct ky_input input;
    struct ky_snapshot snapshot;
    struct ky_error error = {0};
    ky_input_memory(&input, data, size);
    enum ky_status status = ky_snapshot_read_input(&input, format, options, &snapshot, &error);
    if (status && (status != error.status || !error.text[0] || strchr(error.text, '\n')))
        abort();
    if (status)
        return;
    if (snapshot.bodies.n == 0 || ky_bodies_check(&snapshot.bodies, NULL))
        abort();
    ky_snapshot_free(&snapshot);
}

/* Reads the data without options, and with all of them. */
static inline int fuzz_snapshot(enum ky_format format, const uint8_t *data, size_t size)
{
    const struct ky_units units = {3.085678e21, 1.989e43, 1e5, 43009.0};
    struct ky_read_options options;
    ky_read_options_defaults(&options);
    options.space = KY_SPACE_PHYSICAL;
    options.types = 0x3e;
    options.renumber = 1;
    options.units = &units;
    fuzz_with(format, data, size, NULL);
    fuzz_with(format, data, size, &options);
    return 0;
}

#endif
