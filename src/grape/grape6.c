/* The calls of the GRAPE-6 library (include/kyoho/grape6.h). Each is a function of this file; the C
 * name and the Fortran name only pass their arguments to it. All names are weak, and none calls
 * another, because programs define some of them themselves. */
#include "kyoho/grape6.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "grape/names.h"
#include "grape/process.h"

static struct {
    struct ky_grape_process process;
    double ti;
    int sort_mode;
    int started;                    /* a force is between its two halves */
    size_t count;                   /* sinks of the last force */
    double eps2;                    /* of that force */
    int wants_lists;                /* the program asks for lists: forces make them */
    int wants_nearest, has_nearest; /* asks for nearest bodies; the last force finds them */
    int has_lists;                  /* `found` and `list` belong to the last force */
    size_t bodies;                  /* that act in the last force */
    size_t capacity;                /* of these lists */
    size_t longest; /* longest capacity that lists have needed so far; 0: FIRST_CAPACITY */
    /* For results that the program does not ask for, and for lists. */
    struct ky_board_results own;
    size_t room, list_room;
} g6 = {.process = {.precision = KY_EXTENDED}};

/* The first capacity of lists. After a list that was too long it is larger. */
enum { FIRST_CAPACITY = 256 };

/* ---- memory for results ---- */

static int take(void *array, size_t count, size_t size)
{
    void *memory;
    memcpy(&memory, array, sizeof memory);
    free(memory);
    memory = ky_allocate(count, size);
    memcpy(array, &memory, sizeof memory);
    return memory != NULL;
}

static enum ky_status need_room(size_t count, size_t entries, struct ky_error *error)
{
    struct ky_board_results *own = &g6.own;
    if (count > g6.room) {
        g6.room = 0;
        if (!take(&own->acceleration, count, sizeof *own->acceleration) ||
            !take(&own->jerk, count, sizeof *own->jerk) ||
            !take(&own->potential, count, sizeof *own->potential) ||
            !take(&own->nearest, count, sizeof *own->nearest) ||
            !take(&own->nearest_slot, count, sizeof *own->nearest_slot) ||
            !take(&own->nearest_r2, count, sizeof *own->nearest_r2) ||
            !take(&own->found, count, sizeof *own->found) ||
            !take(&own->begin, count, sizeof *own->begin))
            return ky_no_memory(error, "results", count, sizeof *own->acceleration);
        g6.room = count;
    }
    if (entries > g6.list_room) {
        g6.list_room = 0;
        if (!take(&own->list, entries, sizeof *own->list))
            return ky_no_memory(error, "lists of neighbours", entries, sizeof *own->list);
        g6.list_room = entries;
    }
    return KY_OK;
}

/* ---- bodies of the calls ---- */

static int open_boards(int count, const int *list)
{
    if (count < 0 || (count > 0 && !list))
        return -1;
    return ky_grape_open(&g6.process, (size_t)count, list);
}

static int close_boards(void)
{
    g6.started = g6.has_lists = 0;
    g6.count = 0;
    return ky_grape_close(&g6.process);
}

static int set_ti(double ti)
{
    g6.ti = ti;
    return ky_grape_unusable(&g6.process) ? -1 : 0;
}

/* The motion of a body as programs send it: a/2, j/6 and snap/18 behind v and x. */
struct motion {
    const double *s18, *j6, *a2, *v, *x;
};

