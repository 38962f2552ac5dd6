/* A writer of JSON: objects and arrays of named values, commas and quotes where they belong. A
 * number that is not finite becomes null, since JSON has no other value for it. Numbers are the
 * shortest text that reads back as the same double. Nothing here fails: an error of `out` shows in
 * ferror and fflush. Start with {.out = FILE}. */
#ifndef KY_BASE_JSON_H
#define KY_BASE_JSON_H

#include <stdint.h>
#include <stdio.h>

struct ky_json {
    FILE *out;
    int depth;
    int filled; /* this depth has a member already: a comma is due */
};

/* Begin an object or an array. `name` is NULL inside an array and for the outermost object. Each
 * must be ended by its own call; the end of the outermost one writes a newline. */
void ky_json_object(struct ky_json *json, const char *name);
void ky_json_array(struct ky_json *json, const char *name);
void ky_json_end_object(struct ky_json *json);
void ky_json_end_array(struct ky_json *json);
/* These write one member of the open object, or with `name` NULL one element of the open array. */
void ky_json_text(struct ky_json *json, const char *name, const char *text); /* NULL: null */
void ky_json_real(struct ky_json *json, const char *name, double value);
void ky_json_integer(struct ky_json *json, const char *name, int64_t value);
void ky_json_count(struct ky_json *json, const char *name, uint64_t value);
void ky_json_flag(struct ky_json *json, const char *name, int value); /* true or false */
void ky_json_null(struct ky_json *json, const char *name);
/* An array of `count` numbers, in one line. */
void ky_json_vector(struct ky_json *json, const char *name, const double *values, size_t count);

struct ky_units;
/* The member "units": length_cm, mass_g, velocity_cm_s and g. */
void ky_json_units(struct ky_json *json, const struct ky_units *units);

struct ky_option;
/* An option of `values` by its name: a number, a text, true or false; null while it is not set. */
void ky_json_option(struct ky_json *json, const struct ky_option *option, const void *values);

#endif
