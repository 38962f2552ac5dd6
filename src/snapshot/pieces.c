#include "snapshot/pieces.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"

/* The content of the section: this struct, the names of the arrays, and for each piece the checksum
 * of each array. */
struct pieces {
    uint64_t generation, count, bodies, arrays;
};
enum { NAME = 16, MOST_ARRAYS = KY_ARRAYS };

static const char section_name[] = "pieces";

/* ---- names ---- */

/* PATH.GENERATION.NUMBER; the caller frees it; NULL if memory runs out. */
static char *piece_name(const char *path, uint64_t generation, uint64_t number)
{
    const size_t room = strlen(path) + 48;
    char *name = ky_allocate(room, 1);
    if (name)
        snprintf(name, room, "%s.%" PRIu64 ".%" PRIu64, path, generation, number);
    return name;
}

uint64_t ky_piece_generation(const char *name, const char *base)
{
    const size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.')
        return 0;
    const char *first = name + length + 1;
    char *dot, *end;
    const uint64_t generation = ky_number_count(first, &dot);
    if (dot == first || *dot != '.')
        return 0;
    ky_number_count(dot + 1, &end);
    return end == dot + 1 || *end ? 0 : generation;
}

/* Calls `act` for the name of every piece in the folder of `path`. */
static void each_piece(const char *path,
                       void (*act)(void *context, const char *name, uint64_t generation),
                       void *context)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = (size_t)(base - path);
    char *folder = ky_allocate(length + 2, 1);
    if (!folder)
        return;
    memcpy(folder, path, length);
    strcpy(folder + length, length ? "" : ".");
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const uint64_t generation = ky_piece_generation(entry->d_name, base);
        if (generation)
            act(context, entry->d_name, generation);
    }
    if (list)
        closedir(list);
    free(folder);
}

static void keep_latest(void *context, const char *name, uint64_t generation)
{
    uint64_t *latest = context;
    (void)name;
    *latest = generation > *latest ? generation : *latest;
}

/* ---- plans ---- */

/* Adds piece number r, with its arrays one after the other. */
static void add_piece(const struct pieces *pieces, uint64_t r, const int array[MOST_ARRAYS],
                      struct ky_write_plan *plan)
{
    const uint64_t first = ky_share_start(pieces->bodies, pieces->count, r),
                   count = ky_share_start(pieces->bodies, pieces->count, r + 1) - first;
    uint64_t offset = 0;
    for (size_t a = 0; a < pieces->arrays; a++) {
        plan->part[plan->parts++] = (struct ky_write_piece){.array = (enum ky_array_id)array[a],
                                                            .type = KY_ALL_TYPES,
                                                            .file = r,
                                                            .first = first,
                                                            .count = count,
                                                            .offset = offset,
                                                            .divisor = 1,
                                                            .factor = 1};
        offset += count * ky_arrays[array[a]].bytes;
    }
}

/* Plans one file per piece. The caller frees the plan, also after a failure. */
static enum ky_status make_plan(const char *path, const struct pieces *pieces,
                                const int array[MOST_ARRAYS], struct ky_write_plan *plan,
                                struct ky_error *error)
{
    const size_t count = (size_t)pieces->count;
    *plan = (struct ky_write_plan){.hashes = 1};
    plan->file = ky_allocate_zeroed(count, sizeof *plan->file);
    plan->part = ky_allocate(count * pieces->arrays, sizeof *plan->part);
    int complete = plan->file && plan->part;
    for (uint64_t r = 0; r < count && complete; r++) {
        char *name = piece_name(path, pieces->generation, r);
        plan->file[plan->files++] = (struct ky_write_file){.path = name, .open = name, .is_new = 1};
        add_piece(pieces, r, array, plan);
        complete = name != NULL;
    }
    return complete ? KY_OK : ky_no_memory(error, section_name, count, sizeof *plan->part);
}

static void free_plan(struct ky_write_plan *plan)
{
    for (size_t f = 0; f < plan->files; f++)
        free((char *)(uintptr_t)plan->file[f].path);
    free(plan->file);
    free(plan->part);
    *plan = (struct ky_write_plan){0};
}