static int set_body(int address, int label, double time, double mass, const struct motion *motion)
{
    struct ky_error error;
    struct ky_board_body body = {.time = time, .mass = mass, .label = label, .set = 1};
    if (ky_grape_unusable(&g6.process) || address < 0)
        return -1;
    for (int c = 0; c < 3; c++) {
        body.x[c] = motion->x[c];
        body.v[c] = motion->v[c];
        body.a2[c] = motion->a2[c];
        body.j6[c] = motion->j6[c];
        body.s18[c] = motion->s18[c];
    }
    return ky_grape_result(&g6.process, "g6_set_j_particle",
                           ky_pool_put(g6.process.pool, (uint32_t)address, &body, &error), &error);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The most entries of a list: never more than there are bodies. */
static size_t most_entries(void)
{
    return least(g6.bodies ? g6.bodies : 1, (size_t)g6.process.settings.neighbours);
}

static size_t first_capacity(void)
{
    return least(most_entries(), g6.longest ? g6.longest : FIRST_CAPACITY);
}

static int wanted(int lists)
{
    return KY_BOARD_JERK | (g6.wants_nearest ? KY_BOARD_NEAREST : 0) | (lists ? KY_BOARD_LISTS : 0);
}

static int first_half(int nj, int ni, const int *label, double (*x)[3], double (*v)[3], double eps2,
                      const double *h2)
{
    struct ky_error error;
    const int lists = g6.wants_lists && h2;
    if (ky_grape_unusable(&g6.process) || nj < 0 || ni < 0)
        return -1;
    g6.bodies = (size_t)nj;
    const struct ky_board_request request = {g6.ti,
                                             (size_t)nj,
                                             (size_t)ni,
                                             wanted(lists),
                                             eps2,
                                             label,
                                             (const double(*)[3])x,
                                             (const double(*)[3])v,
                                             h2,
                                             first_capacity()};
    g6.count = (size_t)ni;
    g6.eps2 = eps2 > 0 ? eps2 : 0;
    g6.has_lists = 0;
    g6.has_nearest = g6.wants_nearest;
    g6.capacity = lists ? request.capacity : 0;
    const enum ky_status status = ky_pool_start(g6.process.pool, &request, &error);
    g6.started = !status;
    return ky_grape_result(&g6.process, "g6calc_firsthalf", status, &error);
}

/* Reports that a list is longer than its room. */
static int overflow(void)
{
    int over = 0;
    for (size_t i = 0; i < g6.count && g6.capacity > 0; i++)
        over |= g6.own.found[i] > g6.capacity;
    return over;
}

/* Computes the last force once more, with the results that are wanted now. */
static enum ky_status again(int lists, struct ky_error *error)
{
    g6.has_nearest = g6.wants_nearest;
    return ky_pool_repeat(g6.process.pool, wanted(lists), g6.capacity, error);
}

/* Fetches the results of the running force; results that the program does not want go to own
 * arrays. */
static enum ky_status finish(double (*acc)[3], double (*jerk)[3], double *pot, int *nearest,
                             struct ky_error *error)
{
    KY_TRY(need_room(g6.count + 1, (g6.count + 1) * g6.capacity, error));
    struct ky_board_results results = g6.own;
    results.acceleration = acc ? acc : results.acceleration;
    results.jerk = jerk ? jerk : results.jerk;
    results.potential = pot ? pot : results.potential;
    results.nearest = nearest ? nearest : results.nearest;
    g6.has_lists = g6.capacity > 0;
    return ky_pool_finish(g6.process.pool, &results, error);
}

/* Fetches results with lists. While a list is too long, and longer lists are allowed, the force is
 * computed again. */
static enum ky_status finish_lists(double (*acc)[3], double (*jerk)[3], double *pot, int *nearest,
                                   struct ky_error *error)
{
    KY_TRY(finish(acc, jerk, pot, nearest, error));
    while (overflow() && g6.capacity < most_entries()) {
        g6.longest = g6.capacity = least(most_entries(), 4 * g6.capacity);
        KY_TRY(again(1, error));
        KY_TRY(finish(acc, jerk, pot, nearest, error));
    }
    return KY_OK;
}

/* *distance may be NULL. */
static int last_half(int ni, double (*acc)[3], double (*jerk)[3], double *pot, int *nearest,
                     float *distance)
{
    struct ky_error error;
    if (ky_grape_unusable(&g6.process) || !g6.started || ni < 0 || (size_t)ni != g6.count)
        return -1;
    g6.started = 0;
    enum ky_status status = KY_OK;
    g6.wants_nearest |= nearest || distance;
    if (g6.wants_nearest && !g6.has_nearest)
        status = again(g6.capacity > 0, &error);
    if (!status)
        status = finish_lists(acc, jerk, pot, nearest, &error);
    for (size_t i = 0; distance && i < g6.count && !status; i++)
        distance[i] = (float)sqrt(g6.own.nearest_r2[i] + g6.eps2);
    return ky_grape_result(&g6.process, "g6calc_lasthalf", status, &error);
}

/* The lists of the last force, which is computed once more if it was made without lists. */
static enum ky_status make_lists(struct ky_error *error)
{
    g6.wants_lists = 1;
    if (g6.has_lists)
        return KY_OK;
    g6.capacity = first_capacity();
    KY_TRY(again(1, error));
    return finish_lists(NULL, NULL, NULL, NULL, error);
}

static int read_lists(void)
{
    struct ky_error error;
    if (ky_grape_unusable(&g6.process) || g6.started)
        return -1;
    if (ky_grape_result(&g6.process, "g6_read_neighbour_list", make_lists(&error), &error))
        return -1;
    return overflow();
}

static int get_list(int pipe, int most, int *count, int *list)
{
    if (pipe < 0 || (size_t)pipe >= g6.count || most < 0)
        return -1;
    if (ky_grape_unusable(&g6.process) || (!g6.has_lists && read_lists() < 0))
        return -1;
    const size_t found = g6.own.found[pipe], known = found < g6.capacity ? found : g6.capacity;
    const int over = found > g6.capacity || found > (size_t)most;
    const int32_t *from = g6.own.list + g6.own.begin[pipe];
    const size_t told = over ? (size_t)most : found;
    for (size_t e = 0; e < told; e++)
        list[e] = e < known ? from[e] : -1;
    *count = (int)told;
    return over;
}

static int set_sort_mode(int mode)
{
    g6.sort_mode = mode;
    return 0;
}

/* ---- the names ---- */

WEAK int g6_open(int cluster)
{
    (void)cluster;
    return open_boards(0, NULL);
}

WEAK int g6_open_(int *cluster)
{
    (void)cluster;
    return open_boards(0, NULL);
}

WEAK int g6_open_special(int count, int *list)
{
    return open_boards(count, list);
}

WEAK int g6_open_special_(int *count, int *list)
{
    return open_boards(*count, list);
}

WEAK int g6_open_special2(int count, int *list, int bodies)
{
    (void)bodies;
    return open_boards(count, list);
}

WEAK int g6_open_special2_(int *count, int *list, int *bodies)
{
    (void)bodies;
    return open_boards(*count, list);
}

WEAK int g6_close(int cluster)
{
    (void)cluster;
    return close_boards();
}

WEAK int g6_close_(int *cluster)
{
    (void)cluster;
    return close_boards();
}

NUMBER(g6_npipes, ky_grape_pipes(&g6.process))
NUMBER(g6_get_number_of_pipelines, ky_grape_pipes(&g6.process))
NUMBER(g6_get_neighbour_list_sort_mode, g6.sort_mode)

WEAK int g6_set_ti(int cluster, double ti)
{
    (void)cluster;
    return set_ti(ti);
}

WEAK int g6_set_ti_(int *cluster, double *ti)
{
    (void)cluster;
    return set_ti(*ti);
}

WEAK int g6_set_j_particle(int cluster, int address, int index, double tj, double dtj, double mass,
                           double a2by18[3], double a1by6[3], double aby2[3], double v[3],
                           double x[3])
{
    (void)cluster, (void)dtj;
    return set_body(address, index, tj, mass, &(struct motion){a2by18, a1by6, aby2, v, x});
}

WEAK int g6_set_j_particle_(int *cluster, int *address, int *index, double *tj, double *dtj,
                            double *mass, double a2by18[3], double a1by6[3], double aby2[3],
                            double v[3], double x[3])
{
    (void)cluster, (void)dtj;
    return set_body(*address, *index, *tj, *mass, &(struct motion){a2by18, a1by6, aby2, v, x});
}

WEAK int g6calc_firsthalf(int cluster, int nj, int ni, int index[], double xi[][3], double vi[][3],
                          double fold[][3], double jold[][3], double phiold[], double eps2,
                          double h2[])
{
    (void)cluster, (void)fold, (void)jold, (void)phiold;
    return first_half(nj, ni, index, xi, vi, eps2, h2);
}

WEAK int g6calc_firsthalf_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                           double vi[][3], double fold[][3], double jold[][3], double phiold[],
                           double *eps2, double h2[])
{
    (void)cluster, (void)fold, (void)jold, (void)phiold;
    return first_half(*nj, *ni, index, xi, vi, *eps2, h2);
}

