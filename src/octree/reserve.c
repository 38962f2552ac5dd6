/* Memory of the octree's arrays. It grows and is kept from one tree to the next. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "octree/work.h"

enum ky_status ky_octree_reserve(void *array, size_t *capacity, size_t count, size_t size,
                                 const char *what, struct ky_error *error)
{
    void *old = NULL, *fresh = NULL;
    memcpy(&old, array, sizeof old);
    if (count <= *capacity && old)
        return KY_OK;
    free(old);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = 0;
    size_t room = count + count / 16;
    KY_TRY(ky_array(&fresh, room, size, what, error));
    memcpy(array, &fresh, sizeof fresh);
    *capacity = room;
    return KY_OK;
}