/* ---- writing ---- */

/* Makes the section for a plan whose hashes are known. */
static enum ky_status describe(const struct pieces *pieces, const struct ky_write_plan *plan,
                               struct ky_section *section, struct ky_error *error)
{
    const size_t arrays = (size_t)pieces->arrays,
                 bytes = sizeof *pieces + arrays * NAME + plan->parts * sizeof(uint64_t);
    char *data = ky_allocate_zeroed(bytes, 1), *at = data;
    if (!data)
        return ky_no_memory(error, section_name, bytes, 1);
    memcpy(at, pieces, sizeof *pieces);
    at += sizeof *pieces;
    for (size_t k = 0; k < arrays && plan->parts; k++, at += NAME)
        strncpy(at, ky_arrays[plan->part[k].array].name, NAME - 1);
    for (size_t p = 0; p < plan->parts; p++, at += sizeof(uint64_t))
        memcpy(at, &plan->part[p].hash, sizeof(uint64_t));
    *section = (struct ky_section){.data = data, .bytes = bytes};
    strcpy(section->name, section_name);
    return KY_OK;
}

enum ky_status ky_pieces_write(const struct ky_restart_to *to, struct ky_section *section,
                               struct ky_error *error)
{
    struct pieces pieces = {.count = (uint64_t)to->pieces, .bodies = to->bodies};
    struct ky_write_plan plan;
    int array[MOST_ARRAYS];
    *section = (struct ky_section){0};
    for (int k = 0; k < KY_ARRAYS; k++)
        if (to->writers->arrays >> k & 1U)
            array[pieces.arrays++] = k;
    each_piece(to->path, keep_latest, &pieces.generation);
    pieces.generation++;
    enum ky_status status = make_plan(to->path, &pieces, array, &plan, error);
    if (!status)
        status = to->writers->write(to->writers->context, &plan, error);
    if (!status)
        status = describe(&pieces, &plan, section, error);
    free_plan(&plan);
    return status;
}

/* ---- obsolete pieces ---- */

struct tidying {
    const char *path;
    uint64_t keep[2];
};

static void remove_old(void *context, const char *name, uint64_t generation)
{
    const struct tidying *tidying = context;
    const char *slash = strrchr(tidying->path, '/');
    const int length = slash ? (int)(slash + 1 - tidying->path) : 0;
    char path[4096];
    if (generation != tidying->keep[0] && generation != tidying->keep[1] &&
        snprintf(path, sizeof path, "%.*s%s", length, tidying->path, name) < (int)sizeof path)
        unlink(path);
}

/* The generation of the pieces of a restart file; 0: it has none. *known becomes 0 if there is a
 * file that cannot be read. */
static uint64_t generation_in(const char *path, int *known)
{
    struct ky_section section;
    struct pieces pieces = {0};
    if (access(path, F_OK))
        return 0;
    if (ky_restart_read_one(path, section_name, &section, NULL))
        *known = 0;
    else if (section.bytes >= sizeof pieces)
        memcpy(&pieces, section.data, sizeof pieces);
    ky_section_free(&section);
    return pieces.generation;
}

void ky_pieces_tidy(const char *path, const char *previous)
{
    int known = 1;
    uint64_t latest = 0;
    each_piece(path, keep_latest, &latest);
    if (!latest)
        return;
    struct tidying tidying = {path, {generation_in(path, &known), generation_in(previous, &known)}};
    if (known)
        each_piece(path, remove_old, &tidying);
}

/* ---- reading ---- */

/* Reads the list of arrays in the section, in their order in a piece. */
static enum ky_status read_arrays(const struct ky_section *section, struct pieces *pieces,
                                  int array[MOST_ARRAYS], struct ky_error *error)
{
    const char *names = (const char *)section->data + sizeof *pieces;
    int good = section->bytes >= sizeof *pieces;
    if (good)
        memcpy(pieces, section->data, sizeof *pieces);
    good = good && pieces->generation && pieces->arrays && pieces->arrays <= MOST_ARRAYS &&
           pieces->bodies <= UINT32_MAX && pieces->count && pieces->count <= UINT32_MAX &&
           section->bytes == sizeof *pieces + pieces->arrays * NAME +
                                 pieces->arrays * pieces->count * sizeof(uint64_t);
    for (size_t a = 0; good && a < pieces->arrays; a++) {
        array[a] = KY_ARRAYS - 1;
        while (array[a] >= 0 && strncmp(names + a * NAME, ky_arrays[array[a]].name, NAME) != 0)
            array[a]--;
        good = array[a] >= 0;
    }
    return good ? KY_OK : ky_fail(error, KY_BAD_DATA, "its section 'pieces' is damaged");
}

