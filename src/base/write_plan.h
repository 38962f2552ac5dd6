/* Where numbers of bodies go in files, for those who have the bodies: ranks that each have some of
 * them write what they have, and nobody has to have all. */
#ifndef KY_BASE_WRITE_PLAN_H
#define KY_BASE_WRITE_PLAN_H

#include "base/bodies.h"
#include "base/shares.h"

/* A file that is being written. */
struct ky_write_file {
    const char *path; /* for error lines */
    const char *open; /* what is opened */
    int is_new;       /* 1: whoever writes to it makes it; 0: it is there */
};

/* Numbers that lie one after the other in a file: of bodies that follow each other in the caller's
 * order, all bodies or those of one type. */
enum { KY_WRITE_TYPES = 6, KY_ALL_TYPES = -1 };
struct ky_write_part {
    enum ky_array_id array; /* mass, position, velocity, acceleration or potential */
    int type;               /* or KY_ALL_TYPES */
    size_t file;            /* number of the file */
    uint64_t first, count;  /* of the bodies of this type, in the caller's order */
    uint64_t offset;        /* of the first one's numbers [bytes] */
    double factor;          /* that the numbers are multiplied by; 1: they stay as they are */
    uint64_t hash;          /* result: see struct ky_write_plan */
};

struct ky_write_plan {
    size_t files, parts;
    struct ky_write_file *file;
    struct ky_write_part *part;
    const uint8_t *type; /* [n] of all bodies; NULL: every part has KY_ALL_TYPES */
    /* 1: the parts have KY_ALL_TYPES and the factor 1, and each lies within one of the shares of
     * ky_share_start. Its hash becomes ky_hash of its bytes. */
    int hashes;
};

/* Those who have arrays of the bodies, and write them where a plan says. */
struct ky_writers {
    unsigned arrays; /* a sum of 1 << enum ky_array_id */
    enum ky_status (*write)(void *context, struct ky_write_plan *plan, struct ky_error *error);
    void *context;
};

#endif
