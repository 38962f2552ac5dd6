/* The state of a system as rows of numbers, one row for each body, for restart files. */
#include <stddef.h>
#include <string.h>

#include "few/few.h"

/* Numbers of the whole system, in the first row. */
#define OFFSET(member) offsetof(struct ky_few, member)
static const size_t reals[] = {
    OFFSET(system.b),  OFFSET(system.t),  OFFSET(system.low), OFFSET(longest),   OFFSET(h),
    OFFSET(last),      OFFSET(energy),    OFFSET(error),      OFFSET(whole),     OFFSET(scale),
    OFFSET(centre[0]), OFFSET(centre[1]), OFFSET(centre[2]),  OFFSET(motion[0]), OFFSET(motion[1]),
    OFFSET(motion[2]), OFFSET(epoch),     OFFSET(steps),      OFFSET(repeated),  OFFSET(kicks),
    OFFSET(trees),
};
enum { REALS = sizeof reals / sizeof *reals };
/* Numbers of a row: of the node that has its index, and of the place in the tree; then of the
 * system. */
enum {
    X,
    V = 3,
    SLOW = 6,
    BEGIN,
    MIDDLE,
    END,
    BODY,
    MASS,
    OWN,
    IS_SET = OWN,
    CLOCK,
    INNER,
    PLAIN,
    FIRST_REAL
};
_Static_assert(FIRST_REAL + REALS == KY_FEW_NUMBERS, "one number each");

void ky_few_pack(const struct ky_few *few, double (*row)[KY_FEW_NUMBERS])
{
    const struct ky_few_system_one *s = &few->system;
    memset(row, 0, (size_t)s->shape.n * sizeof *row);
    for (int k = 0; k < s->shape.n; k++) {
        row[k][BODY] = few->order[k];
        row[k][MASS] = s->mass[k][0];
        if (k == s->shape.n - 1)
            continue;
        for (int c = 0; c < 3; c++) {
            row[k][X + c] = s->x[k][c][0];
            row[k][V + c] = s->v[k][c][0];
        }
        row[k][SLOW] = s->slow[k][0];
        row[k][BEGIN] = s->shape.node[k].begin;
        row[k][MIDDLE] = s->shape.node[k].middle;
        row[k][END] = s->shape.node[k].end;
    }
    if (!s->shape.n)
        return;
    row[0][IS_SET] = 1;
    row[0][CLOCK] = few->clock;
    row[0][INNER] = s->inner;
    row[0][PLAIN] = few->is_plain;
    for (int k = 0; k < REALS; k++)
        memcpy(&row[0][FIRST_REAL + k], (const char *)few + reals[k], sizeof(double));
}

int ky_few_is_packed(int n, const double (*row)[KY_FEW_NUMBERS])
{
    return n > 0 && row[0][IS_SET] == 1;
}

/* 1 if x is one of the integers from low to high. */
static int is_index(double x, int low, int high)
{
    return x >= low && x <= high && x == (double)(int)x;
}

/* KY_BAD_DATA for numbers that no system has. */
static enum ky_status check(int n, const double (*row)[KY_FEW_NUMBERS], struct ky_error *error)
{
    int right = is_index(row[0][CLOCK], KY_FEW_WHOLE, KY_FEW_FREE) &&
                is_index(row[0][INNER], -1, n - 2) && is_index(row[0][PLAIN], 0, 1);
    int seen[KY_FEW_MOST] = {0};
    for (int k = 0; k < n; k++) {
        const int is_body = is_index(row[k][BODY], 0, n - 1);
        right &= is_body && !seen[(int)row[k][BODY]] && row[k][MASS] >= 0;
        if (is_body)
            seen[(int)row[k][BODY]] = 1;
        if (k == n - 1)
            continue;
        right &= is_index(row[k][BEGIN], 0, n - 2) &&
                 is_index(row[k][MIDDLE], (int)row[k][BEGIN] + 1, n - 1) &&
                 is_index(row[k][END], (int)row[k][MIDDLE] + 1, n) &&
                 row[k][END] - row[k][BEGIN] <= k + 2 && row[k][SLOW] > 0 && row[k][SLOW] <= 1;
    }
    return right ? KY_OK
                 : ky_fail(error, KY_BAD_DATA,
                           "the stored state of a system of %d bodies has a "
                           "number that is not possible",
                           n);
}

enum ky_status ky_few_unpack(struct ky_few *few, const struct ky_few_settings *settings, int n,
                             const double (*row)[KY_FEW_NUMBERS], struct ky_error *error)
{
    struct ky_few_system_one *s = &few->system;
    KY_TRY(check(n, row, error));
    few->settings = *settings;
    few->others = NULL;
    few->wrong = 0;
    s->work[0] = 0;
    s->shape.n = n;
    for (int k = 0; k < n; k++) {
        few->order[k] = (int)row[k][BODY];
        s->mass[k][0] = row[k][MASS];
        for (int c = 0; c < 3; c++) {
            s->x[k][c][0] = row[k][X + c];
            s->v[k][c][0] = row[k][V + c];
        }
        s->shape.node[k] = (struct ky_few_node){(uint8_t)row[k][BEGIN], (uint8_t)row[k][MIDDLE],
                                                (uint8_t)row[k][END]};
    }
    ky_few_set_masses(s);
    for (int k = 0; k < n - 1; k++)
        s->slow[k][0] = row[k][SLOW];
    few->clock = (enum ky_few_clock)row[0][CLOCK];
    few->is_plain = (int)row[0][PLAIN];
    if (few->clock != KY_FEW_FREE)
        ky_few_set_weights(s, (int)row[0][INNER]);
    for (int k = 0; k < REALS; k++)
        memcpy((char *)few + reals[k], &row[0][FIRST_REAL + k], sizeof(double));
    return KY_OK;
}
