/* A member of a struct that a restart file keeps by its name (snapshot/fields.h). Modules that know
 * nothing of files offer tables of these. */
#ifndef KY_BASE_FIELDS_H
#define KY_BASE_FIELDS_H

#include <stddef.h>

struct ky_stored_field {
    const char *name; /* fewer than 24 characters */
    size_t offset;    /* of the member, a double or uint64_t */
    int may_lack;     /* a file without this field leaves the member as it is */
};

#endif
