/* The phases of a ky_force_report: its members with seconds of an evaluation. */
#ifndef KY_BASE_PHASES_H
#define KY_BASE_PHASES_H

#include <stddef.h>

#define KY_PHASES(P) P(keys) P(sort) P(build) P(moments) P(walk) P(total) P(cells) P(groups)
/* Bytes of the report of the first version, for ky_size_give_grown. */
#define KY_FIRST_REPORT offsetof(struct ky_force_report, cells)

#endif
