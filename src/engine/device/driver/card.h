/* The card of an engine, for all its computations: launches through the table of kernels, time
 * marks, state numbers, and the variants of a kernel for each precision. */
#ifndef KY_DEVICE_CARD_H
#define KY_DEVICE_CARD_H

#include <stdint.h>

#include "base/split.h"
#include "engine/device/driver/driver.h"

/* KY_PARTIAL_BYTES: maximum size of the partial sums of a launch if sources are divided. */
enum { KY_STATE_BYTES = 8, KY_PARTIAL_BYTES = 1 << 28 };

/* The marks of a card. 0 and 1 enclose the phase `walk` of the report. Two are for the staging of
 * bodies and trees, two for batches of interaction lists, five for the phases of building a tree,
 * one for the number of its groups, and one for the arrival of work counts. The last two are for
 * block steps and the Hermite scheme. */
enum {
    KY_MARK_STAGING = 2,
    KY_MARK_LISTS = 4,
    KY_MARK_TREE = 6,
    KY_MARK_GROUPS = 11,
    KY_MARK_WORK = 12,
    KY_MARK_BLOCK,
    KY_MARK_LOOK
};

/* The card that an engine has opened. */
struct ky_opened {
    const struct ky_driver *driver;
    struct ky_card *card; /* NULL: not yet */
    size_t index;         /* in the driver's list */
    uint64_t evaluations; /* number since the bodies were put */
    int measured;         /* 1: the last evaluation has time marks */
    int reported;         /* 1: its report was asked for, so the next evaluation is measured too */
};

/* The number of groups of `lanes` lanes that cover n. */
size_t ky_groups(size_t n, size_t lanes);
/* Loads the kernel if necessary, and starts `groups` groups; does nothing if there are none.
 * KY_FAULT if the arguments differ from the kernel's definition. */
enum ky_status ky_launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                         struct ky_arguments arguments, struct ky_error *error);
/* The same with a lane for each of `items`. */
enum ky_status ky_launch_over(struct ky_card *card, enum ky_kernel_id kernel, size_t items,
                              struct ky_arguments arguments, struct ky_error *error);

/* The same, for a kernel that works in teams, with a team for each of `items`. */
enum ky_status ky_launch_teams(struct ky_card *card, enum ky_kernel_id kernel, size_t items,
                               struct ky_arguments arguments, struct ky_error *error);

/* Begins an evaluation. A mark takes as long as a small kernel, so if no reports are asked for,
 * only some evaluations of a long series are measured. */
void ky_begin_marks(struct ky_opened *opened);
/* Sets a mark in the card's queue, if the evaluation is measured. */
enum ky_status ky_mark(struct ky_opened *opened, int mark, struct ky_error *error);
/* Seconds from mark 0 to mark 1; NAN if the last evaluation was not measured. */
double ky_marked_seconds(const struct ky_opened *opened);
/* A state number as its 8 bytes: a double, or two floats if the card has no double. */
union ky_state_value {
    double whole;
    float part[2];
};
static inline union ky_state_value ky_to_state(const struct ky_card *card, double x)
{
    union ky_state_value value;
    if (card->has_double) {
        value.whole = x;
    } else {
        value.part[0] = (float)x;
        value.part[1] = ky_low_part(x);
    }
    return value;
}

static inline double ky_from_state(const struct ky_card *card, union ky_state_value value)
{
    if (card->has_double)
        return value.whole;
    return (double)value.part[0] + (double)value.part[1];
}

/* The ids of the kernel `name` for each precision, and for one precision. Only the exact sum has
 * kernels for KY_MIXED; the others are in extended precision. */
#define KY_EACH_PRECISION(name)                                                                    \
    {                                                                                              \
        KY_KERNEL_##name##_single, KY_KERNEL_##name##_extended, KY_KERNEL_##name##_double,         \
            KY_KERNEL_##name##_extended                                                            \
    }
#define KY_IN_PRECISION(name, precision)                                                           \
    (((const enum ky_kernel_id[])KY_EACH_PRECISION(name))[precision])
/* The same for a kernel that exists for extended and double precision. */
#define KY_IN_EITHER(name, precision)                                                              \
    ((precision) == KY_DOUBLE ? KY_KERNEL_##name##_double : KY_KERNEL_##name##_extended)
/* Bytes of a number of the kernels' type, and of four. */
size_t ky_real_bytes(int precision);
size_t ky_real4_bytes(int precision);

#endif
