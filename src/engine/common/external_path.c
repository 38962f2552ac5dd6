/* Cubic splines through the rows of tables, and the pieces of the path of a field. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/common/external_table.h"

/* ---- splines ---- */

/* The slope at the first of up to four rows of the polynomial through all of them. `step` is 1, or
 * −1 for the last rows of a table, from the last one on. */
static double end_slope(const double *t, const double *y, size_t rows, int step)
{
    const int most = rows < 4 ? (int)rows : 4;
    double slope = 0;
    for (int i = 1; i < most; i++) { /* Σ yᵢ Lᵢ'(t₀); L₀' follows from Σ Lᵢ' = 0 */
        double weight = 1 / (t[i * step] - t[0]);
        for (int k = 1; k < most; k++)
            if (k != i)
                weight *= (t[0] - t[k * step]) / (t[i * step] - t[k * step]);
        slope += weight * (y[i * step] - y[0]);
    }
    return slope;
}

/* The slopes of the spline at all rows. Between the slopes at its ends they follow from the
 * continuity of the second derivative: h₁ m₀ + 2 (h₀ + h₁) m₁ + h₀ m₂ = 3 (h₁ d₀ + h₀ d₁), where h
 * and d are the lengths and slopes of the intervals on both sides. `above` is work space for as
 * many numbers. */
static void find_slopes(const double *t, const double *y, size_t rows, double *slope, double *above)
{
    slope[0] = end_slope(t, y, rows, 1);
    slope[rows - 1] = end_slope(t + rows - 1, y + rows - 1, rows, -1);
    above[0] = 0;
    for (size_t k = 1; k + 1 < rows; k++) {
        const double h0 = t[k] - t[k - 1], h1 = t[k + 1] - t[k], d0 = (y[k] - y[k - 1]) / h0,
                     d1 = (y[k + 1] - y[k]) / h1, pivot = 2 * (h0 + h1) - h1 * above[k - 1];
        above[k] = h0 / pivot;
        slope[k] = (3 * (h1 * d0 + h0 * d1) - h1 * slope[k - 1]) / pivot;
    }
    for (size_t k = rows - 1; k-- > 1;)
        slope[k] -= above[k] * slope[k + 1];
}

/* The same cubic with the origin of its time shifted by `by`. */
static void shift(const double c[4], double by, double shifted[4])
{
    shifted[0] = c[0] + by * (c[1] + by * (c[2] + by * c[3]));
    shifted[1] = c[1] + by * (2 * c[2] + by * 3 * c[3]);
    shifted[2] = c[2] + by * 3 * c[3];
    shifted[3] = c[3];
}

/* ---- the path ---- */

/* Tables, one of which may be NULL, with the slopes of their columns. */
struct splines {
    const struct ky_external_table *table[KY_EXTERNAL_TABLES];
    double *slope[KY_EXTERNAL_CUBICS];
    size_t row[KY_EXTERNAL_TABLES]; /* where the present piece of each begins */
};

static int table_of(int cubic)
{
    return cubic == KY_EXTERNAL_STRENGTH ? KY_TABLE_STRENGTH : KY_TABLE_CENTRE;
}

static const double *column_of(const struct splines *own, int cubic)
{
    return own->table[table_of(cubic)]->value[cubic % KY_EXTERNAL_STRENGTH];
}

/* The cubic of a column from a time on. */
static void cubic_at(const struct splines *own, int cubic, double time, double c[4])
{
    const struct ky_external_table *table = own->table[table_of(cubic)];
    const size_t k = own->row[table_of(cubic)];
    const double *y = column_of(own, cubic), *m = own->slope[cubic],
                 h = table->time[k + 1] - table->time[k], d = (y[k + 1] - y[k]) / h;
    const double from_row[4] = {y[k], m[k], (3 * d - 2 * m[k] - m[k + 1]) / h,
                                (m[k] + m[k + 1] - 2 * d) / (h * h)};
    shift(from_row, time - table->time[k], c);
}

