/* The restart file: named sections of bytes with a checksum, in a versioned binary of our own that
 * depends on no library (docs/formats/restart.md). Written to a temporary name, flushed, renamed;
 * the one before is kept. */
#ifndef KY_SNAPSHOT_RESTART_H
#define KY_SNAPSHOT_RESTART_H

#include "base/status.h"

struct ky_input;

struct ky_section {
    char name[16];    /* "position", "clock", … */
    const void *data; /* or, after a read, owned by the ky_restart */
    uint64_t bytes;
};

struct ky_restart {
    uint32_t version; /* of the format of the file that was read */
    size_t count;
    struct ky_section *section;
};

/* Writes path anew; an existing path is first renamed to path + ".previous". */
enum ky_status ky_restart_write(const char *path, const struct ky_section *sections, size_t count,
                                struct ky_error *error);
/* Reads and verifies; if `path` is missing or damaged and the previous one is whole, reads that and
 * says so in *used_previous (may be NULL). */
enum ky_status ky_restart_read(const char *path, struct ky_restart *restart, int *used_previous,
                               struct ky_error *error);
/* One file, from anywhere; error lines do not name it. */
enum ky_status ky_restart_read_input(const struct ky_input *input, struct ky_restart *restart,
                                     struct ky_error *error);
void ky_restart_free(struct ky_restart *restart);
/* The section of that name, or NULL. */
const struct ky_section *ky_restart_find(const struct ky_restart *restart, const char *name);
/* The section of that name with exactly `bytes` bytes, else NULL and an error that says what is
 * wrong. */
const void *ky_restart_section(const struct ky_restart *restart, const char *name, uint64_t bytes,
                               struct ky_error *error);

#endif
