/* Loads a code of stellar evolution, and asks it for the stars of a run. */
#define _DEFAULT_SOURCE /* realpath */
#include "simulation/stars.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "physics/main_sequence.h"

enum { STATE_MOST = 1 << 16, ALIGNMENT = 16 };

/* ---- opening ---- */

static int is_file(const char *name)
{
    const char *const ending = strrchr(name, '.');
    return strchr(name, '/') || (ending && (!strcmp(ending, ".so") || !strcmp(ending, ".dylib")));
}

/* Opens the shared object. The text of the stars gets the whole path, so that a run can be resumed
 * in another folder. */
static enum ky_status load(struct ky_stars *stars, const char *file, const char *options,
                           struct ky_error *error)
{
    char *path = realpath(file, NULL);
    if (!path)
        return ky_fail(error, KY_USAGE, "--stellar-evolution: there is no file %s", file);
    const size_t room = strlen(path) + strlen(options) + 2;
    stars->text = ky_allocate(room, 1);
    if (stars->text)
        snprintf(stars->text, room, "%s%s%s", path, *options ? ":" : "", options);
    stars->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    if (!stars->text)
        return ky_no_memory(error, "path of a plug-in", room, 1);
    if (!stars->library)
        return ky_fail(error, KY_USAGE, "--stellar-evolution: %s", dlerror());
    if (!(stars->code = dlsym(stars->library, "ky_stellar_plugin")))
        return ky_fail(error, KY_USAGE,
                       "--stellar-evolution: %s has no object ky_stellar_plugin: it is no plug-in "
                       "for stellar evolution (kyoho/stellar.h)",
                       file);
    return KY_OK;
}

static enum ky_status copy_text(struct ky_stars *stars, const char *text, struct ky_error *error)
{
    const size_t bytes = strlen(text) + 1;
    KY_TRY(ky_array(&stars->text, bytes, 1, "options of stellar evolution", error));
    memcpy(stars->text, text, bytes);
    return KY_OK;
}

/* Finds the code that the text names, NAME or FILE, with :OPTIONS. */
static enum ky_status find_code(struct ky_stars *stars, const char *text, const char **options,
                                struct ky_error *error)
{
    const size_t length = strcspn(text, ":");
    *options = text[length] ? text + length + 1 : "";
    char *name;
    KY_TRY(ky_array_zeroed(&name, length + 1, 1, "name of stellar evolution", error));
    memcpy(name, text, length);
    enum ky_status status = KY_OK;
    if (is_file(name))
        status = load(stars, name, *options, error);
    else if (strcmp(name, ky_stellar_analytic.name) != 0)
        status = ky_fail(error, KY_USAGE,
                         "--stellar-evolution '%s': there is %s, and plug-ins that are files, "
                         "such as ./mine.so",
                         name, ky_stellar_analytic.name);
    else if (!(status = copy_text(stars, text, error)))
        stars->code = &ky_stellar_analytic;
    free(name);
    return status;
}

static enum ky_status check_code(const struct ky_stellar *code, struct ky_error *error)
{
    if (code->abi != KY_STELLAR_ABI || code->size < sizeof *code)
        return ky_fail(error, KY_USAGE,
                       "this stellar evolution was compiled for version %u of the interface, and "
                       "Kyoho has version %u: compile it again with Kyoho's kyoho/stellar.h",
                       code->abi, KY_STELLAR_ABI);
    if (!code->name || !code->star || !code->advance || code->state_size > STATE_MOST)
        return ky_fail(error, KY_USAGE,
                       "a stellar evolution needs a name, the functions star and advance, and at "
                       "most %d bytes a star",
                       STATE_MOST);
    return KY_OK;
}

static enum ky_status open_code(struct ky_stars *stars, const char *options, struct ky_error *error)
{
    char why[400] = "";
    KY_TRY(check_code(stars->code, error));
    if (!stars->code->open || !stars->code->open(options, &stars->own, why, sizeof why))
        return KY_OK;
    why[sizeof why - 1] = '\0';
    return ky_fail(error, KY_USAGE, "stellar evolution %s: %s", stars->code->name,
                   *why ? why : "it does not open with these options");
}