/* Opens a piece, which must have the right length. */
static enum ky_status open_piece(const char *name, uint64_t bytes, struct ky_input *input,
                                 struct ky_error *error)
{
    enum ky_status status = ky_input_open(name, input, error);
    if (!status && input->size != bytes) {
        status = ky_fail(error, KY_BAD_DATA, "%s: has %" PRIu64 " bytes in place of %" PRIu64, name,
                         input->size, bytes);
        ky_input_close(input);
    }
    return status;
}

/* A check of all pieces. */
struct reading {
    struct pieces pieces;
    int array[MOST_ARRAYS];
    struct ky_write_plan plan; /* of the pieces, with the checksums from the section */
    char *scratch; /* memory for an array of one piece; NULL: only lengths are checked */
};

/* Plans the reading. The caller frees the plan, also after a failure. */
static enum ky_status begin_reading(const struct ky_restart *restart, const char *path,
                                    struct reading *reading, struct ky_error *error)
{
    const struct ky_section *section = ky_restart_find(restart, section_name);
    *reading = (struct reading){.scratch = NULL};
    KY_TRY(read_arrays(section, &reading->pieces, reading->array, error));
    KY_TRY(make_plan(path, &reading->pieces, reading->array, &reading->plan, error));
    const size_t head = sizeof reading->pieces + (size_t)reading->pieces.arrays * NAME;
    for (size_t p = 0; p < reading->plan.parts; p++)
        memcpy(&reading->plan.part[p].hash,
               (const char *)section->data + head + p * sizeof(uint64_t), sizeof(uint64_t));
    return KY_OK;
}

/* Checks the arrays of one piece. */
static enum ky_status check_arrays(const struct reading *reading, const struct ky_input *input,
                                   const struct ky_write_piece *part, struct ky_error *error)
{
    for (size_t a = 0; a < reading->pieces.arrays; a++, part++) {
        const struct ky_array *about = &ky_arrays[part->array];
        const size_t length = (size_t)part->count * about->bytes;
        KY_TRY(ky_input_read(input, part->offset, reading->scratch, length, error));
        if (ky_hash(reading->scratch, length, 0) != part->hash)
            return ky_fail(error, KY_BAD_DATA,
                           "%s: is damaged: the checksum of its %s does not agree", input->path,
                           about->plural);
    }
    return KY_OK;
}

static enum ky_status check_piece(const struct reading *reading, size_t number,
                                  struct ky_error *error)
{
    const size_t arrays = (size_t)reading->pieces.arrays;
    const struct ky_write_piece *part = reading->plan.part + number * arrays,
                                *last = &part[arrays - 1];
    const uint64_t bytes = last->offset + last->count * ky_arrays[last->array].bytes;
    struct ky_input input;
    if (!bytes)
        return KY_OK; /* there is no file */
    enum ky_status status = open_piece(reading->plan.file[number].path, bytes, &input, error);
    if (status)
        return status;
    if (reading->scratch)
        status = check_arrays(reading, &input, part, error);
    ky_input_close(&input);
    return status;
}

static enum ky_status check_pieces(const struct reading *reading, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t r = 0; r < reading->plan.files && !status; r++)
        status = check_piece(reading, r, error);
    return status ? ky_fail_in(error, status,
                               "its %" PRIu64 " pieces are not all intact: ", reading->pieces.count)
                  : KY_OK;
}

