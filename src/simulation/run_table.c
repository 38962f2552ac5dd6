/* The tables that grow during a run: energy.csv, escapers.csv, events.csv. Rows are appended; a
 * table that another program removes, replaces or truncates meanwhile is repaired. */
#include "simulation/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"

static enum ky_status cannot_write(const struct ky_run *run, const struct ky_run_table *table,
                                   struct ky_error *error)
{
    return ky_fail(error, KY_CANNOT_WRITE, "%s/%s: %s", run->given.output, table->name,
                   strerror(errno));
}

static enum ky_status open_table(struct ky_run *run, struct ky_run_table *table, const char *mode,
                                 struct ky_error *error)
{
    char path[KY_PATH];
    KY_TRY(ky_folder_path(run->folder, table->name, path, error));
    if (!(table->file = fopen(path, mode)))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
    return KY_OK;
}

/* Writes a comment with the units of the columns, if the bodies have physical units; scale factors
 * (`comoving`) have none. It comes after
 * the names, because numpy.genfromtxt takes the first line for the names even if it is a comment.
 * It has no commas, because astropy would then take it for the names. */
static void write_units(const struct ky_units *units, int comoving, FILE *file)
{
    static const struct {
        const char *name;
        struct ky_dimension dimension;
    } kinds[] = {{"time", {0, 0, 1}},
                 {"length", {1, 0, 0}},
                 {"mass", {0, 1, 0}},
                 {"velocity", {1, 0, -1}},
                 {"energy", {2, 1, -2}},
                 {"momentum", {1, 1, -1}},
                 {"angular momentum", {2, 1, -1}}};
    const size_t first = comoving != 0;
    char text[KY_UNIT_TEXT];
    for (size_t k = first; k < sizeof kinds / sizeof *kinds && units->length_cm > 0; k++)
        fprintf(file, "%s%s %s", k > first ? "; " : "# units: ", kinds[k].name,
                ky_unit_text(units, kinds[k].dimension, text));
    if (units->length_cm > 0)
        fputc('\n', file);
}

/* Writes the header line and the units. */
static enum ky_status write_header(struct ky_run *run, struct ky_run_table *table,
                                   struct ky_error *error)
{
    if (table->columns)
        fputs(table->columns, table->file);
    else
        ky_energy_header(table->file, &run->energy_start);
    write_units(&run->state.units, run->sim->line.comoving, table->file);
    return fflush(table->file) || ferror(table->file) ? cannot_write(run, table, error) : KY_OK;
}

enum ky_status ky_run_begin_table(struct ky_run *run, struct ky_run_table *table,
                                  struct ky_error *error)
{
    KY_TRY(open_table(run, table, "w+", error));
    return write_header(run, table, error);
}

/* If another program has truncated the table since the last row, the next row would follow a hole
 * of zero bytes. So the next row goes to the current end, after a complete line. The removed rows
 * are lost. A restart file that expects them is soon replaced. *end: the current end. */
static enum ky_status notice_cut(struct ky_run *run, struct ky_run_table *table, long *end,
                                 struct ky_error *error)
{
    struct stat about;
    long bytes = *end = ftell(table->file);
    if (fstat(fileno(table->file), &about) || about.st_size >= bytes)
        return KY_OK;
    fseek(table->file, 0, SEEK_END);
    *end = ftell(table->file);
    run->restarted = -HUGE_VAL;
    ky_log(&run->parameters, KY_LOG_WARNING,
           "%s/%s was truncated from %ld to %lld bytes during the run; the rest is lost",
           run->given.output, table->name, bytes, (long long)about.st_size);
    if (!about.st_size)
        return write_header(run, table, error);
    fputc('\n', table->file); /* it may end within a row */
    return KY_OK;
}

/* Checks whether the table was truncated between that check and the write at byte `begin`, which
 * then lies after a hole. Ends the file before the hole. */
static int remove_hole(struct ky_run_table *table, long begin)
{
    const int file = fileno(table->file);
    char before = 1;
    long end = begin;
    while (end > 0 && pread(file, &before, 1, end - 1) == 1 && !before)
        end--;
    return end < begin && !ftruncate(file, end);
}

enum ky_status ky_run_append(struct ky_run *run, struct ky_run_table *table, const char *rows,
                             struct ky_error *error)
{
    enum ky_status status = KY_OK;
    int again = 0;
    do {
        long begin = 0;
        status = notice_cut(run, table, &begin, error);
        if (!status && (fputs(rows, table->file) < 0 || fflush(table->file)))
            status = cannot_write(run, table, error);
        again = !status && remove_hole(table, begin);
    } while (again);
    return status;
}

