/* A member of a struct that a restart file keeps by its name. Modules that know nothing of files
 * offer tables of these; snapshot/fields.h stores and restores them. */
#ifndef KY_BASE_FIELDS_H
#define KY_BASE_FIELDS_H

#include <stddef.h>

/* The range of a stored number. A number that was damaged or edited is refused when it is read. */
enum ky_stored_kind {
    KY_STORED_ANY,   /* any bits; the reader may check it further */
    KY_STORED_FLAG,  /* 0 or 1 */
    KY_STORED_COUNT, /* an integer up to 9e15 */
    KY_STORED_REAL,  /* finite */
    KY_STORED_SIZE,  /* finite and not negative */
    KY_STORED_MAYBE, /* not negative, or NaN: not given */
    KY_STORED_KINDS
};

struct ky_stored_field {
    const char *name; /* fewer than 24 characters */
    size_t offset;    /* of the member, a double or uint64_t */
    int may_lack;     /* 1: in a file without this field the member stays as it is */
    enum ky_stored_kind kind;
};

#endif
