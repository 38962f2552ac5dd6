/* Snapshots that several ranks read, each the bodies of its share, so that no rank needs memory for
 * all of them. */
#ifndef KY_SNAPSHOT_SHARED_FILE_H
#define KY_SNAPSHOT_SHARED_FILE_H

#include "base/portion.h"
#include "snapshot/snapshot.h"

/* The description of a snapshot for readers of its shares, as bytes that can be sent to other
 * ranks. */
enum { KY_SHARED_PATH = 4096 };
struct ky_shared_file {
    char path[KY_SHARED_PATH]; /* of the first file */
    int format;
    struct ky_read_options options; /* the pointers in it are not valid on other ranks */
    struct ky_units units;          /* the units that the options give */
    int has_units;                  /* 1: they give units */
    int is_divisible; /* 1: shares of the bodies can be read; 0: they have to be read together */
    unsigned with;    /* KY_WITH_…: the optional arrays that the bodies have */
    double flow;      /* the rate of ky_space_add_flow; 0: none */
    size_t files;
    /* The first file, which stays open on the leading rank; other ranks use its size and the second
     * in which it was written. A file that was changed since is not read. */
    struct ky_input input;
    uint64_t *before; /* [files + 1] number of bodies in earlier files; not valid on other ranks */
};

/* Opens a file, which may not be standard input. If its bodies can be read in shares, fills
 * *snapshot like ky_snapshot_read_as, but with only the number of the bodies. They have to be read
 * together where the format has no verbs for shares, bodies have their own softenings or are in
 * another order than in the run, and in a file without bodies; *snapshot is without meaning then.
 * Fails like ky_snapshot_read_as as far as can be known without the bodies; KY_UNSUPPORTED for a
 * name of KY_SHARED_PATH bytes. `file` may not move while it is open. The caller frees it with
 * ky_shared_file_close, also after a failure. */
enum ky_status ky_shared_file_open(const char *path, const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                   struct ky_error *error);
void ky_shared_file_close(struct ky_shared_file *file);
/* ky_snapshot_read_as for the open file; logs nothing that ky_shared_file_open has logged.
 * KY_BAD_DATA if it has changed in size or time. */
enum ky_status ky_shared_file_read_all(struct ky_shared_file *file, struct ky_snapshot *snapshot,
                                       struct ky_error *error);
/* Reads the bodies of the portion: everything that ky_snapshot_read_as would read of them, except
 * types and radii. Numbers are not checked, but negative ids are rejected. An error is in *outcome
 * on the rank that finds it, and in *wrong on all ranks. `file` is the leading rank's, or a copy of
 * it. Fails if memory runs out, and as ky_portion_add_up. KY_BAD_DATA in *outcome if the first file
 * has changed in size or time. */
enum ky_status ky_shared_file_read(const struct ky_shared_file *file,
                                   const struct ky_portion *portion, int threads,
                                   struct ky_bodies *bodies, uint64_t *wrong,
                                   struct ky_error *outcome, struct ky_error *error);
/* Adds ids, types and radii of all bodies to bodies->n bodies: the arrays in `with` that the file
 * has, checked. KY_BAD_DATA for impossible values. */
enum ky_status ky_shared_file_label(const struct ky_shared_file *file, unsigned with,
                                    struct ky_bodies *bodies, struct ky_error *error);

/* ---- the verbs of formats ---- */

struct ky_share_verbs {
    /* Everything except the bodies: *snapshot, with the number of bodies set, file->with, files and
     * before. Sets file->is_divisible to 0 if the bodies have to be read together. */
    enum ky_status (*find)(const struct ky_input *input, const struct ky_read_options *options,
                           struct ky_snapshot *snapshot, struct ky_shared_file *file,
                           struct ky_error *error);
    /* Reads the non-NULL arrays of bodies->n bodies, the first of which has the number `first`. */
    enum ky_status (*read)(const struct ky_input *input, const struct ky_shared_file *file,
                           uint64_t first, struct ky_bodies *bodies, struct ky_error *error);
};
/* The functions of a format, or NULL if its bodies can only be read together. */
const struct ky_share_verbs *ky_format_shares(enum ky_format format);
extern const struct ky_share_verbs ky_hdf5_shares, ky_gadget_shares;

/* The bodies of a file in a share: the file has `count` bodies, from number `at` on; the share has
 * the bodies first … first + n − 1. */
struct ky_rows {
    uint64_t row, count; /* first row, and number of rows */
    uint64_t at;         /* index of the first row in the share */
};
static inline struct ky_rows ky_rows_wanted(uint64_t first, uint64_t n, uint64_t at, uint64_t count)
{
    const uint64_t begin = first > at ? first : at,
                   end = first + n < at + count ? first + n : at + count;
    return begin < end ? (struct ky_rows){begin - at, end - begin, begin - first}
                       : (struct ky_rows){0, 0, 0};
}

#endif
