/* A system of three bodies or more as a row of the columns of physics/few_device.h, and back. The
 * host and kernels compile it. */
#ifndef KY_FEW_COLUMNS_H
#define KY_FEW_COLUMNS_H

#include "physics/language.h"

#if KY_HOST
#include "few/few.h"
#else
#include "few/clock.h"
#include "few/tree.h"
#endif
#include "physics/few_device.h"

/* A number of system i. */
#define KY_FEW_AT(what) column[(ky_ulong)(what)*count + i]

/* Small integers as digits of one number. A double has room for 17 of them. */
enum { KY_FEW_DIGIT = 8 };

KY_FN ky_ulong ky_few_tree_number(const struct ky_few *few)
{
    const struct ky_few_system_one *s = &few->system;
    ky_ulong number = (ky_ulong)(s->inner + 1);
    number = number * KY_FEW_DIGIT + (ky_ulong)few->clock;
    number = number * KY_FEW_DIGIT + (ky_ulong)few->is_plain;
    for (int k = 0; k < s->shape.n - 1; k++) {
        number = number * KY_FEW_DIGIT + s->shape.node[k].begin;
        number = number * KY_FEW_DIGIT + s->shape.node[k].middle;
        number = number * KY_FEW_DIGIT + s->shape.node[k].end;
    }
    for (int p = 0; p < s->shape.n; p++)
        number = number * KY_FEW_DIGIT + (ky_ulong)few->order[p];
    return number;
}

/* The last digit, which it takes away. */
KY_FN int ky_few_digit(ky_ulong *number)
{
    const int digit = (int)(*number % KY_FEW_DIGIT);
    *number /= KY_FEW_DIGIT;
    return digit;
}

/* Sets the tree of n bodies and the clock. Returns the node that is the clock. */
KY_FN int ky_few_set_tree(struct ky_few *few, int n, ky_ulong number)
{
    struct ky_few_shape *shape = &few->system.shape;
    shape->n = n;
    for (int p = n - 1; p >= 0; p--)
        few->order[p] = ky_few_digit(&number);
    for (int k = n - 2; k >= 0; k--) {
        shape->node[k].end = (unsigned char)ky_few_digit(&number);
        shape->node[k].middle = (unsigned char)ky_few_digit(&number);
        shape->node[k].begin = (unsigned char)ky_few_digit(&number);
    }
    few->is_plain = ky_few_digit(&number);
    few->clock = (enum ky_few_clock)ky_few_digit(&number);
    return ky_few_digit(&number) - 1;
}

KY_FN void ky_few_store(const struct ky_few *few, KY_GLOBAL double *column, ky_ulong count,
                        ky_ulong i)
{
    const struct ky_few_system_one *s = &few->system;
    const int n = s->shape.n;
    int at = KY_FEW_COLUMN_TREE(n);
    KY_FEW_AT(KY_FEW_COLUMN_T) = s->t[0];
    KY_FEW_AT(KY_FEW_COLUMN_LOW) = s->low[0];
    KY_FEW_AT(KY_FEW_COLUMN_B) = s->b[0];
    KY_FEW_AT(KY_FEW_COLUMN_H) = few->h;
    KY_FEW_AT(KY_FEW_COLUMN_STEPS) = few->steps;
    for (int p = 0; p < n; p++)
        KY_FEW_AT(KY_FEW_COLUMN_MASS(p)) = s->mass[p][0];
    for (int k = 0; k < n - 1; k++) {
        KY_FEW_AT(KY_FEW_COLUMN_SLOW(n, k)) = s->slow[k][0];
        for (int c = 0; c < 3; c++) {
            KY_FEW_AT(KY_FEW_COLUMN_X(n, k, c)) = s->x[k][c][0];
            KY_FEW_AT(KY_FEW_COLUMN_V(n, k, c)) = s->v[k][c][0];
        }
    }
    KY_FEW_AT(at++) = (double)ky_few_tree_number(few);
#define KY_FEW_PUT(member) KY_FEW_AT(at++) = few->member;
    KY_FEW_TREE_NUMBERS(KY_FEW_PUT)
#undef KY_FEW_PUT
}

/* Settings and the centre of mass stay as they are. */
KY_FN void ky_few_load(struct ky_few *few, int n, KY_GLOBAL const double *column, ky_ulong count,
                       ky_ulong i)
{
    struct ky_few_system_one *s = &few->system;
    int at = KY_FEW_COLUMN_TREE(n);
    const int inner = ky_few_set_tree(few, n, (ky_ulong)KY_FEW_AT(at++));
    for (int p = 0; p < n; p++)
        s->mass[p][0] = KY_FEW_AT(KY_FEW_COLUMN_MASS(p));
    ky_few_set_masses(s);
    for (int k = 0; k < n - 1; k++) {
        s->slow[k][0] = KY_FEW_AT(KY_FEW_COLUMN_SLOW(n, k));
        for (int c = 0; c < 3; c++) {
            s->x[k][c][0] = KY_FEW_AT(KY_FEW_COLUMN_X(n, k, c));
            s->v[k][c][0] = KY_FEW_AT(KY_FEW_COLUMN_V(n, k, c));
        }
    }
    ky_few_set_weights(s, inner);
    s->work[0] = 0;
    s->t[0] = KY_FEW_AT(KY_FEW_COLUMN_T);
    s->low[0] = KY_FEW_AT(KY_FEW_COLUMN_LOW);
    s->b[0] = KY_FEW_AT(KY_FEW_COLUMN_B);
    few->h = KY_FEW_AT(KY_FEW_COLUMN_H);
    few->steps = KY_FEW_AT(KY_FEW_COLUMN_STEPS);
#define KY_FEW_GET(member) few->member = KY_FEW_AT(at++);
    KY_FEW_TREE_NUMBERS(KY_FEW_GET)
#undef KY_FEW_GET
}

#endif