enum ky_status ky_run_sync_table(struct ky_run *run, struct ky_run_table *table, uint64_t *bytes,
                                 struct ky_error *error)
{
    long end;
    *bytes = 0;
    if (!table->file)
        return KY_OK;
    KY_TRY(ky_run_keep_table(run, table, error));
    KY_TRY(notice_cut(run, table, &end, error));
    end = ftell(table->file);
    if (end < 0 || fflush(table->file) || fsync(fileno(table->file)))
        return cannot_write(run, table, error);
    *bytes = (uint64_t)end;
    return KY_OK;
}

enum ky_status ky_run_reopen_table(struct ky_run *run, struct ky_run_table *table, uint64_t bytes,
                                   struct ky_error *error)
{
    enum ky_status status = open_table(run, table, "r+", error);
    if (status && errno == ENOENT)
        return ky_fail(error, KY_BAD_DATA,
                       "%s/%s is missing; put it back, or begin a new run from the last "
                       "snapshot",
                       run->folder, table->name);
    if (status)
        return status;
    if (fseek(table->file, 0, SEEK_END) || ftell(table->file) < (long)bytes)
        return ky_fail(error, KY_BAD_DATA,
                       "%s/%s: is shorter than when the restart file was written; restore the "
                       "complete file, or begin a new run from the last snapshot",
                       run->folder, table->name);
    char last = 0;
    if (!bytes || pread(fileno(table->file), &last, 1, (off_t)bytes - 1) != 1 || last != '\n')
        return ky_fail(error, KY_BAD_DATA,
                       "%s/%s: the %llu bytes of it that the restart file counts do not end with a "
                       "complete line; restore the original file, or begin a new run from the "
                       "last snapshot",
                       run->folder, table->name, (unsigned long long)bytes);
    if (ftruncate(fileno(table->file), (off_t)bytes) || fseek(table->file, (long)bytes, SEEK_SET))
        return cannot_write(run, table, error);
    return KY_OK;
}

/* ---- a table that somebody removed or replaced ---- */

/* Copies the open file, which may no longer have a name, to a new file `path`, and continues with
 * the copy. */
static enum ky_status copy_table(struct ky_run_table *table, const char *path, const char *previous,
                                 struct ky_error *error)
{
    char part[1 << 14];
    struct ky_file *file = NULL;
    ssize_t bytes = 0;
    off_t offset = 0;
    KY_TRY(ky_file_create(path, 1, &file, error));
    while ((bytes = pread(fileno(table->file), part, sizeof part, offset)) > 0) {
        ky_file_write(file, part, (size_t)bytes);
        offset += bytes;
    }
    enum ky_status status = ky_file_finish(file, error);
    /* by its temporary name, since another file may be at `path` again */
    FILE *copy = bytes < 0 || status ? NULL : fopen(ky_file_temporary(file), "r+");
    if (!copy || fseek(copy, 0, SEEK_END)) {
        if (!status)
            status = ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
        ky_file_discard(file);
    } else {
        status = ky_file_publish(file, previous, error);
    }
    if (status && copy)
        fclose(copy);
    if (status)
        return status;
    fclose(table->file);
    table->file = copy;
    return KY_OK;
}

enum ky_status ky_run_keep_table(struct ky_run *run, struct ky_run_table *table,
                                 struct ky_error *error)
{
    struct stat open_one, named;
    char path[KY_PATH], name[64], previous[KY_PATH];
    if (!table->file)
        return KY_OK;
    snprintf(name, sizeof name, "%s.previous", table->name);
    KY_TRY(ky_folder_path(run->folder, table->name, path, error));
    KY_TRY(ky_folder_path(run->folder, name, previous, error));
    int there = !stat(path, &named);
    if (!fstat(fileno(table->file), &open_one) && there && open_one.st_dev == named.st_dev &&
        open_one.st_ino == named.st_ino)
        return KY_OK;
    if (fflush(table->file))
        return cannot_write(run, table, error);
    KY_TRY(copy_table(table, path, there ? previous : NULL, error));
    ky_log(&run->parameters, KY_LOG_WARNING, "%s was %s during the run; it is written again%s%s",
           path, there ? "replaced" : "removed", there ? ", and its replacement is " : "",
           there ? name : "");
    return KY_OK;
}
