/* The TIPSY reader. It supports both byte orders, headers of 28 and 32 bytes, positions and
 * velocities as floats or doubles, and version 2 of Bonsai. The size of the file distinguishes
 * them. Ids come from NAME.iord, units and space from NAME.param (tipsy_notes.c). */
#include "snapshot/tipsy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "snapshot/bytes.h"
#include "snapshot/space.h"

const struct ky_tipsy_kind ky_tipsy_kinds[KY_TIPSY_KINDS] = {{12, 9, 0}, {9, 7, 1}, {11, 9, 4}};

enum { SLAB_ROWS = 1 << 14, MOST_WORDS = 18 };

struct layout {
    int turn;
    size_t header;             /* size in bytes */
    size_t position, velocity; /* bytes of a number */
    int version2;              /* 1: a 64-bit id overlays softening and potential */
    uint64_t count[KY_TIPSY_KINDS];
    uint64_t n;
    double time;
};

char *ky_tipsy_neighbour(const char *path, const char *suffix)
{
    size_t room = strlen(path) + strlen(suffix) + 1;
    char *name = ky_allocate(room, 1);
    if (name)
        snprintf(name, room, "%s%s", path, suffix);
    return name;
}

/* 1 if the header says that there are three dimensions, in this byte order. */
static int has_three_dimensions(const unsigned char *head, size_t bytes, int turn)
{
    return bytes >= 28 && ky_load32(head + 12, turn) == 3;
}

int ky_tipsy_recognise(const struct ky_input *input, const unsigned char *head, size_t bytes)
{
    (void)input;
    return has_three_dimensions(head, bytes, 0) || has_three_dimensions(head, bytes, 1);
}

/* The size of a record of this kind in bytes. */
static size_t record(const struct layout *layout, int kind)
{
    return 4 * (size_t)ky_tipsy_kinds[kind].words + 3 * (layout->position - 4) +
           3 * (layout->velocity - 4);
}

/* 1 if the 4 bytes after the first 28 are the padding of a header of 32: a small integer, and not a
 * mass. Then the file has lost its last 4 bytes. */
static int is_padding(const unsigned char *head, int turn)
{
    return ky_load32(head + 28, turn) < 256;
}

/* Finds the layout that agrees with the size of the file. KY_BAD_DATA if none does. */
static enum ky_status find_layout(const struct ky_input *input, struct layout *layout,
                                  struct ky_error *error)
{
    static const struct {
        size_t header, position, velocity;
    } known[] = {{32, 4, 4}, {28, 4, 4}, {32, 8, 4}, {28, 8, 4}, {32, 8, 8}, {28, 8, 8}};
    unsigned char head[KY_TIPSY_HEADER] = {0};
    size_t bytes = input->size < sizeof head ? (size_t)input->size : sizeof head;
    KY_TRY(ky_input_read(input, 0, head, bytes, error));
    if (!ky_tipsy_recognise(input, head, bytes))
        return ky_fail(error, KY_BAD_DATA, "is not a three-dimensional TIPSY file");
    *layout = (struct layout){.turn = !has_three_dimensions(head, bytes, 0)};
    layout->time = ky_load_real(head, 8, layout->turn);
    layout->n = ky_load32(head + 8, layout->turn);
    uint64_t sum = 0;
    for (int k = 0; k < KY_TIPSY_KINDS; k++)
        sum += layout->count[k] = ky_load32(head + 16 + 4 * k, layout->turn);
    if (sum != layout->n || sum > INT32_MAX)
        return ky_fail(error, KY_BAD_DATA,
                       "its header says %" PRIu64 " bodies in all and %" PRIu64 " gas, %" PRIu64
                       " dark and %" PRIu64 " star bodies, which must add up to it",
                       layout->n, layout->count[0], layout->count[1], layout->count[2]);
    uint64_t size = 0, standard = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        layout->header = known[k].header;
        layout->position = known[k].position;
        layout->velocity = known[k].velocity;
        size = layout->header;
        for (int j = 0; j < KY_TIPSY_KINDS; j++)
            size += layout->count[j] * record(layout, j);
        standard = k ? standard : size;
        if (size != input->size || (known[k].header == 28 && is_padding(head, layout->turn)))
            continue;
        layout->version2 = layout->header == 32 && ky_load32(head + 28, layout->turn) == 2;
        return isfinite(layout->time)
                   ? KY_OK
                   : ky_fail(error, KY_BAD_DATA, "its time is %g; it must be finite", layout->time);
    }
    return ky_fail(error, KY_BAD_DATA,
                   "its header says %" PRIu64 " bodies, which take %" PRIu64
                   " bytes, and the file has %" PRIu64 "; it is cut off or damaged",
                   layout->n, standard, input->size);
}

