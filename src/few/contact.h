/* Contacts: two bodies that come nearer to each other in a step than the sum of their radii. A step
 * of an eccentric orbit may begin and end outside and pass the pericentre in between. The host and
 * kernels compile it, after declarations of ky_few_stages. */
#ifndef KY_FEW_CONTACT_H
#define KY_FEW_CONTACT_H

#include "few/pairs.h"
#include "few/system.h"

/* r², v² and r·v of the motion of two bodies about each other. */
struct ky_few_two {
    double r2, v2, rv;
};

KY_FN struct ky_few_two ky_few_two_of(const double x[3], const double v[3])
{
    struct ky_few_two two;
    two.r2 = ky_few_square(x[0], x[1], x[2]);
    two.v2 = ky_few_square(v[0], v[1], v[2]);
    two.rv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
    return two;
}

/* Of the bodies at places i < j of the tree. */
KY_FN struct ky_few_two ky_few_two_at(const struct ky_few_system_one *s, int i, int j)
{
    const int k = ky_few_node_of(&s->shape, i, j);
    double x[2][3], v[2][3];
    ky_few_clear(2, x, v);
    for (int n = 0; n < k; n++)
        for (int side = 0; side < 2; side++) {
            const int body = side ? j : i;
            if (body >= s->shape.node[n].begin && body < s->shape.node[n].end)
                ky_few_leave_side(s, n, body, x[side], v[side]);
        }
    for (int c = 0; c < 3; c++) {
        x[0][c] = s->x[k][c][0] + (x[1][c] - x[0][c]);
        v[0][c] = s->v[k][c][0] + (v[1][c] - v[0][c]);
    }
    return ky_few_two_of(x[0], v[0]);
}

/* ---- within a step ---- */

/* Bodies at places i < j of the tree of `before`, in the step of length h from there. */
struct ky_few_search {
    const struct ky_few *before;
    int i, j;
    double reach2; /* the square of the sum of their radii */
    double h;
};

/* Both bodies after the part h of the step. *then is the system. */
KY_FEW_SELDOM struct ky_few_two ky_few_look(const struct ky_few_search *search, double h,
                                            struct ky_few_system_one *then)
{
    *then = search->before->system;
    ky_few_stages(then, h);
    return ky_few_two_at(then, search->i, search->j);
}

/* -1 backwards in time. */
KY_FN double ky_few_sign(const struct ky_few *few)
{
    return few->settings.backwards ? -1 : 1;
}

/* Above 0 where both bodies overlap (`by_distance`), or recede from each other. */
KY_FN double ky_few_sought(const struct ky_few_search *search, const struct ky_few_two *two,
                           int by_distance)
{
    return by_distance ? search->reach2 - two->r2 : ky_few_sign(search->before) * two->rv;
}

/* The part of the step, up to search->h, after which both bodies overlap (`by_distance`) or recede,
 * to `width` of the step: by the regula falsi in which an end that stays counts half (Illinois
 * method), with looks that are half of `width` from both ends at least. Where that is slow, as for
 * bodies that touch without approaching, bisection follows. A search for the nearest point ends at
 * the first place where the bodies overlap. */
KY_FEW_SELDOM double ky_few_part_until(const struct ky_few_search *search, int by_distance,
                                       double width)
{
    enum { FALSI = 20, MOST = 80 }; /* looks */
    struct ky_few_system_one then;
    struct ky_few_two two = ky_few_two_at(&search->before->system, search->i, search->j);
    const double least = 0.5 * width * search->h;
    double low = 0, high = search->h, below = ky_few_sought(search, &two, by_distance);
    int was_high = -1;
    two = ky_few_look(search, high, &then);
    double above = ky_few_sought(search, &two, by_distance);
    for (int k = 0; k < MOST && fabs(high - low) > width * fabs(search->h); k++) {
        double middle =
            k < FALSI ? high - above * (high - low) / (above - below) : 0.5 * (low + high);
        if (fabs(high - middle) < fabs(least))
            middle = high - least;
        if (fabs(middle - low) < fabs(least))
            middle = low + least;
        two = ky_few_look(search, middle, &then);
        const double value = ky_few_sought(search, &two, by_distance);
        const int is_high = value > 0;
        if (is_high) {
            high = middle;
            above = value;
            below *= was_high == 1 ? 0.5 : 1;
        } else {
            low = middle;
            below = value;
            above *= was_high == 0 ? 0.5 : 1;
        }
        was_high = is_high;
        if (!by_distance && two.r2 < search->reach2)
            return middle;
    }
    return high;
}

