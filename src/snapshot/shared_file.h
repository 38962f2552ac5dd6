/* Snapshots that several ranks read, each the bodies of its share, so that no rank needs room for
 * all. */
#ifndef KY_SNAPSHOT_SHARED_FILE_H
#define KY_SNAPSHOT_SHARED_FILE_H

#include "base/portion.h"
#include "snapshot/snapshot.h"

/* The description of a snapshot for readers of its shares, in bytes that can be sent. */
enum { KY_SHARED_PATH = 4096 };
struct ky_shared_file {
    char path[KY_SHARED_PATH]; /* of the first file */
    int format;
    struct ky_read_options options; /* their pointers have no meaning elsewhere */
    struct ky_units units;          /* the arrays that the options name */
    int has_units;                  /* 1: they name some */
    unsigned with;                  /* KY_WITH_…: the optional arrays that the bodies have */
    double flow;                    /* the rate of ky_space_add_flow; 0: none */
    uint64_t bytes;                 /* of the first file, and the second in which it was written */
    int64_t written;                /* last: another one at its place is not read */
    size_t files;
    uint64_t *before; /* [files + 1] bodies in the files before each; has no meaning elsewhere */
};

/* Fills *snapshot as ky_snapshot_read_as does, but with the number of the bodies in place of them,
 * and *file, to be freed by ky_shared_file_free, also after a failure. Fails as that does, for what
 * can be known without the bodies. KY_UNSUPPORTED where they have to be read together: of a format
 * that has no verb for it, with softenings of their own, in another order than the run had them,
 * none at all, and from standard input. */
enum ky_status ky_shared_file_find(const char *path, const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                   struct ky_error *error);
void ky_shared_file_free(struct ky_shared_file *file);
/* Reads the bodies of the portion: all that ky_snapshot_read_as would read of them, but for types
 * and radii. Numbers are not checked; but ids below 0 are refused. What is wrong is told by
 * *outcome where it is found, and *wrong by all. `file` is that of the portion which leads, or a
 * copy. Fails when memory is out, and as ky_portion_tell does. KY_BAD_DATA in *outcome if the first
 * file has changed, as its size and the time at which it was written say. */
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
    /* All but the bodies: *snapshot, of which the number of bodies is set, file->with, files and
     * before. */
    enum ky_status (*find)(const struct ky_input *input, const struct ky_read_options *options,
                           struct ky_snapshot *snapshot, struct ky_shared_file *file,
                           struct ky_error *error);
    /* Reads the arrays of bodies->n bodies that are not NULL; the first has the number `first`. */
    enum ky_status (*read)(const struct ky_input *input, const struct ky_shared_file *file,
                           uint64_t first, struct ky_bodies *bodies, struct ky_error *error);
};
/* The functions of a format, or NULL if its bodies are read together. */
const struct ky_share_verbs *ky_format_shares(enum ky_format format);
extern const struct ky_share_verbs ky_hdf5_shares, ky_gadget_shares;

/* The bodies of a file in a share: of `count` bodies in its rows, the first of which is number `at`
 * of all, the bodies from number `first` to first + n − 1. */
struct ky_rows {
    uint64_t row, count; /* the first row, and how many */
    uint64_t at;         /* place of the first one in the share */
};
static inline struct ky_rows ky_rows_wanted(uint64_t first, uint64_t n, uint64_t at, uint64_t count)
{
    const uint64_t begin = first > at ? first : at,
                   end = first + n < at + count ? first + n : at + count;
    return begin < end ? (struct ky_rows){begin - at, end - begin, begin - first}
                       : (struct ky_rows){0, 0, 0};
}

#endif
