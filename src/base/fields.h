/* A member of a struct that a restart file keeps by its name. Modules that know nothing of files
 * offer tables of these; snapshot/fields.h stores and restores them. */
#ifndef KY_BASE_FIELDS_H
#define KY_BASE_FIELDS_H

#include <stddef.h>

struct ky_stored_field {
    const char *name; /* fewer than 24 characters */
    size_t offset;    /* of the member, a double or uint64_t */
    int may_lack;     /* 1: in a file without this field the member stays as it is */
};

#endif
