/* One reader, fed with bytes. What it accepts must be sound: the bodies are checked, and the arrays
 * are touched from end to end. */
#ifndef KY_FUZZ_H
#define KY_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int fuzz_snapshot(enum ky_format format, const uint8_t *data, size_t size)
{
    struct ky_input input;
    struct ky_snapshot snapshot;
    struct ky_error error = {0};
    ky_input_memory(&input, data, size);
    enum ky_status status = ky_snapshot_read_input(&input, format, NULL, &snapshot, &error);
    if (status && (status != error.status || !error.text[0] || strchr(error.text, '\n')))
        abort();
    if (status)
        return 0;
    if (snapshot.bodies.n == 0 || ky_bodies_check(&snapshot.bodies, NULL))
        abort();
    ky_snapshot_free(&snapshot);
    return 0;
}

#endif
