/* Action: gravity of all other bodies, with the opening tests geometric, offset and minimum. */
#ifndef KY_ACTIONS_GRAVITY_H
#define KY_ACTIONS_GRAVITY_H

#include "physics/visit.h"

#define KY_RESULTS_gravity(R) R(ax, 1, 1, -2) R(ay, 1, 1, -2) R(az, 1, 1, -2) R(potential, 1, 1, -1)

struct ky_gravity {
    struct ky_field field;
    KY_REAL eps2;
    int splined;
};

KY_FN struct ky_gravity ky_gravity_start(struct ky_visit_sink sink)
{
    struct ky_gravity a;
    a.field.x = a.field.y = a.field.z = a.field.p = KY_SPLAT(0);
    a.eps2 = sink.eps2;
    a.splined = sink.splined;
    return a;
}

KY_FN KY_REAL ky_gravity_reach2(struct ky_gravity a)
{
    (void)a;
    return KY_VISIT_FAR;
}

KY_FN int ky_gravity_test(struct ky_visit_span s)
{
    const KY_REAL wider = KY_SPLAT(1) + KY_VISIT_SLACK; /* half-sides, for the rounding to float */
    struct ky_opening_apart apart;
    struct ky_opening_sides sides;
    apart.x = (float)s.x;
    apart.y = (float)s.y;
    apart.z = (float)s.z;
    apart.hx = (float)(s.hx * wider);
    apart.hy = (float)(s.hy * wider);
    apart.hz = (float)(s.hz * wider);
    sides.below_x = (float)s.below_x;
    sides.below_y = (float)s.below_y;
    sides.below_z = (float)s.below_z;
    sides.above_x = (float)s.above_x;
    sides.above_y = (float)s.above_y;
    sides.above_z = (float)s.above_z;
    sides.reach2 = (float)s.reach2;
    return ky_opening_opens(apart, sides, ky_opening_distance2(apart), (float)s.open2, s.opening)
               ? KY_VISIT_OPEN
               : KY_VISIT_USE;
}

KY_FN struct ky_gravity ky_gravity_body(struct ky_gravity a, struct ky_visit_body body)
{
    if (a.splined) {
        a.field = ky_add_body(a.field, body.x, body.y, body.z,
                              ky_splined_of(KY_LARGER(a.eps2, body.eps2), body.r2), body.mass);
        return a;
    }
    KY_REAL eps2 = ky_softening_eps2(a.eps2, body.eps2, KY_EPS_SUM);
    struct ky_softened s = ky_softened_of(eps2, body.r2 + eps2, KY_GUARD_FIRST);
    a.field = ky_add_body(a.field, body.x, body.y, body.z, s, body.mass);
    return a;
}

KY_FN struct ky_gravity ky_gravity_cell(struct ky_gravity a, struct ky_visit_cell cell)
{
    KY_REAL sink_eps2 = a.splined ? KY_SPLAT(0) : a.eps2;
    KY_REAL cell_eps2 = a.splined ? KY_SPLAT(0) : cell.eps2;
    struct ky_softened s =
        ky_soften(cell.x, cell.y, cell.z, sink_eps2, cell_eps2, KY_GUARD_FIRST | KY_EPS_SUM);
    a.field = ky_add_cell(a.field, cell.x, cell.y, cell.z, s, cell.moments);
    return a;
}

KY_FN KY_REAL ky_gravity_result(struct ky_gravity a, int column)
{
    return column == 0 ? a.field.x : column == 1 ? a.field.y : column == 2 ? a.field.z : -a.field.p;
}

#endif
