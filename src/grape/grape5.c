/* The calls of the GRAPE-5 library (include/kyoho/grape5.h), made in the same way as the calls of
 * grape6.c.
 *
 * A program may use several device numbers, one for each of its threads, as tree codes do. Each
 * number has its own bodies and sinks, and threads with different numbers may call at once. A board
 * with `rest` sums for all numbers at once; other boards sum for one number at a time. */
#include "kyoho/grape5.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grape/names.h"
#include "grape/process.h"

enum { BODY = 0, SINK = -1 }; /* labels, which are never equal */
enum { DEVICES = 1024 };      /* device numbers; calls without one mean 0 */

struct device {
    double (*x)[3], *mass; /* positions and masses of `known` bodies; the first n act */
    size_t known, bodies_room, n;
    int changed; /* since the bodies were sent to boards */
    double (*sink)[3];
    double (*a)[3], *p; /* the last sums of the sinks */
    size_t count, sinks_room;
    int summed;
    struct ky_board_room room;
};

static struct {
    struct ky_grape_process process;
    double eps2;
    struct device device[DEVICES];
    /* For boards that sum for one number at a time: the number whose bodies they hold, and the
     * labels of sinks. */
    pthread_mutex_t lock;
    const struct device *on_boards;
    int32_t *label;
    size_t labels;
} g5 = {.process = {.precision = KY_SINGLE}, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory ---- */

static enum ky_status need_bodies(struct device *d, size_t count, struct ky_error *error)
{
    const size_t room = count + count / 2 + 64;
    if (count <= d->bodies_room)
        return KY_OK;
    if (!ky_extend(&d->x, d->known, room, sizeof *d->x) ||
        !ky_extend(&d->mass, d->known, room, sizeof *d->mass))
        return ky_no_memory(error, "j-particles", room, sizeof *d->x);
    d->bodies_room = room;
    return KY_OK;
}

static enum ky_status need_sinks(struct device *d, size_t count, struct ky_error *error)
{
    const size_t room = count + count / 2 + 64;
    if (count <= d->sinks_room)
        return KY_OK;
    d->sinks_room = 0;
    if (!ky_extend(&d->sink, 0, room, sizeof *d->sink) ||
        !ky_extend(&d->a, 0, room, sizeof *d->a) || !ky_extend(&d->p, 0, room, sizeof *d->p))
        return ky_no_memory(error, "i-particles", room, sizeof *d->sink);
    d->sinks_room = room;
    return KY_OK;
}

static void forget(struct device *d)
{
    void *all[] = {d->x, d->mass, d->sink, d->a, d->p, d->room.memory};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    memset(d, 0, sizeof *d);
}

/* ---- sums ---- */

/* Sends the device's bodies to the boards, unless they are there. */
static enum ky_status send(struct device *d, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (g5.on_boards == d && !d->changed)
        return KY_OK;
    for (size_t k = 0; k < d->known && !status; k++) {
        struct ky_board_body body = {.mass = d->mass[k], .label = BODY, .set = 1};
        memcpy(body.x, d->x[k], sizeof body.x);
        status = ky_pool_put(g5.process.pool, (uint32_t)k, &body, error);
    }
    g5.on_boards = !status ? d : NULL;
    d->changed = status != KY_OK;
    return status;
}

static enum ky_status need_labels(size_t count, struct ky_error *error)
{
    if (count <= g5.labels)
        return KY_OK;
    g5.labels = 0;
    if (!ky_extend(&g5.label, 0, count, sizeof *g5.label))
        return ky_no_memory(error, "labels", count, sizeof *g5.label);
    for (size_t i = 0; i < count; i++)
        g5.label[i] = SINK;
    g5.labels = count;
    return KY_OK;
}

/* The sums by boards that sum for one number at a time. */
static enum ky_status sum_by_boards(struct device *d, const struct ky_board_resting *resting,
                                    struct ky_error *error)
{
    const struct ky_board_results results = {.acceleration = resting->acceleration,
                                             .potential = resting->potential};
    pthread_mutex_lock(&g5.lock);
    enum ky_status status = send(d, error);
    if (!status)
        status = need_labels(resting->count, error);
    const struct ky_board_request request = {.slots = resting->bodies,
                                             .count = resting->count,
                                             .eps2 = resting->eps2,
                                             .label = g5.label,
                                             .x = resting->sink};
    if (!status)
        status = ky_pool_start(g5.process.pool, &request, error);
    if (!status)
        status = ky_pool_finish(g5.process.pool, &results, error);
    pthread_mutex_unlock(&g5.lock);
    for (size_t i = 0; i < resting->count && !status; i++)
        resting->potential[i] = -resting->potential[i];
    return status;
}

static int sum(struct device *d, size_t count, double (*x)[3], double (*a)[3], double *p)
{
    struct ky_error error;
    const struct ky_board_resting resting = {.bodies = d->n < d->known ? d->n : d->known,
                                             .count = count,
                                             .x = (const double(*)[3])d->x,
                                             .mass = d->mass,
                                             .sink = (const double(*)[3])x,
                                             .eps2 = g5.eps2,
                                             .acceleration = a,
                                             .potential = p,
                                             .room = &d->room};
    const int at_once = g5.process.settings.precision == KY_SINGLE && ky_pool_rest(g5.process.pool);
    const enum ky_status status = at_once ? ky_pool_sum_at_rest(g5.process.pool, &resting, &error)
                                          : sum_by_boards(d, &resting, &error);
    return ky_grape_result(&g5.process, "g5_run", status, &error);
}

/* ---- bodies of the calls ---- */

static int open_boards(void)
{
    return ky_grape_open(&g5.process, 0, NULL);
}

static int close_boards(void)
{
    for (size_t k = 0; k < DEVICES; k++)
        forget(&g5.device[k]);
    g5.on_boards = NULL;
    return ky_grape_close(&g5.process);
}

/* The device of this number; NULL if there is none or the library is unusable. */
static struct device *find(int number)
{
    if (number < 0 || number >= DEVICES || ky_grape_unusable(&g5.process))
        return NULL;
    return &g5.device[number];
}

static int set_eps2(double eps2)
{
    g5.eps2 = eps2 > 0 ? eps2 : 0;
    return 0;
}

static int set_n(int number, int n)
{
    if (number < 0 || number >= DEVICES || n < 0)
        return -1;
    g5.device[number].n = (size_t)n;
    return 0;
}

/* Sets positions and masses, each if it is given. Slots before them that were never set have no
 * mass. */
static int set_bodies(int number, int first, int n, double (*x)[3], const double *m)
{
    struct ky_error error;
    struct device *d = find(number);
    if (!d || first < 0 || n < 0)
        return -1;
    if (!n)
        return 0;
    const size_t from = (size_t)first, count = (size_t)n, end = from + count;
    const enum ky_status status = need_bodies(d, end, &error);
    if (status)
        return ky_grape_result(&g5.process, "g5_set_xmj", status, &error);
    if (end > d->known) {
        memset(d->x + d->known, 0, (end - d->known) * sizeof *d->x);
        memset(d->mass + d->known, 0, (end - d->known) * sizeof *d->mass);
        d->known = end;
    }
    if (x)
        memcpy(d->x + from, x + from, count * sizeof *x);
    if (m)
        memcpy(d->mass + from, m + from, count * sizeof *m);
    d->changed = 1;
    return 0;
}

static int set_sinks(int number, int n, double (*x)[3])
{
    struct ky_error error;
    struct device *d = find(number);
    if (!d || n < 0)
        return -1;
    const enum ky_status status = need_sinks(d, (size_t)n, &error);
    if (status)
        return ky_grape_result(&g5.process, "g5_set_xi", status, &error);
    if (n)
        memcpy(d->sink, x, (size_t)n * sizeof *x);
    d->count = (size_t)n;
    d->summed = 0;
    return 0;
}

static int run(int number)
{
    struct device *d = find(number);
    if (!d)
        return -1;
    d->summed = !sum(d, d->count, d->sink, d->a, d->p);
    return d->summed ? 0 : -1;
}

static int get_force(int number, int n, double (*a)[3], double *p)
{
    const struct device *d = find(number);
    if (!d || n < 0 || (size_t)n != d->count || (!d->summed && run(number)))
        return -1;
    if (n) {
        memcpy(a, d->a, d->count * sizeof *a);
        memcpy(p, d->p, d->count * sizeof *p);
    }
    return 0;
}

static int force_on(int number, double (*x)[3], double (*a)[3], double *p, int n)
{
    struct device *d = find(number);
    return d && n >= 0 ? sum(d, (size_t)n, x, a, p) : -1;
}

/* ---- the names ---- */

NUMBER(g5_open, open_boards())
NUMBER(g5_close, close_boards())
NUMBER(g5_get_number_of_pipelines, ky_grape_pipes(&g5.process))
NUMBER(g5_get_number_of_pipelines_per_board, ky_grape_pipes(&g5.process))
NUMBER(g5_get_number_of_boards, 1)
NUMBER(g5_get_firstcluster, 0)
NUMBER(g5_get_jmemsize, INT_MAX)
NUMBER(g5_run, run(0))

WEAK int g5_set_range(double low, double high, double mass)
{
    (void)low, (void)high, (void)mass;
    return 0;
}

WEAK int g5_set_range_(double *low, double *high, double *mass)
{
    (void)low, (void)high, (void)mass;
    return 0;
}

WEAK int g5_set_eps_to_all(double eps)
{
    return set_eps2(eps * eps);
}

WEAK int g5_set_eps_to_all_(double *eps)
{
    return set_eps2(*eps * *eps);
}

WEAK int g5_set_eps2_to_all(double eps2)
{
    return set_eps2(eps2);
}

WEAK int g5_set_eps2_to_all_(double *eps2)
{
    return set_eps2(*eps2);
}

WEAK int g5_set_n(int n)
{
    return set_n(0, n);
}

WEAK int g5_set_n_(int *n)
{
    return set_n(0, *n);
}

WEAK int g5_set_xmj(int first, int n, double x[][3], double m[])
{
    return set_bodies(0, first, n, x, m);
}

WEAK int g5_set_xmj_(int *first, int *n, double x[][3], double m[])
{
    return set_bodies(0, *first, *n, x, m);
}

WEAK int g5_set_jp(int first, int n, double m[], double x[][3])
{
    return set_bodies(0, first, n, x, m);
}

WEAK int g5_set_jp_(int *first, int *n, double m[], double x[][3])
{
    return set_bodies(0, *first, *n, x, m);
}

WEAK int g5_set_xj(int first, int n, double x[][3])
{
    return set_bodies(0, first, n, x, NULL);
}

WEAK int g5_set_xj_(int *first, int *n, double x[][3])
{
    return set_bodies(0, *first, *n, x, NULL);
}

WEAK int g5_set_mj(int first, int n, double m[])
{
    return set_bodies(0, first, n, NULL, m);
}

WEAK int g5_set_mj_(int *first, int *n, double m[])
{
    return set_bodies(0, *first, *n, NULL, m);
}

WEAK int g5_set_xi(int n, double x[][3])
{
    return set_sinks(0, n, x);
}

WEAK int g5_set_xi_(int *n, double x[][3])
{
    return set_sinks(0, *n, x);
}

WEAK int g5_get_force(int n, double a[][3], double p[])
{
    return get_force(0, n, a, p);
}

WEAK int g5_get_force_(int *n, double a[][3], double p[])
{
    return get_force(0, *n, a, p);
}

WEAK int g5_calculate_force_on_x(double x[][3], double a[][3], double p[], int n)
{
    return force_on(0, x, a, p, n);
}

WEAK int g5_calculate_force_on_x_(double x[][3], double a[][3], double p[], int *n)
{
    return force_on(0, x, a, p, *n);
}

/* The calls with the number of a device. */
WEAK int g5_set_nMC(int device, int n)
{
    return set_n(device, n);
}

WEAK int g5_set_nMC_(int *device, int *n)
{
    return set_n(*device, *n);
}

WEAK int g5_set_xmjMC(int device, int first, int n, double x[][3], double m[])
{
    return set_bodies(device, first, n, x, m);
}

WEAK int g5_set_xmjMC_(int *device, int *first, int *n, double x[][3], double m[])
{
    return set_bodies(*device, *first, *n, x, m);
}

WEAK int g5_set_xiMC(int device, int n, double x[][3])
{
    return set_sinks(device, n, x);
}

WEAK int g5_set_xiMC_(int *device, int *n, double x[][3])
{
    return set_sinks(*device, *n, x);
}

WEAK int g5_runMC(int device)
{
    return run(device);
}

WEAK int g5_runMC_(int *device)
{
    return run(*device);
}

WEAK int g5_get_forceMC(int device, int n, double a[][3], double p[])
{
    return get_force(device, n, a, p);
}

WEAK int g5_get_forceMC_(int *device, int *n, double a[][3], double p[])
{
    return get_force(*device, *n, a, p);
}

WEAK int g5_calculate_force_on_xMC(int device, double x[][3], double a[][3], double p[], int n)
{
    return force_on(device, x, a, p, n);
}

WEAK int g5_calculate_force_on_xMC_(int *device, double x[][3], double a[][3], double p[], int *n)
{
    return force_on(*device, x, a, p, *n);
}

WEAK int g5_set_eta(double eta)
{
    (void)eta;
    return 0;
}

WEAK int g5_set_eta_(double *eta)
{
    (void)eta;
    return 0;
}
