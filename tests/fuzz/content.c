/* The content tells the format, as for a file of a user. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_snapshot(KY_FORMAT_BY_NAME, data, size);
}
