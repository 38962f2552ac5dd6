#include "snapshot/restart.h"
#include "base/file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ky_input input;
    struct ky_restart restart;
    ky_input_memory(&input, data, size);
    if (!ky_restart_read_input(&input, &restart, NULL)) {
        for (size_t k = 0; k < restart.count; k++)
            if (!restart.section[k].data || !memchr(restart.section[k].name, '\0', 16))
                abort();
        ky_restart_free(&restart);
    }
    return 0;
}
