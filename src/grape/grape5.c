/* The calls of the GRAPE-5 library (include/kyoho/grape5.h), made as those of grape6.c are. */
#include "kyoho/grape5.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grape/names.h"
#include "grape/process.h"

enum { BODY = 0, SINK = -1 }; /* labels, which never agree */

static struct {
    struct ky_grape_process process;
    double eps2;
    size_t n;
    double (*x)[3]; /* of the sinks */
    int32_t *label;
    size_t count, room;
    int started;
} g5;

/* ---- the work of the calls ---- */

static int open_boards(void)
{
    return ky_grape_open(&g5.process, 0, NULL);
}

static int close_boards(void)
{
    g5.n = g5.count = 0;
    g5.started = 0;
    return ky_grape_close(&g5.process);
}

static int set_eps2(double eps2)
{
    g5.eps2 = eps2;
    return 0;
}

static int set_n(int n)
{
    if (n < 0)
        return -1;
    g5.n = (size_t)n;
    return 0;
}

/* Positions and masses, each if it is given. */
static int set_bodies(int first, int n, double (*x)[3], const double *m)
{
    struct ky_error error;
    enum ky_status status = KY_OK;
    if (ky_grape_unusable(&g5.process) || first < 0 || n < 0)
        return -1;
    struct ky_pool *pool = g5.process.pool;
    for (size_t k = (size_t)first; k < (size_t)first + (size_t)n && status == KY_OK; k++) {
        struct ky_board_body body = {.label = BODY};
        if (k < ky_pool_slots(pool))
            body = *ky_pool_body(pool, (uint32_t)k);
        body.label = BODY;
        body.set = 1;
        if (x)
            memcpy(body.x, x[k], sizeof body.x);
        if (m)
            body.mass = m[k];
        status = ky_pool_put(pool, (uint32_t)k, &body, &error);
    }
    return ky_grape_result(&g5.process, "g5_set_xmj", status, &error);
}

static int set_sinks(int n, double (*x)[3])
{
    struct ky_error error;
    const size_t count = (size_t)n;
    if (ky_grape_unusable(&g5.process) || n < 0)
        return -1;
    if (count > g5.room) {
        free(g5.x);
        free(g5.label);
        g5.x = ky_allocate(count, sizeof *g5.x);
        g5.label = ky_allocate(count, sizeof *g5.label);
        g5.room = g5.x && g5.label ? count : 0;
        if (g5.room == 0)
            return ky_grape_result(&g5.process, "g5_set_xi",
                                   ky_no_memory(&error, "sinks", count, sizeof *g5.x), &error);
    }
    if (count)
        memcpy(g5.x, x, count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        g5.label[i] = SINK;
    g5.count = count;
    return 0;
}

static int run(void)
{
    struct ky_error error;
    if (ky_grape_unusable(&g5.process))
        return -1;
    const struct ky_board_request request = {.slots = g5.n,
                                             .count = g5.count,
                                             .eps2 = g5.eps2,
                                             .label = g5.label,
                                             .x = (const double(*)[3])g5.x};
    const enum ky_status status = ky_pool_start(g5.process.pool, &request, &error);
    g5.started = status == KY_OK;
    return ky_grape_result(&g5.process, "g5_run", status, &error);
}

static int get_force(int n, double (*a)[3], double *p)
{
    struct ky_error error;
    if (ky_grape_unusable(&g5.process) || n < 0 || (size_t)n != g5.count)
        return -1;
    if (!g5.started && run())
        return -1;
    g5.started = 0;
    const struct ky_board_results results = {.acceleration = a, .potential = p};
    const enum ky_status status = ky_pool_finish(g5.process.pool, &results, &error);
    for (int i = 0; i < n && status == KY_OK; i++)
        p[i] = -p[i];
    return ky_grape_result(&g5.process, "g5_get_force", status, &error);
}

static int force_on(double (*x)[3], double (*a)[3], double *p, int n)
{
    return set_sinks(n, x) || run() || get_force(n, a, p) ? -1 : 0;
}

/* ---- the names ---- */

NUMBER(g5_open, open_boards())
NUMBER(g5_close, close_boards())
NUMBER(g5_get_number_of_pipelines, ky_grape_pipes(&g5.process))
NUMBER(g5_get_number_of_pipelines_per_board, ky_grape_pipes(&g5.process))
NUMBER(g5_get_number_of_boards, 1)
NUMBER(g5_get_firstcluster, 0)
NUMBER(g5_get_jmemsize, INT_MAX)
NUMBER(g5_run, run())

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
    return set_n(n);
}

WEAK int g5_set_n_(int *n)
{
    return set_n(*n);
}

WEAK int g5_set_xmj(int first, int n, double x[][3], double m[])
{
    return set_bodies(first, n, x, m);
}

WEAK int g5_set_xmj_(int *first, int *n, double x[][3], double m[])
{
    return set_bodies(*first, *n, x, m);
}

WEAK int g5_set_jp(int first, int n, double m[], double x[][3])
{
    return set_bodies(first, n, x, m);
}

WEAK int g5_set_jp_(int *first, int *n, double m[], double x[][3])
{
    return set_bodies(*first, *n, x, m);
}

WEAK int g5_set_xj(int first, int n, double x[][3])
{
    return set_bodies(first, n, x, NULL);
}

WEAK int g5_set_xj_(int *first, int *n, double x[][3])
{
    return set_bodies(*first, *n, x, NULL);
}

WEAK int g5_set_mj(int first, int n, double m[])
{
    return set_bodies(first, n, NULL, m);
}

WEAK int g5_set_mj_(int *first, int *n, double m[])
{
    return set_bodies(*first, *n, NULL, m);
}

WEAK int g5_set_xi(int n, double x[][3])
{
    return set_sinks(n, x);
}

WEAK int g5_set_xi_(int *n, double x[][3])
{
    return set_sinks(*n, x);
}

WEAK int g5_get_force(int n, double a[][3], double p[])
{
    return get_force(n, a, p);
}

WEAK int g5_get_force_(int *n, double a[][3], double p[])
{
    return get_force(*n, a, p);
}

WEAK int g5_calculate_force_on_x(double x[][3], double a[][3], double p[], int n)
{
    return force_on(x, a, p, n);
}

WEAK int g5_calculate_force_on_x_(double x[][3], double a[][3], double p[], int *n)
{
    return force_on(x, a, p, *n);
}
