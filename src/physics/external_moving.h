/* External fields that move, grow and rotate, and frames in free fall in a field.
 *
 *     x' = x − c(t), in axes rotated by the angle θ + Ω t about z      v' = v − c'(t) − Ω × x'
 *     a = s(t) a'(x')                                                 j = s j' + s' a'
 *     reflex: a(x) − a(0), φ(x) + a(0)·x, since the frame's origin accelerates with a(0)
 *
 * c(t), the centre, and s(t), the strength, are cubics in the time between the rows of a table.
 * Portable C: physics/dialect.h. */
#ifndef KY_PHYSICS_EXTERNAL_MOVING_H
#define KY_PHYSICS_EXTERNAL_MOVING_H

#include "physics/external.h"

/* The columns of a field's table, in the order of the cubics: the centre and the strength. */
#define KY_EXTERNAL_CUBICS 4
#define KY_EXTERNAL_STRENGTH 3

/* A cubic in time, c0 + c1 t + c2 t² + c3 t³, and its derivative. */
struct ky_external_cubic {
    ky_external_real value, rate;
};
KY_FN struct ky_external_cubic ky_external_cubic(ky_external_real c0, ky_external_real c1,
                                                 ky_external_real c2, ky_external_real c3,
                                                 ky_external_real t)
{
    struct ky_external_cubic cubic;
    cubic.value = c0 + t * (c1 + t * (c2 + t * c3));
    cubic.rate = c1 + t * (2 * c2 + t * 3 * c3);
    return cubic;
}

/* A field at a moment: the velocity of its centre, its strength relative to its numbers and the
 * growth rate, and the angle and rotation rate of its axes. */
struct ky_external_moment {
    ky_external_real vx, vy, vz, strength, growth, angle, turn;
};

/* The position relative to the centre, as the formula of a kind needs it. */
KY_FN struct ky_external_state ky_external_enter(struct ky_external_state at,
                                                 struct ky_external_moment now)
{
    at.vx -= at.pace * now.vx;
    at.vy -= at.pace * now.vy;
    at.vz -= at.pace * now.vz;
    return now.turn != 0 || now.angle != 0 ? ky_external_turn_in(at, now.angle, now.turn * at.pace)
                                           : at;
}

/* Transforms the formula's result to the frame and the strength of the field. */
KY_FN struct ky_external_pull ky_external_leave(struct ky_external_pull pull,
                                                struct ky_external_moment now,
                                                ky_external_real pace)
{
    ky_external_real growth = pace * now.growth, s = now.strength;
    if (now.turn != 0 || now.angle != 0)
        pull = ky_external_turn_out(pull, now.angle, now.turn * pace);
    pull.jx = s * pull.jx + growth * pull.x;
    pull.jy = s * pull.jy + growth * pull.y;
    pull.jz = s * pull.jz + growth * pull.z;
    pull.x *= s;
    pull.y *= s;
    pull.z *= s;
    pull.potential *= s;
    return pull;
}

/* The position of the frame's origin, at rest, in a field with its centre at x, y, z. */
KY_FN struct ky_external_state ky_external_origin(struct ky_external_state at, ky_external_real x,
                                                  ky_external_real y, ky_external_real z)
{
    at.x = -x, at.y = -y, at.z = -z;
    at.vx = at.vy = at.vz = 0;
    return at;
}

/* The force in a frame whose origin falls in the field: x, y, z is the position in that frame, and
 * `origin` the field's force at the frame's origin. */
KY_FN struct ky_external_pull ky_external_reflex(struct ky_external_pull pull,
                                                 struct ky_external_pull origin, ky_external_real x,
                                                 ky_external_real y, ky_external_real z)
{
    pull.x -= origin.x;
    pull.y -= origin.y;
    pull.z -= origin.z;
    pull.jx -= origin.jx;
    pull.jy -= origin.jy;
    pull.jz -= origin.jz;
    pull.potential += origin.x * x + origin.y * y + origin.z * z;
    return pull;
}

#endif
