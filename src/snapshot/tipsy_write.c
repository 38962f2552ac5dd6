/* The TIPSY writer: big-endian, all numbers floats, G = 1, and the header of 32 bytes. Without its
 * padding readers would silently read wrong masses. Ids that are not 0 … n − 1 go to NAME.iord.
 * Units, and everything else that the records cannot hold, go to NAME.param. All files are
 * completely written before the first is renamed. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"
#include "snapshot/bytes.h"
#include "snapshot/tipsy.h"

enum { TURN = KY_TURN_BIG, MOST_BYTES = 48 };

/* The kind for each GADGET type: gas, star, and dark for all others. */
static const int kind_of_type[6] = {0, 1, 1, 1, 2, 1};

static void write_header(struct ky_file *file, const struct ky_snapshot *snapshot,
                         const uint64_t count[6])
{
    unsigned char head[KY_TIPSY_HEADER] = {0};
    ky_store_double(head, snapshot->time * sqrt(snapshot->units.g), TURN);
    ky_store32(head + 8, (uint32_t)snapshot->bodies.n, TURN);
    ky_store32(head + 12, 3, TURN);
    for (int k = 0; k < KY_TIPSY_KINDS; k++)
        ky_store32(head + 16 + 4 * k, (uint32_t)count[k], TURN);
    ky_file_write(file, head, sizeof head);
}

/* Stores a number; -1 if a float cannot hold it. */
static int put(unsigned char *record, int word, double value)
{
    ky_store_float(record + 4 * word, (float)value, TURN);
    return fabs(value) <= (double)FLT_MAX ? 0 : -1;
}

/* Writes a record for each body, in the order of the file. KY_BAD_DATA for a number that a float
 * cannot hold. */
static enum ky_status write_records(struct ky_file *file, const struct ky_snapshot *snapshot,
                                    const uint64_t *order, struct ky_error *error)
{
    const struct ky_bodies *b = &snapshot->bodies;
    const double slow = 1 / sqrt(snapshot->units.g);
    const double one = isnan(snapshot->softening) ? 0 : snapshot->softening;
    for (size_t k = 0; k < b->n; k++) {
        size_t i = order ? (size_t)order[k] : k;
        const struct ky_tipsy_kind *kind = &ky_tipsy_kinds[kind_of_type[ky_type_of(b, i)]];
        unsigned char record[MOST_BYTES] = {0};
        int bad = put(record, 0, b->mass[i]);
        for (int c = 0; c < 3; c++) {
            bad |= put(record, 1 + c, b->position[i][c]);
            bad |= put(record, 4 + c, b->velocity[i][c] * slow);
        }
        bad |= put(record, kind->softening, b->softening ? b->softening[i] : one);
        bad |= put(record, kind->words - 1, b->potential ? b->potential[i] / snapshot->units.g : 0);
        if (bad)
            return ky_fail(error, KY_BAD_DATA,
                           "body %zu: a number does not fit in the 32 bits of TIPSY; write .hdf5 "
                           "or .csv",
                           i);
        if (ky_file_write(file, record, 4 * (size_t)kind->words))
            break; /* reported when the file is closed */
    }
    return KY_OK;
}

/* Writes NAME.iord. */
static void write_ids(struct ky_file *file, const struct ky_bodies *bodies, const uint64_t *order)
{
    ky_file_print(file, "%zu\n", bodies->n);
    for (size_t k = 0; k < bodies->n; k++) {
        uint64_t i = order ? order[k] : k;
        if (ky_file_print(file, "%" PRIu64 "\n", bodies->id ? bodies->id[i] : i))
            return;
    }
}

/* Writes NAME.param. A file with our first line but without our last one is recognised as
 * truncated. */
static void write_notes(struct ky_file *file, const struct ky_snapshot *snapshot)
{
    const struct ky_units *units = &snapshot->units;
    ky_file_print(file,
                  KY_TIPSY_UNITS_BEGIN " numbers in the file have G = 1; those of the run:\n");
    ky_file_print(file, "# kyoho_g = %.17g\n# kyoho_length_cm = %.17g\n", units->g,
                  units->length_cm);
    ky_file_print(file, "# kyoho_mass_g = %.17g\n# kyoho_velocity_cm_s = %.17g\n", units->mass_g,
                  units->velocity_cm_s);
    if (!isnan(snapshot->softening))
        ky_file_print(file, "# kyoho_softening = %.17g\n", snapshot->softening);
    if (snapshot->softening_kind >= 0)
        ky_file_print(file, "# kyoho_softening_symmetric = %d\n", snapshot->softening_kind);
    if (units->length_cm > 0)
        ky_file_print(file, "dKpcUnit = %.17g\ndMsolUnit = %.17g\n", units->length_cm / KY_KPC_CM,
                      units->mass_g / KY_SUN_G);
    ky_file_print(file, KY_TIPSY_UNITS_END "\n");
}

