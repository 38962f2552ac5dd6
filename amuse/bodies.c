/* bodies.c - bodies between AMUSE, which names one at a time, and the simulation, which wants all
 * at once. */
#include "code.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code code;
struct ky_error code_error;

int code_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(code_error.text, sizeof code_error.text, format, arguments);
    va_end(arguments);
    return REFUSED;
}

int code_answer(enum ky_status status)
{
    return status == KY_OK ? DONE : REFUSED;
}

/* The block with room for `count` elements of `size` bytes. On failure it stays as it is. */
static int resize(void *block, size_t count, size_t size)
{
    void **place = block, *grown = realloc(*place, count * size);
    if (grown)
        *place = grown;
    return grown != NULL;
}

static int grow_rows(void)
{
    size_t room = code.room ? 2 * code.room : 1024;
    if (!resize(&code.mass, room, sizeof *code.mass) ||
        !resize(&code.radius, room, sizeof *code.radius) ||
        !resize(&code.potential, room, sizeof *code.potential) ||
        !resize(&code.position, room, sizeof *code.position) ||
        !resize(&code.velocity, room, sizeof *code.velocity) ||
        !resize(&code.acceleration, room, sizeof *code.acceleration) ||
        !resize(&code.id, room, sizeof *code.id))
        return code_refuse("there is no memory for %zu bodies", room);
    code.room = room;
    return DONE;
}

int code_grow(void)
{
    if (code.n == code.room && grow_rows())
        return REFUSED;
    if (code.ids < code.id_room)
        return DONE;
    int room = code.id_room > 1 << 29 ? INT32_MAX : code.id_room ? 2 * code.id_room : 1024;
    if (room == code.id_room)
        return code_refuse("all %d indices of bodies are used up", room);
    if (!resize(&code.row, (size_t)room, sizeof *code.row))
        return code_refuse("there is no memory for the indices of %d bodies", room);
    code.id_room = room;
    return DONE;
}

void code_clear(void)
{
    ky_sim_close(code.sim);
    free(code.mass);
    free(code.radius);
    free(code.potential);
    free(code.position);
    free(code.velocity);
    free(code.acceleration);
    free(code.id);
    free(code.row);
    code = (struct code){0};
}

/* The rows from `first` on, without accelerations and potentials. */
static struct ky_bodies rows(size_t first, size_t n)
{
    struct ky_bodies bodies = {.size = sizeof bodies, .n = n};
    if (n > 0) {
        bodies.mass = code.mass + first;
        bodies.position = code.position + first;
        bodies.velocity = code.velocity + first;
        bodies.id = code.id + first;
    }
    return bodies;
}

int code_pull(void)
{
    if (!code.moved)
        return DONE;
    struct ky_bodies bodies = rows(0, code.known);
    bodies.mass = NULL;
    bodies.id = NULL;
    if (code_answer(ky_sim_bodies(code.sim, &bodies, &code_error)))
        return REFUSED;
    code.moved = 0;
    return DONE;
}

int code_pull_forces(void)
{
    if (code.forces_copied)
        return DONE;
    struct ky_bodies bodies = {.size = sizeof bodies, .n = code.known};
    bodies.acceleration = code.acceleration;
    bodies.potential = code.potential;
    if (code_answer(ky_sim_bodies(code.sim, &bodies, &code_error)))
        return REFUSED;
    code.forces_copied = 1;
    return DONE;
}

static void copy_row(size_t to, size_t from)
{
    code.mass[to] = code.mass[from];
    code.radius[to] = code.radius[from];
    code.id[to] = code.id[from];
    memcpy(code.position[to], code.position[from], sizeof *code.position);
    memcpy(code.velocity[to], code.velocity[from], sizeof *code.velocity);
}

/* Drops the rows of deleted bodies. */
static void compact(void)
{
    size_t kept = 0, known = 0;
    for (size_t i = 0; i < code.n; i++) {
        if (code.row[code.id[i]] < 0)
            continue;
        if (kept != i)
            copy_row(kept, i);
        code.row[code.id[kept]] = (int)kept;
        kept++;
        known += i < code.known;
    }
    code.n = kept;
    code.known = known;
    code.gone = 0;
}

/* Opens a simulation of all rows, in place of the one that there is. */
static int open_anew(void)
{
    double time = code.sim ? ky_sim_time(code.sim) : code.begin;
    struct ky_parameters settled;
    if (code_pull() || options_settle(&settled))
        return REFUSED;
    compact();
    struct ky_bodies bodies = rows(0, code.n);
    struct ky_sim *opened;
    if (code_answer(ky_sim_open(&settled, &bodies, time, &opened, &code_error)))
        return REFUSED;
    ky_sim_close(code.sim);
    code.sim = opened;
    code.known = code.n;
    code.changed = 0;
    return DONE;
}

/* What was set of bodies that the simulation has. */
static int push_values(void)
{
    struct ky_bodies bodies = rows(0, code.known);
    bodies.id = NULL;
    if (!(code.changed & NEW_MASS))
        bodies.mass = NULL;
    if (!(code.changed & NEW_POSITION))
        bodies.position = NULL;
    if (!(code.changed & NEW_VELOCITY))
        bodies.velocity = NULL;
    if (code.changed && code_answer(ky_sim_replace(code.sim, NULL, &bodies, &code_error)))
        return REFUSED;
    code.changed = 0;
    return DONE;
}

static int remove_gone(void)
{
    size_t count = 0;
    uint64_t *ids = malloc((code.gone + 1) * sizeof *ids);
    if (!ids)
        return code_refuse("there is no memory to remove %zu bodies", code.gone);
    for (size_t i = 0; i < code.known; i++)
        if (code.row[code.id[i]] < 0)
            ids[count++] = code.id[i];
    int refused = count && code_answer(ky_sim_remove(code.sim, ids, count, &code_error));
    free(ids);
    if (refused)
        return REFUSED;
    compact();
    return DONE;
}

static int push_bodies(void)
{
    if (code.gone && remove_gone())
        return REFUSED;
    if (code.known == code.n)
        return DONE;
    struct ky_bodies added = rows(code.known, code.n - code.known);
    if (code_answer(ky_sim_add(code.sim, &added, &code_error)))
        return REFUSED;
    code.known = code.n;
    return DONE;
}

int code_push(void)
{
    if (!code.sim || code.changed & NEW_PARAMETERS) {
        code.forces_copied = 0;
        return open_anew();
    }
    if (!code.changed && !code.gone && code.known == code.n)
        return DONE;
    if (code.changed != NEW_VELOCITY || code.gone || code.known != code.n)
        code.forces_copied = 0;
    if (code_pull() || code_answer(ky_sim_change_begin(code.sim, &code_error)))
        return REFUSED;
    int refused = push_values() || push_bodies();
    /* After a refusal no forces are computed, and the text stays that of the refusal. */
    if (refused)
        ky_sim_change_end(code.sim, 0, NULL);
    else
        refused = code_answer(ky_sim_change_end(code.sim, 1, &code_error));
    return refused ? REFUSED : DONE;
}