enum ky_status ky_pieces_check(const char *path, struct ky_restart *restart, struct ky_error *error)
{
    struct reading reading;
    const size_t length = strlen(path) + 1;
    if (!ky_restart_find(restart, section_name))
        return KY_OK;
    enum ky_status status = begin_reading(restart, path, &reading, error);
    if (!status) /* lengths, before memory is allocated */
        status = check_pieces(&reading, error);
    const size_t most = status ? 0 : (size_t)(reading.pieces.bodies / reading.pieces.count + 1);
    if (!status) {
        reading.scratch = ky_allocate(most, 3 * sizeof(double));
        status = reading.scratch ? check_pieces(&reading, error)
                                 : ky_no_memory(error, section_name, most, 3 * sizeof(double));
    }
    free(reading.scratch);
    free_plan(&reading.plan);
    if (!status && !(restart->path = ky_allocate(length, 1)))
        status = ky_no_memory(error, "file name", length, 1);
    if (!status)
        memcpy(restart->path, path, length);
    return status;
}

/* ---- the bodies ---- */

enum ky_status ky_pieces_describe(const struct ky_restart *restart, struct ky_pieces *told,
                                  struct ky_error *error)
{
    struct pieces pieces;
    unsigned there = 0;
    if (strlen(restart->path) >= sizeof told->path)
        return ky_fail(error, KY_UNSUPPORTED, "%s: the name is longer than %zu bytes",
                       restart->path, sizeof told->path - 1);
    *told = (struct ky_pieces){.path = ""};
    strcpy(told->path, restart->path);
    KY_TRY(read_arrays(ky_restart_find(restart, section_name), &pieces, told->array, error));
    for (size_t a = 0; a < pieces.arrays; a++)
        there |= 1U << told->array[a];
    told->generation = pieces.generation;
    told->count = pieces.count;
    told->bodies = pieces.bodies;
    told->arrays = pieces.arrays;
    return there == KY_PIECES_ARRAYS
               ? KY_OK
               : ky_fail(error, KY_BAD_DATA, "its pieces have not the arrays of bodies");
}

/* Reads the bodies of the portion that are in piece number r. */
static enum ky_status read_share_of(const struct ky_write_plan *plan, size_t r, size_t arrays,
                                    size_t first, const struct ky_bodies *bodies,
                                    struct ky_error *error)
{
    const struct ky_write_piece *part = &plan->part[r * arrays];
    const uint64_t begin = first > part->first ? first : part->first, end = first + bodies->n,
                   last = part->first + part->count, to = end < last ? end : last;
    struct ky_input input;
    if (to <= begin)
        return KY_OK;
    enum ky_status status = ky_input_open(plan->file[r].path, &input, error);
    if (status)
        return status;
    for (size_t a = 0; a < arrays && !status; a++, part++) {
        const size_t bytes = ky_arrays[part->array].bytes;
        char *array = ky_array_of(bodies, part->array);
        status =
            ky_input_read(&input, part->offset + (begin - part->first) * bytes,
                          array + (begin - first) * bytes, (size_t)(to - begin) * bytes, error);
    }
    ky_input_close(&input);
    return status;
}

enum ky_status ky_pieces_read(const struct ky_pieces *told, const struct ky_portion *portion,
                              int threads, struct ky_bodies *bodies, struct ky_error *error)
{
    const struct pieces pieces = {told->generation, told->count, told->bodies, told->arrays};
    struct ky_write_plan plan;
    struct ky_bodies own = {0};
    enum ky_status status = make_plan(told->path, &pieces, told->array, &plan, error);
    if (!status)
        status = ky_bodies_allocate_by(threads, &own, ky_portion_count(portion),
                                       KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    for (size_t r = 0; r < plan.files && !status; r++)
        status = read_share_of(&plan, r, (size_t)told->arrays, portion->first, &own, error);
    free_plan(&plan);
    if (!status)
        status = ky_bodies_check_arrays(threads, &own, error);
    if (status && portion->shares > 1 && status != KY_FAULT)
        ky_fail_in(error, status, "of the bodies from number %zu on: ", portion->first);
    for (size_t a = 0; a < told->arrays; a++) {
        const enum ky_array_id id = (enum ky_array_id)told->array[a];
        ky_array_set(bodies, id, ky_array_of(&own, id));
    }
    return status;
}
