/* The restart file: named sections of bytes with checksums, in a versioned binary of our own that
 * depends on no library (docs/formats/restart.md). It is written to a temporary name, flushed and
 * renamed. The file before is kept. pieces.h has those whose bodies are in other files. */
#ifndef KY_SNAPSHOT_RESTART_H
#define KY_SNAPSHOT_RESTART_H

#include "base/write_plan.h"

struct ky_input;

struct ky_section {
    char name[16];    /* "position", "clock", … */
    const void *data; /* the caller's; after a read the ky_restart owns it */
    uint64_t bytes;
};

struct ky_restart {
    uint32_t version; /* format version of the file that was read */
    size_t count;
    struct ky_section *section;
    char *path; /* beside which the pieces are that have the bodies (pieces.h); NULL: none */
};

/* Writes the data of a section to `data`. Called when the section is due. */
typedef enum ky_status ky_section_get(void *context, const struct ky_section *section, void *data,
                                      struct ky_error *error);
/* Where a restart file goes: to the disk, or to memory. */
struct ky_restart_to {
    const char *path;      /* NULL: memory */
    int is_broken;         /* 1: a file at `path` is not whole, and is not kept */
    const char *previous;  /* set here: the name that a file at `path` gets */
    unsigned char *memory; /* `room` bytes; NULL: only `bytes` is asked for */
    size_t room, bytes;    /* bytes: becomes the size of the file, without pieces */
    /* Others have arrays of the bodies: they write these to so many files beside the path
     * (pieces.h). 0: all arrays are sections. */
    int pieces;
    size_t bodies;
    const struct ky_writers *writers;
};
/* Writes the file. A file that exists is kept as path + ".previous", if it is whole. The data of
 * sections that have bytes but no data come from `get` (NULL if all have data), so that only one
 * section at a time takes memory. KY_CANNOT_WRITE where the disk refuses, KY_FAULT when memory is
 * out, KY_USAGE when the room is too small, or the failure of `get`; the files that existed are
 * unchanged then. */
enum ky_status ky_restart_write(struct ky_restart_to *to, const struct ky_section *sections,
                                size_t count, ky_section_get *get, void *context,
                                struct ky_error *error);
/* Reads the file and verifies its checksums and those of its pieces (restart->path). If something
 * is missing or damaged and the previous one is whole, reads that, and *why (may be NULL) says what
 * is wrong; else why->status is KY_OK. KY_BAD_DATA if neither is whole. Free with ky_restart_free.
 */
enum ky_status ky_restart_read(const char *path, struct ky_restart *restart, struct ky_error *why,
                               struct ky_error *error);
/* ---- of one file, without pieces ---- */

/* The same as ky_restart_write; to->previous is set. */
enum ky_status ky_restart_write_one(struct ky_restart_to *to, const struct ky_section *sections,
                                    size_t count, ky_section_get *get, void *context,
                                    struct ky_error *error);
/* Reads one section, to be freed by ky_section_free, also after a failure. It has no data where the
 * file lacks it. KY_BAD_DATA for a file that is missing or damaged. */
enum ky_status ky_restart_read_one(const char *path, const char *name, struct ky_section *section,
                                   struct ky_error *error);
/* Reads one file, which has no name in errors and no previous one. */
enum ky_status ky_restart_read_input(const struct ky_input *input, struct ky_restart *restart,
                                     struct ky_error *error);
/* Frees the sections. */
void ky_restart_free(struct ky_restart *restart);
/* Frees the data of a section that owns them. */
void ky_section_free(struct ky_section *section);
/* The section of that name, or NULL. */
const struct ky_section *ky_restart_find(const struct ky_restart *restart, const char *name);
/* The data of the section of that name, if it has exactly `bytes` bytes. Else NULL, with the reason
 * in *error. */
const void *ky_restart_section(const struct ky_restart *restart, const char *name, uint64_t bytes,
                               struct ky_error *error);
/* The same; the data, in memory of ky_allocate, are the caller's then, and the section has none any
 * more. */
void *ky_restart_take(struct ky_restart *restart, const char *name, uint64_t bytes,
                      struct ky_error *error);

#endif
