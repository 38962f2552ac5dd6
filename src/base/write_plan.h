/* The places of bodies' numbers in files. Each rank writes the numbers of its own bodies, so that
 * no rank needs all bodies. */
#ifndef KY_BASE_WRITE_PLAN_H
#define KY_BASE_WRITE_PLAN_H

#include "base/bodies.h"
#include "base/shares.h"

/* A file that is being written. */
struct ky_write_file {
    const char *path; /* for error lines */
    const char *open; /* the name under which it is opened */
    int is_new;       /* 1: the writer creates it; 0: it exists */
};

/* Consecutive numbers in a file: of consecutive bodies in the caller's order, all bodies or only
 * bodies of one type. */
enum { KY_WRITE_TYPES = 6, KY_ALL_TYPES = -1 };
struct ky_write_piece {
    enum ky_array_id array; /* mass, position, velocity, acceleration or potential */
    int type;               /* or KY_ALL_TYPES */
    size_t file;            /* number of the file */
    uint64_t first, count;  /* of the bodies of this type, in the caller's order */
    uint64_t offset;        /* of the first one's numbers [bytes] */
    double divisor;         /* that the numbers are divided by, or 1 */
    double factor;          /* that they are then multiplied by, or 1 */
    uint64_t hash;          /* result: see struct ky_write_plan */
};

struct ky_write_plan {
    size_t files, parts;
    struct ky_write_file *file;
    struct ky_write_piece *part;
    const uint8_t *type; /* [n] of all bodies; NULL: every part has KY_ALL_TYPES */
    /* 1: the parts have KY_ALL_TYPES and change no numbers, and each lies within one of the shares
     * of ky_share_start. Its hash becomes ky_hash of its bytes. */
    int hashes;
};

/* The owner of arrays of the bodies, which writes them to the places of a plan. */
struct ky_writers {
    unsigned arrays;         /* a sum of 1 << enum ky_array_id */
    double velocity_divisor; /* their velocities are this times the velocities of the bodies */
    enum ky_status (*write)(void *context, struct ky_write_plan *plan, struct ky_error *error);
    void *context;
};

#endif