/* The second half of a force. `nearest` and `distance` are the names for the nearest body and its
 * distance. Their parameters in the call follow, each after a comma. */
#define LAST_HALF(name, nearest, distance, ...)                                                    \
    WEAK int name(int cluster, int nj, int ni, int index[], double xi[][3], double vi[][3],        \
                  double eps2, double h2[], double acc[][3], double jerk[][3],                     \
                  double pot[] __VA_ARGS__)                                                        \
    {                                                                                              \
        (void)cluster, (void)nj, (void)index, (void)xi, (void)vi, (void)eps2, (void)h2;            \
        return last_half(ni, acc, jerk, pot, nearest, distance);                                   \
    }                                                                                              \
    WEAK int name##_(int *cluster, int *nj, int *ni, int index[], double xi[][3], double vi[][3],  \
                     double *eps2, double h2[], double acc[][3], double jerk[][3],                 \
                     double pot[] __VA_ARGS__)                                                     \
    {                                                                                              \
        (void)cluster, (void)nj, (void)index, (void)xi, (void)vi, (void)eps2, (void)h2;            \
        return last_half(*ni, acc, jerk, pot, nearest, distance);                                  \
    }
LAST_HALF(g6calc_lasthalf, NULL, NULL, )
LAST_HALF(g6calc_lasthalfn, NULL, NULL, )
LAST_HALF(g6calc_lasthalf2, nnbindex, NULL, , int nnbindex[])
LAST_HALF(g6calc_lasthalf2n, nnbindex, NULL, , int nnbindex[])
LAST_HALF(g6calc_lasthalf2p, nnbindex, rnnb, , int nnbindex[], float rnnb[])
LAST_HALF(g6calc_lasthalf2np, nnbindex, rnnb, , int nnbindex[], float rnnb[])