/* 1 if the ids are not the indices of the bodies in the file. */
static int needs_ids(const struct ky_bodies *bodies, const uint64_t *order)
{
    if (order)
        return 1;
    for (size_t i = 0; bodies->id && i < bodies->n; i++)
        if (bodies->id[i] != i)
            return 1;
    return 0;
}

/* 1 if NAME.param is needed: for units, for the kind of softening, and for a softening of 0, which
 * in a record means none. */
static int needs_notes(const struct ky_snapshot *snapshot)
{
    return snapshot->units.g != 1 || snapshot->units.length_cm > 0 || snapshot->softening == 0 ||
           snapshot->softening_kind > KY_PLUMMER;
}

/* The snapshot and its accompanying files. A file that is not needed has no ky_file. */
struct output {
    const char *path;
    char *name[3];
    struct ky_file *file[3];
};

/* Opens the files that are needed. KY_USAGE if one of the three exists, unless `overwrite` is set:
 * even a file that is not needed would be read as part of this snapshot. */
static enum ky_status open_all(struct output *out, const int need[3], int overwrite,
                               struct ky_error *error)
{
    static const char *const suffixes[3] = {".param", ".iord", ""};
    enum ky_status status = KY_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (ky_is_standard(out->path)) {
            status =
                k == 2 ? ky_file_standard_output(&out->file[k], error)
                : need[k]
                    ? ky_fail(error, KY_USAGE,
                              "TIPSY on standard output has no %s, which holds the %s of these "
                              "bodies; write --format csv, or to a file",
                              suffixes[k], k ? "ids" : "units")
                    : KY_OK;
            continue;
        }
        out->name[k] = ky_tipsy_neighbour(out->path, suffixes[k]);
        if (!out->name[k])
            status = ky_no_memory(error, "file name", strlen(out->path), 1);
        else if (need[k])
            status = ky_file_create(out->name[k], overwrite, &out->file[k], error);
        else if (!overwrite && !access(out->name[k], F_OK))
            status =
                ky_fail(error, KY_USAGE,
                        "%s exists and would be taken for a part of %s; --overwrite replaces it",
                        out->name[k], out->path);
    }
    return status;
}

/* Renames all files when all are completely written. */
static enum ky_status publish_all(struct output *out, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int k = 0; k < 3 && !status; k++)
        if (out->file[k])
            status = ky_file_finish(out->file[k], error);
    for (int k = 0; k < 3 && !status; k++) {
        if (out->file[k])
            status = ky_file_publish(out->file[k], NULL, error);
        else if (out->name[k])
            unlink(out->name[k]); /* of the replaced file */
        out->file[k] = NULL;
    }
    return status;
}

enum ky_status ky_tipsy_write(const char *path, const struct ky_snapshot *snapshot,
                              const struct ky_write_options *options, struct ky_error *error)
{
    const struct ky_bodies *bodies = &snapshot->bodies;
    struct output out = {.path = path};
    uint64_t count[6], *order = NULL;
    if (bodies->n > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s: TIPSY holds at most %d bodies, not %zu; write .hdf5", path, INT32_MAX,
                       bodies->n);
    if (!(snapshot->units.g > 0))
        return ky_fail(error, KY_USAGE, "%s: TIPSY needs G > 0, not %g; write .hdf5 or .csv", path,
                       snapshot->units.g);
    enum ky_status status = ky_group_order(bodies, kind_of_type, count, &order, error);
    const int need[3] = {needs_notes(snapshot), needs_ids(bodies, order), 1};
    if (!status)
        status = open_all(&out, need, options->overwrite, error);
    if (!status)
        status = ky_file_reserve(out.file[2], bodies->n * MOST_BYTES, error);
    if (status)
        goto done;
    if (out.file[0])
        write_notes(out.file[0], snapshot);
    if (out.file[1])
        write_ids(out.file[1], bodies, order);
    write_header(out.file[2], snapshot, count);
    status = write_records(out.file[2], snapshot, order, error);
    if (status)
        ky_fail_in(error, status, "%s: ", path);
    else
        status = publish_all(&out, error);
done:
    for (int k = 0; k < 3; k++) {
        ky_file_discard(out.file[k]);
        free(out.name[k]);
    }
    free(order);
    return status;
}
