/* Structs of several versions. */
#include "base/sizes.h"

#include <string.h>

int ky_size_adopt(void *own, size_t own_size, const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > own_size)
        return 0;
    memcpy(own, given, size);
    memcpy(own, &own_size, sizeof own_size);
    return 1;
}

void ky_size_give(void *to, const void *own, size_t own_size)
{
    size_t size, room;
    memcpy(&size, to, sizeof size);
    room = size == 0 || size > own_size ? own_size : size;
    if (room > sizeof size)
        memcpy((char *)to + sizeof size, (const char *)own + sizeof size, room - sizeof size);
}
