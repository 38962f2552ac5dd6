/* Named numbers in a section of a restart file. */
#include "snapshot/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"

struct pair {
    char name[24];
    uint64_t value; /* the bytes of the double or of the uint64_t */
};

_Static_assert(sizeof(struct pair) == 32, "layout of the file");

enum ky_status ky_fields_store(const char *name, const struct ky_stored_field *fields, size_t count,
                               const void *object, struct ky_section *section,
                               struct ky_error *error)
{
    struct pair *pairs;
    KY_TRY(ky_array_zeroed(&pairs, count, sizeof *pairs, "restart fields", error));
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

/* ---- the range of numbers ---- */

static const uint64_t most = 9000000000000000; /* a double represents every integer up to here */

static int is_of_kind(enum ky_stored_kind kind, uint64_t count, double real)
{
    switch (kind) {
    case KY_STORED_FLAG:
        return count <= 1;
    case KY_STORED_COUNT:
        return count <= most;
    case KY_STORED_REAL:
        return isfinite(real);
    case KY_STORED_SIZE:
        return isfinite(real) && real >= 0;
    case KY_STORED_MAYBE:
        return isnan(real) || real >= 0;
    default:
        return 1;
    }
}

/* KY_BAD_DATA for a number that is not valid for its kind. */
static enum ky_status check(const struct ky_stored_field *field, const char *section,
                            const void *value, struct ky_error *error)
{
    static const char *const kinds[KY_STORED_KINDS] = {"anything",
                                                       "0 or 1",
                                                       "a whole number up to 9e15",
                                                       "finite",
                                                       "finite and not negative",
                                                       "NaN, or not negative"};
    char text[KY_NUMBER_TEXT];
    uint64_t count;
    double real;
    memcpy(&count, value, sizeof count);
    memcpy(&real, value, sizeof real);
    if (is_of_kind(field->kind, count, real))
        return KY_OK;
    if (field->kind == KY_STORED_FLAG || field->kind == KY_STORED_COUNT)
        ky_format(text, sizeof text, "%" PRIu64, count);
    else
        ky_number_text(text, real);
    return ky_fail(error, KY_BAD_DATA,
                   "the restart file has the number '%s' %s in its section '%s'; it must be %s",
                   field->name, text, section, kinds[field->kind]);
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
            KY_TRY(check(&fields[k], name, value, error));
        if (value)
            memcpy((char *)object + fields[k].offset, value, sizeof(uint64_t));
        else if (!fields[k].may_lack)
            return ky_fail(error, KY_BAD_DATA,
                           "the restart file has no number '%s' in a section '%s'", fields[k].name,
                           name);
    }
    return KY_OK;
}
