/* A system as a row of the columns of physics/few_device.h, and back. The host and kernels compile
 * it. */
#ifndef KY_FEW_SYSTEM_COLUMNS_H
#define KY_FEW_SYSTEM_COLUMNS_H

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

/* Small integers as digits of one number. */
enum { KY_FEW_DIGIT = 128 };

KY_FN double ky_few_three_digits(int high, int middle, int low)
{
    return (high * KY_FEW_DIGIT + middle) * KY_FEW_DIGIT + low;
}

KY_FN int ky_few_digit(double number, int place)
{
    int digits = (int)number;
    while (place-- > 0)
        digits /= KY_FEW_DIGIT;
    return digits % KY_FEW_DIGIT;
}

/* A loop over the bodies or nodes that a lane writes: all, or a single one if it is in a team. */
#ifdef KY_FEW_TEAM
#define KY_FEW_OWN_OF(p, n) for (int p = (int)KY_LANE; p < (n); p += KY_FEW_TEAM)
#else
#define KY_FEW_OWN_OF(p, n) for (int p = 0; p < (n); p++)
#endif

KY_FN void ky_few_store(const struct ky_few *few, KY_GLOBAL double *column, ky_ulong count,
                        ky_ulong i)
{
    const struct ky_few_system_one *s = &few->system;
    const int n = s->shape.n;
    int at = KY_FEW_COLUMN_CLOCK(n);
    KY_FEW_AT(KY_FEW_COLUMN_T) = s->t[0];
    KY_FEW_AT(KY_FEW_COLUMN_LOW) = s->low[0];
    KY_FEW_AT(KY_FEW_COLUMN_B) = s->b[0];
    KY_FEW_AT(KY_FEW_COLUMN_H) = few->h;
    KY_FEW_AT(KY_FEW_COLUMN_STEPS) = few->steps;
    KY_FEW_OWN_OF(p, n)
    {
        KY_FEW_AT(KY_FEW_COLUMN_MASS(p)) = s->mass[p][0];
        KY_FEW_AT(KY_FEW_COLUMN_BODY(n, p)) = few->order[p];
    }
    KY_FEW_OWN_OF(k, n - 1)
    {
        const struct ky_few_node *node = &s->shape.node[k];
        KY_FEW_AT(KY_FEW_COLUMN_SLOW(n, k)) = s->slow[k][0];
        KY_FEW_AT(KY_FEW_COLUMN_NODE(n, k)) =
            ky_few_three_digits(node->begin, node->middle, node->end);
        for (int c = 0; c < 3; c++) {
            KY_FEW_AT(KY_FEW_COLUMN_X(n, k, c)) = s->x[k][c][0];
            KY_FEW_AT(KY_FEW_COLUMN_V(n, k, c)) = s->v[k][c][0];
        }
    }
    KY_FEW_AT(at++) = ky_few_three_digits(s->inner + 1, (int)few->clock, few->is_plain);
#define KY_FEW_PUT(member) KY_FEW_AT(at++) = few->member;
    KY_FEW_TREE_NUMBERS(KY_FEW_PUT)
#undef KY_FEW_PUT
}

/* Settings and the centre of mass stay as they are. Radii are not written or read here. */
KY_FN void ky_few_load(struct ky_few *few, int n, KY_GLOBAL const double *column, ky_ulong count,
                       ky_ulong i)
{
    struct ky_few_system_one *s = &few->system;
    int at = KY_FEW_COLUMN_CLOCK(n);
    const double clock = KY_FEW_AT(at++);
    few->clock = (enum ky_few_clock)ky_few_digit(clock, 1);
    few->is_plain = ky_few_digit(clock, 0);
    s->shape.n = n;
    for (int p = 0; p < n; p++) {
        s->mass[p][0] = KY_FEW_AT(KY_FEW_COLUMN_MASS(p));
        few->order[p] = (int)KY_FEW_AT(KY_FEW_COLUMN_BODY(n, p));
    }
    for (int k = 0; k < n - 1; k++) {
        const double node = KY_FEW_AT(KY_FEW_COLUMN_NODE(n, k));
        s->shape.node[k].begin = (unsigned char)ky_few_digit(node, 2);
        s->shape.node[k].middle = (unsigned char)ky_few_digit(node, 1);
        s->shape.node[k].end = (unsigned char)ky_few_digit(node, 0);
    }
    ky_few_set_masses(s);
    for (int k = 0; k < n - 1; k++) {
        s->slow[k][0] = KY_FEW_AT(KY_FEW_COLUMN_SLOW(n, k));
        for (int c = 0; c < 3; c++) {
            s->x[k][c][0] = KY_FEW_AT(KY_FEW_COLUMN_X(n, k, c));
            s->v[k][c][0] = KY_FEW_AT(KY_FEW_COLUMN_V(n, k, c));
        }
    }
    ky_few_set_weights(s, ky_few_digit(clock, 2) - 1);
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