/* Reads one record into body i. */
static void read_record(const struct layout *layout, const struct ky_tipsy_kind *kind,
                        const unsigned char *at, struct ky_bodies *bodies, size_t i)
{
    const int turn = layout->turn;
    const unsigned char *velocity = at + 4 + 3 * layout->position;
    /* words after position and velocity follow at a fixed offset from these */
    const unsigned char *rest = velocity + 3 * layout->velocity;
    bodies->mass[i] = ky_load_real(at, 4, turn);
    for (size_t c = 0; c < 3; c++) {
        bodies->position[i][c] =
            ky_load_real(at + 4 + c * layout->position, layout->position, turn);
        bodies->velocity[i][c] =
            ky_load_real(velocity + c * layout->velocity, layout->velocity, turn);
    }
    if (layout->version2 && kind->type != 0) {
        bodies->id[i] = ky_load64(rest + 4 * (kind->softening - 7), turn);
        return;
    }
    bodies->softening[i] = ky_load_real(rest + 4 * (kind->softening - 7), 4, turn);
    bodies->potential[i] = ky_load_real(rest + 4 * (kind->words - 8), 4, turn);
}

/* Reads all records, in the order of the file. */
static enum ky_status read_records(const struct ky_input *input, const struct layout *layout,
                                   struct ky_bodies *bodies, struct ky_error *error)
{
    unsigned char *slab;
    KY_TRY(ky_array(&slab, SLAB_ROWS, 4 * MOST_WORDS, "input slab", error));
    enum ky_status status = KY_OK;
    uint64_t offset = layout->header;
    size_t i = 0;
    for (int kind = 0; kind < KY_TIPSY_KINDS; kind++) {
        size_t bytes = record(layout, kind);
        for (uint64_t left = layout->count[kind]; left && !status;) {
            size_t rows = left < SLAB_ROWS ? (size_t)left : SLAB_ROWS;
            status = ky_input_read(input, offset, slab, rows * bytes, error);
            for (size_t k = 0; k < rows && !status; k++, i++) {
                read_record(layout, &ky_tipsy_kinds[kind], slab + k * bytes, bodies, i);
                if (bodies->type)
                    bodies->type[i] = (uint8_t)ky_tipsy_kinds[kind].type;
            }
            offset += rows * bytes;
            left -= rows;
        }
    }
    free(slab);
    return status;
}

/* Drops an array of zeros: the program that wrote the file had no such data. */
static void drop_if_zero(double **array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((*array)[i] != 0)
            return;
    free(*array);
    *array = NULL;
}

#define BLANKS " \t\r\n"

/* Converts the potentials to ids, if they are ids. Bonsai stores ids as 32-bit integers in the word
 * of the potential. Read as floats, ids below 2^29 lie between 0 and 1e-19; potentials of all
 * bodies are never so small. */
