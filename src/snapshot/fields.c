/* Named numbers in a section of a restart file. */
#include "snapshot/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct pair {
    char name[24];
    uint64_t value; /* the bytes of the double or of the uint64_t */
};

_Static_assert(sizeof(struct pair) == 32, "layout of the file");

enum ky_status ky_fields_store(const char *name, const struct ky_stored_field *fields, size_t count,
                               const void *object, struct ky_section *section,
                               struct ky_error *error)
{
    struct pair *pairs = ky_allocate_zeroed(count, sizeof *pairs);
    if (!pairs)
        return ky_no_memory(error, "restart fields", count, sizeof *pairs);
    for (size_t k = 0; k < count; k++) {
        strncpy(pairs[k].name, fields[k].name, sizeof pairs[k].name - 1);
        memcpy(&pairs[k].value, (const char *)object + fields[k].offset, sizeof pairs[k].value);
    }
    *section = (struct ky_section){.data = pairs, .bytes = count * sizeof *pairs};
    strncpy(section->name, name, sizeof section->name - 1);
    return KY_OK;
}

/* The value of a field in the section, or NULL. */
static const void *find(const struct ky_section *section, const char *name)
{
    const struct pair *pairs = section->data;
    for (size_t k = 0; k < section->bytes / sizeof *pairs; k++)
        if (!strncmp(pairs[k].name, name, sizeof pairs[k].name))
            return &pairs[k].value;
    return NULL;
}

enum ky_status ky_fields_restore(const struct ky_restart *restart, const char *name,
                                 const struct ky_stored_field *fields, size_t count, void *object,
                                 struct ky_error *error)
{
    const struct ky_section *section = ky_restart_find(restart, name);
    for (size_t k = 0; k < count; k++) {
        const size_t end = (k + 1) * sizeof(uint64_t);
        const void *value = NULL;
        if (section && restart->version > 1)
            value = find(section, fields[k].name);
        else if (section && end <= section->bytes)
            value = (const char *)section->data + end - sizeof(uint64_t);
        if (value)
            memcpy((char *)object + fields[k].offset, value, sizeof(uint64_t));
        else if (!fields[k].may_lack)
            return ky_fail(error, KY_BAD_DATA,
                           "the restart file has no number '%s' in a section '%s'", fields[k].name,
                           name);
    }
    return KY_OK;
}