/* 1 if bodies that approach each other at the beginning of the step and recede at its end overlap
 * in between; search->h becomes a part of the step at whose end they do. An error of the nearest
 * point changes the distance there only by its square. */
KY_FN int ky_few_overlap_within(struct ky_few_search *search)
{
    struct ky_few_system_one then;
    search->h = ky_few_part_until(search, 0, 1e-9);
    return ky_few_look(search, search->h, &then).r2 < search->reach2;
}

/* ---- all steps ---- */

/* The sum of the radii of the two bodies of a pair. */
KY_FN double ky_few_reach_of(const struct ky_few *few, const struct ky_few_pair *pair)
{
    return ky_few_radius_of(&few->settings, few->order[pair->i]) +
           ky_few_radius_of(&few->settings, few->order[pair->j]);
}

/* 1 if two bodies may have touched in the last step; `now` is their state after it. They overlap,
 * or they recede and the pericentre of their present orbit is near enough. Other bodies change the
 * path of the two in a step by about angle²/2 of the distance between the two, since a step covers
 * at most this angle of each orbit. Twice as much is allowed. */
KY_FN int ky_few_may_touch(const struct ky_few *few, const struct ky_few_two *now,
                           const struct ky_few_pair *pair)
{
    const double r = sqrt(now->r2), angle = few->settings.angle, reach = ky_few_reach_of(few, pair),
                 gm = few->system.mass[pair->i][0] + few->system.mass[pair->j][0];
    if (now->r2 < reach * reach)
        return 1;
    if (!(ky_few_sign(few) * now->rv > 0))
        return 0;
    /* not a number for bodies without mass */
    return !(ky_few_orbit(gm, r, now->v2, now->rv).pericentre > reach + angle * angle * r);
}

KY_FN int ky_few_place_of(const struct ky_few *few, int body)
{
    int place = 0;
    while (few->order[place] != body)
        place++;
    return place;
}

/* 1 if two bodies that may have touched do so in the step to `after`, and were apart before it.
 * Then they overlap after the part search->h of it. `body`: their numbers. */
KY_FEW_SELDOM int ky_few_do_touch(struct ky_few_search *search, const struct ky_few *after,
                                  const struct ky_few_two *now, const int body[2])
{
    const struct ky_few *before = search->before;
    const int one = ky_few_place_of(before, body[0]), other = ky_few_place_of(before, body[1]);
    search->i = one < other ? one : other;
    search->j = one < other ? other : one;
    search->h = after->last;
    const struct ky_few_two first = ky_few_two_at(&before->system, search->i, search->j);
    if (first.r2 < search->reach2)
        return 0;
    return now->r2 < search->reach2 ||
           (ky_few_sign(before) * first.rv < 0 && ky_few_overlap_within(search));
}

/* The same for a pair of the tree of `after`, which may be any, in the step from `before`. */
KY_FN int ky_few_touch(const struct ky_few *before, const struct ky_few *after,
                       const struct ky_few_pair *pair, struct ky_few_search *search)
{
    const struct ky_few_two now = ky_few_two_of(pair->x, pair->v);
    const int body[2] = {after->order[pair->i], after->order[pair->j]};
    const double reach = ky_few_reach_of(after, pair);
    search->before = before;
    search->reach2 = reach * reach;
    return ky_few_may_touch(after, &now, pair) && ky_few_do_touch(search, after, &now, body);
}

/* 1 if any two bodies touch in the step from `before` to `after`. */
KY_FN int ky_few_any_touch(const struct ky_few *before, const struct ky_few *after)
{
    struct ky_few_walk walk;
    struct ky_few_search search;
    KY_FEW_EACH_PAIR(&after->system, &walk)
    if (ky_few_touch(before, after, &walk.pair, &search))
        return 1;
    return 0;
}

#endif
