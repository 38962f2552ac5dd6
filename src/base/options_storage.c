/* The texts that fields of options point into: parameter files, and lists. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"

enum { LARGEST = 1 << 24 }; /* bytes of a parameter file */

/* The text of a file, which TEXT fields point into. */
struct ky_option_storage {
    struct ky_option_storage *next;
    char text[];
};

void ky_options_storage_free(struct ky_option_storage *storage)
{
    while (storage) {
        struct ky_option_storage *next = storage->next;
        free(storage);
        storage = next;
    }
}

char *ky_options_store(struct ky_option_storage **storage, size_t bytes)
{
    struct ky_option_storage *own = malloc(sizeof *own + bytes);
    if (!own)
        return NULL;
    own->next = *storage;
    *storage = own;
    return own->text;
}

enum ky_status ky_options_read_file(FILE *file, const char *name,
                                    struct ky_option_storage **storage, char **text,
                                    struct ky_error *error)
{
    size_t size = 0, room = 0;
    struct ky_option_storage *own = NULL;
    do {
        room = room ? 2 * room : 4096;
        struct ky_option_storage *larger = realloc(own, sizeof *own + room + 1);
        if (!larger) {
            free(own);
            return ky_no_memory(error, "parameter file", room, 1);
        }
        own = larger;
        size += fread(own->text + size, 1, room - size, file);
    } while (size == room && size < LARGEST);
    own->text[size] = '\0';
    *text = own->text;
    own->next = *storage;
    *storage = own;
    if (ferror(file))
        return ky_fail(error, KY_BAD_DATA, "%s: cannot be read", name);
    if (size >= LARGEST)
        return ky_fail(error, KY_BAD_DATA, "%s: is larger than 16 MiB; it is not a parameter file",
                       name);
    if (strlen(own->text) != size)
        return ky_fail(error, KY_BAD_DATA, "%s: has a zero byte; it is not text", name);
    return KY_OK;
}
