/* Numbers of devices in the name of an engine. */
#include "engine/common/device_list.h"

#include <string.h>

#include "base/number.h"
#include "base/status.h"

enum ky_status ky_device_list(const char *name, size_t *count, struct ky_error *error)
{
    const char *colon = strchr(name, ':');
    *count = 0;
    for (const char *at = colon; at && *at;) {
        char *end;
        ky_number_count(++at, &end);
        if (end == at || (*end != ',' && *end != 0))
            return ky_fail(error, KY_USAGE,
                           "engine '%s': give the numbers of devices after the colon, as in "
                           "%.*s:0",
                           name, (int)(colon - name), name);
        at = end;
        ++*count;
    }
    return KY_OK;
}

uint64_t ky_device_listed(const char *name, size_t k)
{
    const char *at = strchr(name, ':') + 1;
    for (; k > 0; k--)
        at = strchr(at, ',') + 1;
    return ky_number_count(at, NULL);
}

int ky_device_twice;

enum ky_status ky_device_list_once(const char *name, size_t *count, struct ky_error *error)
{
    const enum ky_status status = ky_device_list(name, count, error);
    for (size_t k = 0; k < *count && !status && !ky_device_twice; k++)
        for (size_t before = 0; before < k; before++)
            if (ky_device_listed(name, before) == ky_device_listed(name, k))
                return ky_fail(error, KY_USAGE,
                               "engine '%s': device %llu is named twice; each is wanted once", name,
                               (unsigned long long)ky_device_listed(name, k));
    return status;
}
