/* The benchmark of unrollings (F09, section VII), a table of its own beside the rows of
 * `kyoho bench`. */
#ifndef KY_COMMAND_BENCH_H
#define KY_COMMAND_BENCH_H

#include "command/command.h"
#include "command/force.h"

enum { UNROLL_SIDE = 4, UNROLL_SWEEP = UNROLL_SIDE * UNROLL_SIDE };

struct unroll_table {
    struct force_result
        sweep[UNROLL_SWEEP];   /* [sinks][sources]; n = 0: no such kernel is compiled */
    struct force_result tuned; /* of --unroll tuned */
};

/* The number of bodies where none is given. A device with more than UNROLL_FAST interactions/s gets
 * UNROLL_LARGE: these kernels do not divide the sources, so that a large GPU is full only with that
 * many bodies. Others get UNROLL_SMALL. They are texts, for the option's default and help. */
#define UNROLL_LARGE "524288"
#define UNROLL_SMALL "8192"
#define UNROLL_FAST "5e10"

/* Measures every unrolling with a Plummer sphere of n bodies; n = 0: as many as suit the device.
 * KY_UNSUPPORTED if the engine has no such kernels, KY_FAULT if one gives wrong forces. */
enum ky_status unroll_measure(struct cli *cli, const struct ky_parameters *parameters, size_t n,
                              struct unroll_table *table);
/* Prints the table and the answer: which unrolling is the fastest, and by how much. */
void unroll_show(const struct unroll_table *table);
/* The same as JSON: an object for each unrolling in the open array, and an object "unroll" with the
 * answer. */
void unroll_rows_json(struct ky_json *json, const struct unroll_table *table);
void unroll_answer_json(struct ky_json *json, const struct unroll_table *table);

#endif
