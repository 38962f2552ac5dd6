/* The kernel of systems of up to KY_FEW_SHAPES bodies, by the tests of steps, trees, clocks and
 * contacts of src/few. A system has the same bits as on the CPU, since nothing is fused. The
 * including file has defined ky_few_stages and ky_few_set_clock. If a team of lanes advances a
 * system, it has also included few_team.h, and all lanes of the team call these functions. */
#include "few/tree.h"

#include "few/clock.h"
#include "few/contact.h"
#include "few/finish.h"
#include "few/system_columns.h"

#ifndef KY_FEW_TEAM
#define KY_FEW_SAVE(start, few, column, count, i) (*(start) = *(few))
#define KY_FEW_MAY_TOUCH(few) 1
#define KY_FEW_RECALL(start, few, column, count, i)
#define KY_FEW_IS_FIRST 1
#endif

/* The settings of a launch, and the radii of system i. */
KY_FN struct ky_few_settings ky_few_lane_settings(KY_GLOBAL const double *column,
                                                  const struct ky_few_course *course, ky_ulong i,
                                                  int contacts, double *radius)
{
    const ky_ulong count = course->count;
    const int n = (int)course->bodies;
    struct ky_few_settings settings;
    settings.g = 1;
    settings.tolerance = course->tolerance;
    settings.angle = course->angle;
    settings.apart = course->apart;
    settings.slow_down = (int)course->slow_down;
    settings.backwards = course->sign < 0;
    settings.slow_energy = 0;
    settings.radius = radius;
    settings.radii = course->bodies;
    for (int b = 0; b < n && contacts; b++)
        radius[b] = KY_FEW_AT(KY_FEW_COLUMN_RADIUS(n, b));
    return settings;
}

/* 1 if a system has to take more steps: it is not yet at the time or the first one behind it, has
 * not come apart, and is not lost. */
KY_FN int ky_few_goes_on(const struct ky_few *few, const struct ky_few_course *course)
{
    return few->h != 0 && course->sign * ky_few_ahead_of(&few->system, course->until) > 0 &&
           !ky_few_is_apart(few);
}

/* Advances *few, system i, by at most course->most steps; a step that is taken again counts as two.
 * Returns 1 if the system needs more steps. A system whose numbers are no longer finite ends, with
 * the next step 0. If bodies touch in a step, the system stops before it, and the host takes it
 * again. */
KY_FN int ky_few_take_steps(struct ky_few *few, KY_GLOBAL double *column,
                            const struct ky_few_course *course, ky_ulong i, int contacts)
{
    struct ky_few start;
    struct ky_few_motion before;
    int is_kept = 1, goes_on = 1;
    for (ky_uint made = 0;; made++) {
        if (is_kept) {
            goes_on = ky_few_goes_on(few, course);
            if (!goes_on || made >= course->most)
                break;
            if (contacts)
                KY_FEW_SAVE(&start, few, column, course->count, i);
        }
        ky_few_keep(few, &before);
        ky_few_stages(&few->system, few->h);
        /* A loop for a step that is taken again would hold up the other lanes. */
        is_kept = ky_few_finish(few, &before);
        if (!ky_few_is_finite(few))
            few->h = 0;
        else if (is_kept && contacts && KY_FEW_MAY_TOUCH(few)) {
            KY_FEW_RECALL(&start, few, column, course->count, i);
            if (!ky_few_any_touch(&start, few))
                continue;
            *few = start;
            return 0;
        }
    }
    return goes_on;
}

/* Advances system i of the columns. */
KY_FN int ky_few_go_on(struct ky_few *few, KY_GLOBAL double *column,
                       const struct ky_few_course *course, ky_ulong i, int contacts)
{
    double radius[KY_FEW_SHAPES];
    few->settings = ky_few_lane_settings(column, course, i, contacts, radius);
    few->slow_work = few->outer_work = 0;
    ky_few_load(few, (int)course->bodies, column, course->count, i);
    const int goes_on = ky_few_take_steps(few, column, course, i, contacts);
    ky_few_store(few, column, course->count, i);
    return goes_on;
}

/* The number of a lane's system in the launch, and the numbers that the lanes of a team share. */
#ifdef KY_FEW_TEAM
#define KY_FEW_SYSTEM(lanes) KY_GROUP
#define KY_FEW_SHARED(few)                                                                         \
    KY_LOCAL struct ky_few_shared shared;                                                          \
    (few).system.team = &shared;
#else
#define KY_FEW_SYSTEM(lanes) ((ky_ulong)KY_GROUP * (lanes) + KY_LANE)
#define KY_FEW_SHARED(few)
#endif

/* A kernel like ky_few_pairs. `contacts` is a constant, since the test for contacts takes
 * registers. */
#define KY_FEW_LANE_KERNEL(name, lanes, contacts)                                                  \
    KY_KERNEL(lanes)                                                                               \
    name(KY_GLOBAL double *column, KY_NUMBERS struct ky_few_course course,                         \
         KY_GLOBAL const ky_uint *list, KY_GLOBAL ky_uint *next, KY_GLOBAL ky_uint *left)          \
    {                                                                                              \
        const ky_ulong at = KY_FEW_SYSTEM(lanes);                                                  \
        struct ky_few few;                                                                         \
        KY_FEW_SHARED(few)                                                                         \
        if (at >= course.listed)                                                                   \
            return;                                                                                \
        const ky_ulong i = course.all ? at : list[at];                                             \
        if (ky_few_go_on(&few, column, &course, i, contacts) && KY_FEW_IS_FIRST)                   \
            next[KY_ATOMIC_ADD(left, 1U)] = (ky_uint)i;                                            \
    }
