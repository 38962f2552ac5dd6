/* Numbers by name in a text, "mass=1,scale=0.5". */
#ifndef KY_BASE_NAMED_NUMBERS_H
#define KY_BASE_NAMED_NUMBERS_H

#include <stddef.h>

#include "base/status.h"

enum ky_number_range {
    KY_NUMBER_ANY,
    KY_NUMBER_NOT_NEGATIVE,
    KY_NUMBER_POSITIVE,
    KY_NUMBER_BELOW_TWO, /* and not negative */
    KY_NUMBER_SWITCH     /* 0 or 1 */
};

struct ky_named_number {
    const char *word;
    enum ky_number_range range; /* all are finite */
    const char *initial;        /* the default as text; NULL: the number must be given */
    const char *help;           /* its meaning, for errors */
    double *place;              /* where the value goes */
    int given;                  /* 1: the text named it; 0 before */
};

/* The numbers of a text. `of` begins the error lines. A number may have a unit where `units` is not
 * NULL: the kind that the help names in brackets. */
struct ky_named_numbers {
    const char *of;
    const struct ky_units *units;
    struct ky_named_number *number;
    size_t count;
};

/* Reads a text, which is cut up; NULL stands for a text without numbers. KY_USAGE for a text of
 * another form, for an unknown word, and for a number that is out of its range, given twice or
 * missing. */
enum ky_status ky_named_numbers_read(const struct ky_named_numbers *numbers, char *text,
                                     struct ky_error *error);
/* Writes the numbers that were given, "mass=1,scale=0.5". Returns the length, as snprintf. */
size_t ky_named_numbers_write(const struct ky_named_number *number, size_t count, char *text,
                              size_t size);
/* 1 if a value in the text has a unit, "mass=1e12Msun". */
int ky_named_numbers_have_units(const char *text);

#endif
