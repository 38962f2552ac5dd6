/* The restart file: named sections of bytes with checksums, in our own versioned binary format that
 * needs no library (docs/formats/restart.md). It is written to a temporary name, flushed and
 * renamed. The previous file is kept. pieces.h handles restart files whose bodies are in other
 * files. */
#ifndef KY_SNAPSHOT_RESTART_H
#define KY_SNAPSHOT_RESTART_H

#include "base/write_plan.h"

struct ky_input;

struct ky_section {
    char name[16];    /* "position", "clock", … */
    const void *data; /* the caller's; after reading, the ky_restart owns it */
    uint64_t bytes;
};

struct ky_restart {
    uint32_t version; /* format version of the file that was read */
    size_t count;
    struct ky_section *section;
    char *path; /* path of the pieces with the bodies (pieces.h); NULL: none */
};

/* Writes the data of a section to `data`. Called when the section is written. */
typedef enum ky_status ky_section_get(void *context, const struct ky_section *section, void *data,
                                      struct ky_error *error);
/* The destination of a restart file: disk or memory. */
struct ky_restart_to {
    const char *path;      /* NULL: memory */
    int is_broken;         /* 1: a file at `path` is damaged, and is not kept */
    const char *previous;  /* set by the function: the new name of a file at `path` */
    unsigned char *memory; /* `room` bytes; NULL: only compute `bytes` */
    size_t room, bytes;    /* bytes: becomes the size of the file, without pieces */
    /* Other ranks have arrays of the bodies and write them to this number of files beside the path
     * (pieces.h). 0: all arrays are sections. */
    int pieces;
    size_t bodies;
    const struct ky_writers *writers;
    /* The data of sections that have bytes but no data, so that only one section at a time needs
     * memory; NULL if all have data. `context` is for `get`. */
    ky_section_get *get;
    void *context;
};
/* Writes the file. An existing file is kept as path + ".previous", if it is complete.
 * KY_CANNOT_WRITE if the file system fails, KY_FAULT if memory runs out, KY_USAGE if `room` is too
 * small, or the failure of `get`; then existing files are unchanged. */
enum ky_status ky_restart_write(struct ky_restart_to *to, const struct ky_section *sections,
                                size_t count, struct ky_error *error);
/* Reads the file and verifies the checksums of it and of its pieces (restart->path). If something
 * is missing or damaged and the previous file is intact, reads that one, and *why (may be NULL)
 * gives the reason; otherwise why->status is KY_OK. KY_BAD_DATA if neither is intact. The caller
 * frees it with ky_restart_free. */
enum ky_status ky_restart_read(const char *path, struct ky_restart *restart, struct ky_error *why,
                               struct ky_error *error);
/* ---- of one file, without pieces ---- */

/* The same as ky_restart_write, with to->previous already set. */
enum ky_status ky_restart_write_one(struct ky_restart_to *to, const struct ky_section *sections,
                                    size_t count, struct ky_error *error);
/* Reads one section, which the caller frees with ky_section_free, also after a failure. It has no
 * data if the file lacks it. KY_BAD_DATA for a file that is missing or damaged. */
enum ky_status ky_restart_read_one(const char *path, const char *name, struct ky_section *section,
                                   struct ky_error *error);
/* Reads one file, which has no name in messages and no previous file. */
enum ky_status ky_restart_read_input(const struct ky_input *input, struct ky_restart *restart,
                                     struct ky_error *error);
/* Frees the sections. */
void ky_restart_free(struct ky_restart *restart);
/* Frees the data of a section that owns it. */
void ky_section_free(struct ky_section *section);
/* The section of this name, or NULL. */
const struct ky_section *ky_restart_find(const struct ky_restart *restart, const char *name);
/* The data of the section of this name, if it has exactly `bytes` bytes. Otherwise NULL, with the
 * reason in *error. */
const void *ky_restart_section(const struct ky_restart *restart, const char *name, uint64_t bytes,
                               struct ky_error *error);
/* The same, but moves the data, in memory of ky_allocate, to the caller; the section becomes
 * empty. */
void *ky_restart_take(struct ky_restart *restart, const char *name, uint64_t bytes,
                      struct ky_error *error);

#endif
