/* The table of the columns that an integrator may ask for (enum ky_column), and the common code of
 * the engines for them. */
#ifndef KY_ENGINE_INTEGRATOR_COLUMNS_H
#define KY_ENGINE_INTEGRATOR_COLUMNS_H

#include "engine/engine.h"

/* Numbers of a body in the column of groups (cpu/steps/groups.c). */
enum { KY_GROUP_NUMBERS = 61 };

struct ky_column_about {
    const char *name;  /* of the section in restart files: fewer than 16 characters */
    size_t components; /* numbers of a body */
    int of_field;      /* 1: acceleration or a time derivative of it, or a state; 0: a time */
    int is_state;      /* 1: it is the integrator's own, and callers do not see it */
};
extern const struct ky_column_about ky_columns[KY_COLUMN_COUNT];

static inline int ky_column_is_in(unsigned set, int column)
{
    return (int)(set >> column & 1U);
}

/* KY_USAGE for a column that is not in the set. */
enum ky_status ky_column_check(unsigned set, enum ky_column column, struct ky_error *error);
/* Bytes of a body in the columns of the set. */
double ky_columns_bytes(unsigned set);

/* 1 if all pulls of a column are known, which means that none is 0. */
static inline int ky_pulls_are_known(const double *pull, size_t n)
{
    size_t k = 0;
    while (k < n && pull[k] > 0)
        k++;
    return k == n;
}

#endif