enum ky_status ky_stars_open(const char *text, const struct ky_stellar *own,
                             const struct ky_units *units, struct ky_stars **stars,
                             struct ky_error *error)
{
    const char *options = text ? text : "";
    *stars = NULL;
    if (!(units->length_cm > 0))
        return ky_fail(error, KY_USAGE,
                       "stellar evolution needs masses and times in physical units: give --units, "
                       "for example --units cluster");
    struct ky_stars *made;
    KY_TRY(ky_array_zeroed(&made, 1, sizeof *made, "stars", error));
    made->myr = 1e6 * KY_YEAR_S * units->velocity_cm_s / units->length_cm;
    made->solar_mass = KY_SUN_G / units->mass_g;
    made->solar_radius = KY_SUN_RADIUS_CM / units->length_cm;
    made->km_s = KY_KM_S / units->velocity_cm_s;
    made->soonest = (double)INFINITY;
    made->code = own;
    enum ky_status status =
        own ? copy_text(made, options, error) : find_code(made, text, &options, error);
    if (!status)
        status = open_code(made, options, error);
    if (!status) {
        *stars = made;
        return KY_OK;
    }
    made->code = NULL; /* it is not open */
    ky_stars_close(made);
    return status;
}

void ky_stars_close(struct ky_stars *stars)
{
    if (!stars)
        return;
    if (stars->code && stars->code->close)
        stars->code->close(stars->own);
    if (stars->library)
        dlclose(stars->library);
    free(stars->text);
    free(stars->row);
    free(stars->state);
    free(stars);
}

/* ---- asking ---- */

