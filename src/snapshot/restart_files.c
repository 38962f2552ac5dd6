/* A restart file with its accompanying files: the previous one, and the pieces of both. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "snapshot/pieces.h"

/* The name under which the previous file is kept; the caller frees it. NULL if memory runs out. */
static char *previous_name(const char *path)
{
    static const char suffix[] = ".previous";
    const size_t length = strlen(path);
    char *name = ky_allocate(length + sizeof suffix, 1);
    if (name) {
        memcpy(name, path, length);
        memcpy(name + length, suffix, sizeof suffix);
    }
    return name;
}

/* Writes the pieces, and the sections including the one that describes the pieces. */
static enum ky_status write_in_pieces(struct ky_restart_to *to, const struct ky_section *sections,
                                      size_t count, struct ky_error *error)
{
    struct ky_section *all;
    KY_TRY(ky_array(&all, count + 1, sizeof *all, "restart sections", error));
    memcpy(all, sections, count * sizeof *all);
    enum ky_status status = ky_pieces_write(to, &all[count], error);
    if (!status) {
        status = ky_restart_write_one(to, all, count + 1, error);
        ky_section_free(&all[count]);
    }
    free(all);
    return status;
}

enum ky_status ky_restart_write(struct ky_restart_to *to, const struct ky_section *sections,
                                size_t count, struct ky_error *error)
{
    if (!to->path)
        return ky_restart_write_one(to, sections, count, error);
    char *previous = previous_name(to->path);
    if (!previous)
        return ky_no_memory(error, "file name", strlen(to->path), 1);
    to->previous = to->is_broken ? NULL : previous;
    const enum ky_status status =
        (to->pieces ? write_in_pieces : ky_restart_write_one)(to, sections, count, error);
    ky_pieces_tidy(to->path, previous); /* after a failure removes the pieces of the new file */
    to->previous = NULL;
    free(previous);
    return status;
}

/* Reads one file, and the pieces of `path`; its name begins the message. */
static enum ky_status read_path(const char *file, const char *path, struct ky_restart *restart,
                                struct ky_error *error)
{
    struct ky_input input;
    *restart = (struct ky_restart){0};
    KY_TRY(ky_input_open(file, &input, error));
    enum ky_status status = ky_restart_read_input(&input, restart, error);
    ky_input_close(&input);
    if (!status)
        status = ky_pieces_check(path, restart, error);
    if (status)
        ky_restart_free(restart);
    return status ? ky_fail_in(error, status, "%s: ", file) : KY_OK;
}

enum ky_status ky_restart_read(const char *path, struct ky_restart *restart, struct ky_error *why,
                               struct ky_error *error)
{
    struct ky_error first = {KY_OK, ""};
    enum ky_status status = read_path(path, path, restart, &first);
    char *previous = status == KY_BAD_DATA ? previous_name(path) : NULL;
    if (previous && !read_path(previous, path, restart, NULL))
        status = KY_OK;
    free(previous);
    if (why)
        *why = first;
    if (status && error)
        *error = first;
    return status;
}
