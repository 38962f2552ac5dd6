/* The phases of a ky_force_report: its members with seconds of an evaluation. */
#ifndef KY_BASE_PHASES_H
#define KY_BASE_PHASES_H

#define KY_PHASES(P) P(keys) P(sort) P(build) P(moments) P(walk) P(total)

#endif