static size_t stride(const struct ky_stars *stars)
{
    return (stars->code->state_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *state_of(const struct ky_stars *stars, size_t k)
{
    return stars->state + k * stride(stars);
}

/* The content of *now before a call. */
static struct ky_star last(const struct ky_star_row *row)
{
    return (struct ky_star){.mass = row->mass,
                            .radius = row->radius,
                            .next = (double)INFINITY,
                            .type = row->type < 0 ? 0 : (int)row->type};
}

/* Fails for numbers that no star has. */
static enum ky_status check(const struct ky_stars *stars, const struct ky_star_row *row,
                            const struct ky_star *now, struct ky_error *error)
{
    const struct {
        const char *what;
        double value;
        int right;
    } numbers[] = {{"mass", now->mass, isfinite(now->mass) && now->mass >= 0},
                   {"radius", now->radius, isfinite(now->radius) && now->radius >= 0},
                   {"next age", now->next, !isnan(now->next)},
                   {"kick", now->kick[0], isfinite(now->kick[0])},
                   {"kick", now->kick[1], isfinite(now->kick[1])},
                   {"kick", now->kick[2], isfinite(now->kick[2])},
                   {"type", now->type, now->type >= 0 && now->type <= 15}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!numbers[k].right)
            return ky_fail(error, KY_BAD_DATA,
                           "stellar evolution %s gives star %" PRIu64 " the %s %g, which is not "
                           "possible",
                           stars->code->name, row->id, numbers[k].what, numbers[k].value);
    return KY_OK;
}

/* Handles the result of a function for row k: checks *now, and makes it the row's. */
static enum ky_status take(struct ky_stars *stars, size_t k, int failed, const struct ky_star *now,
                           struct ky_error *error)
{
    struct ky_star_row *row = &stars->row[k];
    if (failed)
        return ky_fail(error, KY_BAD_DATA, "stellar evolution %s failed for star %" PRIu64,
                       stars->code->name, row->id);
    KY_TRY(check(stars, row, now, error));
    row->type = now->type;
    row->mass = now->mass;
    row->radius = now->radius;
    row->next = row->birth + now->next;
    stars->soonest = fmin(stars->soonest, row->next);
    return KY_OK;
}

/* A star of the mass in row k begins. */
static enum ky_status begin(struct ky_stars *stars, size_t k, struct ky_error *error)
{
    struct ky_star_row *row = &stars->row[k];
    row->birth = stars->clock;
    row->radius = 0;
    row->type = 0;
    memset(state_of(stars, k), 0, stride(stars));
    struct ky_star now = last(row);
    const int failed = stars->code->star(stars->own, row->id, row->mass, state_of(stars, k), &now);
    now.mass = row->mass;
    memset(now.kick, 0, sizeof now.kick);
    return take(stars, k, failed, &now, error);
}

enum ky_status ky_stars_advance(struct ky_stars *stars, struct ky_star_change **change,
                                size_t *changes, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    size_t due = 0;
    *change = NULL;
    *changes = 0;
    if (stars->soonest > stars->clock)
        return KY_OK;
    for (size_t k = 0; k < stars->count; k++)
        due += stars->row[k].next <= stars->clock;
    KY_TRY(ky_array_zeroed(change, due, sizeof **change, "stars that change", error));
    stars->soonest = (double)INFINITY;
    for (size_t k = 0; k < stars->count && !status; k++) {
        struct ky_star_row *row = &stars->row[k];
        if (row->next <= stars->clock) {
            struct ky_star_change *one = &(*change)[(*changes)++];
            *one = (struct ky_star_change){k, *row, last(row)};
            const int failed = stars->code->advance(stars->own, state_of(stars, k),
                                                    stars->clock - row->birth, &one->now);
            status = take(stars, k, failed, &one->now, error);
        }
        stars->soonest = fmin(stars->soonest, row->next);
    }
    return status;
}

enum ky_status ky_stars_merge(struct ky_stars *stars, const size_t k[2], double mass,
                              struct ky_star_change *change, struct ky_error *error)
{
    struct ky_star_row *row = &stars->row[k[0]];
    const int stay = row->type != KY_NO_STAR, go = stars->row[k[1]].type != KY_NO_STAR;
    *change = (struct ky_star_change){k[0], *row, last(row)};
    if (!stay && !go)
        return KY_OK;
    row->mass = mass;
    if (!stay || !go || !stars->code->merge) {
        if (stay && mass == change->before.mass) /* the other one has no mass */
            return KY_OK;
        KY_TRY(begin(stars, k[0], error));
        change->now = last(row);
        return KY_OK;
    }
    row->birth = stars->clock;
    change->now = last(row);
    const int failed = stars->code->merge(stars->own, state_of(stars, k[0]), state_of(stars, k[1]),
                                          mass, &change->now);
    return take(stars, k[0], failed, &change->now, error);
}

/* ---- the bodies ---- */

static uint64_t id_of(const uint64_t *id, size_t i)
{
    return id ? id[i] : i;
}

int ky_stars_differ(const struct ky_stars *stars, size_t n, const uint64_t *id)
{
    if (stars->count != n)
        return 1;
    for (size_t i = 0; i < n; i++)
        if (stars->row[i].id != id_of(id, i))
            return 1;
    return 0;
}

/* Rows by their ids. ky_order_ids compares the first member. */
struct known {
    uint64_t id;
    size_t row;
};

static struct known *sort_rows(const struct ky_stars *stars)
{
    struct known *known = ky_allocate(stars->count, sizeof *known);
    for (size_t k = 0; k < stars->count && known; k++)
        known[k] = (struct known){stars->row[k].id, k};
    if (known && stars->count)
        qsort(known, stars->count, sizeof *known, ky_order_ids);
    return known;
}

/* Copies the known rows to the new order; others are of no star yet, with birth NaN. */
static void copy_rows(const struct ky_stars *from, const struct known *known,
                      const struct ky_bodies *bodies, struct ky_stars *to)
{
    for (size_t i = 0; i < bodies->n; i++) {
        const uint64_t id = id_of(bodies->id, i);
        const struct known *found =
            from->count ? bsearch(&id, known, from->count, sizeof *known, ky_order_ids) : NULL;
        to->row[i] = (struct ky_star_row){
            id, KY_NO_STAR, (double)NAN, (double)INFINITY, bodies->mass[i] / to->solar_mass, 0};
        if (!found)
            continue;
        to->row[i] = from->row[found->row];
        memcpy(state_of(to, i), state_of(from, found->row), stride(to));
    }
}

enum ky_status ky_stars_follow(struct ky_stars *stars, const struct ky_bodies *bodies,
                               struct ky_error *error)
{
    const size_t n = bodies->n;
    enum ky_status status = KY_OK;
    struct ky_stars old = *stars;
    struct known *known = sort_rows(stars);
    struct ky_star_row *row = ky_allocate(n, sizeof *row);
    char *state = ky_allocate_zeroed(n, stride(stars));
    if (!known || !row || !state) {
        free(known);
        free(row);
        free(state);
        return ky_no_memory(error, "stars", n, sizeof *row + stride(stars));
    }
    stars->row = row;
    stars->state = state;
    stars->count = n;
    copy_rows(&old, known, bodies, stars);
    for (size_t i = 0; i < n && !status; i++) {
        const int is_star = (!bodies->type || bodies->type[i] == 4) && bodies->mass[i] > 0;
        if (isnan(row[i].birth) && is_star)
            status = begin(stars, i, error);
        else if (isnan(row[i].birth))
            row[i].birth = stars->clock;
    }
    free(known);
    free(old.row);
    free(old.state);
    return status;
}

/* ---- restart files ---- */

void ky_stars_sections(const struct ky_stars *stars, struct ky_section section[KY_STARS_SECTIONS])
{
    section[0] = (struct ky_section){"stars", stars->row, stars->count * sizeof *stars->row};
    section[1] = (struct ky_section){"star states", stars->state, stars->count * stride(stars)};
}

/* A copy of a section of `count` elements; NULL with *error if it has another length. */
static void *copy_section(const struct ky_section *section, size_t count, size_t size,
                          struct ky_error *error)
{
    if (section->bytes != count * size) {
        ky_fail(error, KY_BAD_DATA,
                "the restart file has %" PRIu64 " bytes of states of stars, and the stellar "
                "evolution needs %zu: it has changed since the run began",
                section->bytes, count * size);
        return NULL;
    }
    void *copy = ky_allocate(count, size);
    if (copy && section->bytes)
        memcpy(copy, section->data, (size_t)section->bytes);
    if (!copy)
        ky_no_memory(error, "stars", count, size);
    return copy;
}

enum ky_status ky_stars_restore(struct ky_stars *stars, const struct ky_restart *restart,
                                struct ky_error *error)
{
    const struct ky_section *rows = ky_restart_find(restart, "stars"),
                            *states = ky_restart_find(restart, "star states");
    struct ky_error own = {KY_BAD_DATA, ""};
    if (!rows || !states || rows->bytes % sizeof *stars->row)
        return ky_fail(error, KY_BAD_DATA, "the restart file has no complete table of stars");
    stars->count = (size_t)rows->bytes / sizeof *stars->row;
    if (!(stars->row = copy_section(rows, stars->count, sizeof *stars->row, &own)) ||
        !(stars->state = copy_section(states, stars->count, stride(stars), &own)))
        return ky_fail(error, own.status, "%s", own.text);
    stars->soonest = -(double)INFINITY; /* found by the next ky_stars_advance */
    for (size_t k = 0; k < stars->count; k++) {
        const struct ky_star_row *row = &stars->row[k];
        if (!isfinite(row->birth) || isnan(row->next) || !(row->mass >= 0 && isfinite(row->mass)) ||
            !(row->radius >= 0 && isfinite(row->radius)) || row->type < KY_NO_STAR ||
            row->type > 15)
            return ky_fail(error, KY_BAD_DATA,
                           "the restart file has impossible numbers of star %" PRIu64, row->id);
    }
    return KY_OK;
}