static enum ky_status take_ids(struct ky_bodies *bodies, struct ky_error *error)
{
    uint32_t any = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        float number = (float)bodies->potential[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        if (bits >> 29)
            return KY_OK;
        any |= bits;
    }
    if (!any)
        return KY_OK;
    KY_TRY(ky_array(&bodies->id, bodies->n, sizeof *bodies->id, "ids", error));
    for (size_t i = 0; i < bodies->n; i++) {
        float number = (float)bodies->potential[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        bodies->id[i] = bits;
    }
    free(bodies->potential);
    bodies->potential = NULL;
    return KY_OK;
}

/* If all bodies have the same softening, makes it the snapshot's. */
static void take_one_softening(struct ky_snapshot *snapshot)
{
    struct ky_bodies *bodies = &snapshot->bodies;
    if (!bodies->softening || bodies->n < 2)
        return;
    for (size_t i = 1; i < bodies->n; i++)
        if (bodies->softening[i] != bodies->softening[0])
            return;
    snapshot->softening = bodies->softening[0];
    free(bodies->softening);
    bodies->softening = NULL;
}

/* Reads the text of NAME.iord: the count, then a line for each id. KY_BAD_DATA for any other
 * text. */
static enum ky_status parse_ids(const char *text, struct ky_bodies *bodies, struct ky_error *error)
{
    char *end;
    uint64_t count = ky_number_count(text += strspn(text, BLANKS), &end);
    if (end == text || count != bodies->n)
        return ky_fail(error, KY_BAD_DATA,
                       "starts with the count %" PRIu64 " and the snapshot has %zu bodies; remove "
                       "it if it is not of this file",
                       count, bodies->n);
    for (size_t i = 0; i < bodies->n; i++) {
        text = end + strspn(end, BLANKS);
        bodies->id[i] = ky_number_count(text, &end);
        if (end == text)
            return ky_fail(error, KY_BAD_DATA,
                           "line %zu has no id; it must be a whole number of 0 or more", i + 2);
    }
    end += strspn(end, BLANKS);
    /* a last line without a newline may have lost digits */
    if (*end || end[-1] != '\n')
        return ky_fail(error, KY_BAD_DATA, "must end after %zu ids, with a complete line",
                       bodies->n);
    return KY_OK;
}

/* Reads the ids from NAME.iord, if it exists. */
static enum ky_status read_ids(const char *name, struct ky_snapshot *snapshot,
                               struct ky_error *error)
{
    char *text;
    struct ky_bodies *bodies = &snapshot->bodies;
    enum ky_status status = ky_tipsy_text(name, &text, error);
    if (!status && text && !bodies->id) {
        bodies->id = ky_allocate(bodies->n, sizeof *bodies->id);
        if (!bodies->id)
            status = ky_no_memory(error, "ids", bodies->n, sizeof *bodies->id);
    }
    if (!status && text)
        status = parse_ids(text, bodies, error);
    free(text);
    return status;
}

/* Rejects comoving files: the codes that write them use different units of velocity. */
static enum ky_status decide_space(const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct ky_space space = snapshot->space;
    if (space.comoving && options->space != KY_SPACE_AS_STORED && options->space != KY_SPACE_OPEN)
        return ky_fail(error, KY_BAD_DATA,
                       "is comoving (bComove in its .param), and comoving TIPSY files are not "
                       "converted; convert it to GADGET HDF5 with the program that wrote it, and "
                       "read that with --physical; --as-stored treats its numbers as physical");
    return ky_space_decide(&space, options, snapshot, error);
}

/* Reads an accompanying file of the snapshot; its name begins the message. */
static enum ky_status read_neighbour(const char *path, const char *suffix,
                                     enum ky_status (*read)(const char *, struct ky_snapshot *,
                                                            struct ky_error *),
                                     struct ky_snapshot *snapshot, struct ky_error *error)
{
    char *name = ky_tipsy_neighbour(path, suffix);
    if (!name)
        return ky_no_memory(error, "file name", strlen(path), 1);
    enum ky_status status = read(name, snapshot, error);
    if (status)
        ky_fail_in(error, status, "%s: ", name);
    free(name);
    return status;
}

/* Reads NAME.param, and accepts or rejects the space in it. */
static enum ky_status finish(const struct ky_input *input, const struct ky_read_options *options,
                             struct ky_snapshot *snapshot, struct ky_error *error)
{
    if (input->path)
        KY_TRY(read_neighbour(input->path, ".param", ky_tipsy_read_notes, snapshot, error));
    return decide_space(options, snapshot, error);
}

enum ky_status ky_tipsy_read(const struct ky_input *input, const struct ky_read_options *options,
                             struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct layout layout = {0};
    struct ky_bodies *bodies = &snapshot->bodies;
    KY_TRY(find_layout(input, &layout, error));
    unsigned with = KY_WITH_SOFTENING | KY_WITH_POTENTIAL;
    if (layout.version2)
        with |= KY_WITH_ID;
    if (layout.count[2] != layout.n)
        with |= KY_WITH_TYPE;
    snapshot->time = layout.time;
    if (ky_count_alone(options, layout.n)) {
        bodies->n = (size_t)layout.n;
        return finish(input, options, snapshot, error);
    }
    KY_TRY(ky_bodies_allocate(bodies, (size_t)layout.n, with, error));
    KY_TRY(read_records(input, &layout, bodies, error));
    if (!layout.version2)
        KY_TRY(take_ids(bodies, error));
    drop_if_zero(&bodies->softening, bodies->n);
    if (bodies->potential)
        drop_if_zero(&bodies->potential, bodies->n);
    take_one_softening(snapshot);
    if (input->path && !options->renumber)
        KY_TRY(read_neighbour(input->path, ".iord", read_ids, snapshot, error));
    return finish(input, options, snapshot, error);
}