WEAK int g6_read_neighbour_list(int cluster)
{
    (void)cluster;
    return read_lists();
}

WEAK int g6_read_neighbour_list_(int *cluster)
{
    (void)cluster;
    return read_lists();
}

/* The name that kira uses for it with older libraries. */
WEAK int g6_read_neighbour_list_old(int cluster)
{
    (void)cluster;
    return read_lists();
}

WEAK int g6_read_neighbour_list_old_(int *cluster)
{
    (void)cluster;
    return read_lists();
}

WEAK int g6_get_neighbour_list(int cluster, int pipe, int most, int *count, int list[])
{
    (void)cluster;
    return get_list(pipe, most, count, list);
}

WEAK int g6_get_neighbour_list_(int *cluster, int *pipe, int *most, int *count, int list[])
{
    (void)cluster;
    return get_list(*pipe, *most, count, list);
}

WEAK int g6_set_neighbour_list_sort_mode(int mode)
{
    return set_sort_mode(mode);
}

WEAK int g6_set_neighbour_list_sort_mode_(int *mode)
{
    return set_sort_mode(*mode);
}

/* After a failure all calls fail. */
static int nothing(void)
{
    return g6.process.failed ? -1 : 0;
}

/* Calls that have nothing to do, with one, two or three numbers. */
#define NOTHING(name)                                                                              \
    WEAK int name(int a)                                                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return nothing();                                                                          \
    }                                                                                              \
    WEAK int name##_(int *a)                                                                       \
    {                                                                                              \
        (void)a;                                                                                   \
        return nothing();                                                                          \
    }
#define NOTHING2(name)                                                                             \
    WEAK int name(int a, int b)                                                                    \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return nothing();                                                                          \
    }                                                                                              \
    WEAK int name##_(int *a, int *b)                                                               \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return nothing();                                                                          \
    }
NOTHING(g6_reset)
NOTHING(g6_reset_fofpga)
NOTHING(g6_reinitialize)
NOTHING(g6_changed_index)
NOTHING(g6_print_chip_status)
NOTHING(g6_set_tunit)
NOTHING(g6_set_xunit)
NOTHING(g6_flush_jp_buffer)
NOTHING2(g6_setup_njdata)
NOTHING2(g6_initialize_jp_buffer)

WEAK int g6_set_overflow_flag_test_mode(int a, int jerk, int potential)
{
    (void)a, (void)jerk, (void)potential;
    return nothing();
}

WEAK int g6_set_overflow_flag_test_mode_(int *a, int *jerk, int *potential)
{
    (void)a, (void)jerk, (void)potential;
    return nothing();
}