/* Makes the pieces from one time of either table to the next. */
static void make_pieces(struct splines *own, const double rest[3], struct ky_external_path *path)
{
    for (double time = path->begin; time < path->end;) {
        struct ky_external_piece *piece = &path->piece[path->count++];
        double next = path->end;
        *piece = (struct ky_external_piece){
            time, {{rest[0]}, {rest[1]}, {rest[2]}, [KY_EXTERNAL_STRENGTH] = {1}}};
        for (int k = 0; k < KY_EXTERNAL_TABLES; k++) {
            const struct ky_external_table *table = own->table[k];
            if (!table)
                continue;
            while (own->row[k] + 2 < table->rows && table->time[own->row[k] + 1] <= time)
                own->row[k]++;
            next = fmin(next, table->time[own->row[k] + 1]);
        }
        for (int k = 0; k < KY_EXTERNAL_CUBICS; k++)
            if (own->table[table_of(k)])
                cubic_at(own, k, time, piece->cubic[k]);
        time = next;
    }
}

/* Allocates the path, with its times and name. */
static enum ky_status open_path(const struct splines *own, struct ky_external_path **path,
                                struct ky_error *error)
{
    size_t most = 0;
    double begin = -(double)INFINITY, end = (double)INFINITY;
    const char *name = "";
    for (int k = 0; k < KY_EXTERNAL_TABLES; k++)
        if (own->table[k]) {
            most += own->table[k]->rows;
            name = own->table[k]->path;
            begin = fmax(begin, own->table[k]->time[0]);
            end = fmin(end, own->table[k]->time[own->table[k]->rows - 1]);
        }
    if (!(begin < end))
        return ky_fail(error, KY_USAGE,
                       "external field: its two tables have no times in common; make one longer");
    *path = ky_allocate_zeroed(1, sizeof **path + most * sizeof *(*path)->piece);
    if (!*path)
        return ky_no_memory(error, "table of an external field", most, sizeof *(*path)->piece);
    const size_t length = strlen(name), room = sizeof(*path)->name - 1;
    (*path)->uses = 1;
    (*path)->begin = begin;
    (*path)->end = end;
    snprintf((*path)->name, sizeof(*path)->name, "%s", name + (length > room ? length - room : 0));
    return KY_OK;
}

/* KY_BAD_DATA if a cubic is beyond the range of double. */
static enum ky_status check_pieces(const struct ky_external_path *path,
                                   const struct ky_external_table *const table[KY_EXTERNAL_TABLES],
                                   struct ky_error *error)
{
    for (size_t p = 0; p < path->count; p++)
        for (int k = 0; k < KY_EXTERNAL_CUBICS; k++)
            for (int c = 0; c < 4; c++)
                if (!isfinite(path->piece[p].cubic[k][c]))
                    return ky_fail(error, KY_BAD_DATA,
                                   "%s: about the time %g its rows change faster than numbers hold",
                                   table[table_of(k)]->path, path->piece[p].from);
    return KY_OK;
}

enum ky_status ky_external_path_make(const struct ky_external_table *centre,
                                     const struct ky_external_table *strength, const double rest[3],
                                     struct ky_external_path **path, struct ky_error *error)
{
    struct splines own = {.table = {[KY_TABLE_CENTRE] = centre, [KY_TABLE_STRENGTH] = strength}};
    const size_t most = (centre ? centre->rows : 0) + (strength ? strength->rows : 0);
    *path = NULL;
    double *room = ky_allocate(KY_EXTERNAL_CUBICS + 1, most * sizeof *room);
    if (!room)
        return ky_no_memory(error, "table of an external field", most, sizeof *room);
    for (int k = 0; k < KY_EXTERNAL_CUBICS; k++) {
        const struct ky_external_table *table = own.table[table_of(k)];
        own.slope[k] = room + (size_t)k * most;
        if (table)
            find_slopes(table->time, column_of(&own, k), table->rows, own.slope[k],
                        room + KY_EXTERNAL_CUBICS * most);
    }
    enum ky_status status = open_path(&own, path, error);
    if (!status) {
        make_pieces(&own, rest, *path);
        status = check_pieces(*path, own.table, error);
    }
    if (status) {
        ky_external_path_release(*path);
        *path = NULL;
    }
    free(room);
    return status;
}

void ky_external_path_at(const struct ky_external_path *path, double time,
                         double cubic[KY_EXTERNAL_CUBICS][4])
{
    size_t low = 0, high = path->count; /* the piece is one of low … high − 1 */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(path->piece[middle].from <= time ? &low : &high) = middle;
    }
    for (int k = 0; k < KY_EXTERNAL_CUBICS; k++)
        shift(path->piece[low].cubic[k], time - path->piece[low].from, cubic[k]);
}

void ky_external_path_share(struct ky_external_path *path)
{
    if (path)
        path->uses++;
}

void ky_external_path_release(struct ky_external_path *path)
{
    if (path && --path->uses == 0)
        free(path);
}
