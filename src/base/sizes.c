/* Structs of several versions. */
#include "base/sizes.h"

#include <string.h>

size_t ky_size_find(const struct ky_struct_size *structs, size_t count, const char *name)
{
    for (size_t k = 0; name && k < count; k++)
        if (!strcmp(name, structs[k].name))
            return structs[k].size;
    return 0;
}

enum ky_status ky_size_adopt(void *own, size_t own_size, const void *given, const char *maker,
                             struct ky_error *error)
{
    size_t size;
    if (!given)
        return ky_fail(error, KY_USAGE, "a struct is NULL: %s fills one", maker);
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > own_size || size % sizeof size)
        return ky_fail(error, KY_USAGE, "a struct has size %zu, which is wrong: %s sets it", size,
                       maker);
    memcpy(own, given, size);
    memcpy(own, &own_size, sizeof own_size);
    return KY_OK;
}

void ky_size_fill(void *to, size_t size, const void *own, size_t own_size)
{
    const size_t both = size < own_size ? size : own_size;
    memset(to, 0, size);
    memcpy(to, own, both);
    if (both >= sizeof both)
        memcpy(to, &both, sizeof both);
}

void ky_size_give_grown(void *to, const void *own, size_t own_size, size_t first)
{
    size_t size, room;
    if (!to)
        return;
    memcpy(&size, to, sizeof size);
    room = size == 0 ? first : size > own_size ? own_size : size;
    if (room > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)own + sizeof size, room - sizeof size);
}

void ky_size_give(void *to, const void *own, size_t own_size)
{
    ky_size_give_grown(to, own, own_size, own_size);
}
