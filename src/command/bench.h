/* The benchmark of unrollings (F09, section VII), a table of its own beside the rows of
 * `kyoho bench`. */
#ifndef KY_COMMAND_BENCH_H
#define KY_COMMAND_BENCH_H

#include "command/command.h"
#include "command/force.h"

enum { UNROLL_SIDE = 4, UNROLL_SWEEP = UNROLL_SIDE * UNROLL_SIDE };

struct unroll_table {
    struct force_result sweep[UNROLL_SWEEP]; /* [sinks][sources]; n = 0: not compiled for these
                                                parameters */
    struct force_result tuned;
};

/* Bodies that fill a large GPU although the kernels do not divide the sources, and what a device
 * gets that is slower than UNROLL_FAST interactions/s; text, for the option's default and help. */
#define UNROLL_LARGE "524288"
#define UNROLL_SMALL "8192"
#define UNROLL_FAST "5e10"

/* Of a Plummer sphere; n = 0: as many bodies as suit the speed of the device. KY_UNSUPPORTED where
 * the engine has no such kernels. */
enum ky_status unroll_measure(struct cli *cli, const struct ky_parameters *parameters, size_t n,
                              struct unroll_table *table);
void unroll_show(const struct unroll_table *table);
/* A row for each unrolling into the open array, and the answer as an object "unroll". */
void unroll_rows_json(struct ky_json *json, const struct unroll_table *table);
void unroll_answer_json(struct ky_json *json, const struct unroll_table *table);

#endif
