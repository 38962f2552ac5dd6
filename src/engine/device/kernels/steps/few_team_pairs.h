/* Loops of a team (few_team.h) over all pairs of a system: for energies, trees and contacts. */
#ifndef KY_KERNELS_STEPS_FEW_TEAM_PAIRS_H
#define KY_KERNELS_STEPS_FEW_TEAM_PAIRS_H

#include "engine/device/kernels/steps/few_team.h"

#include "few/contact.h"
#include "few/energy.h"
#include "few/system_columns.h"
#include "few/tree.h"

/* The pair of the body of this lane, on the left side of node k, and body j, on the right side. The
 * places in frames are in the memory of the team. So are velocities, in `own` and `pull`, if they
 * are `wanted`. */
KY_FN struct ky_few_pair ky_few_team_pair_of(const struct ky_few_system_one *s, ky_uint k,
                                             ky_uint j, int wanted)
{
    const ky_few_team team = s->team;
    const ky_uint p = KY_LANE, left = team->row[k] + p - team->begin[k],
                  right = team->row[k] + j - team->begin[k];
    struct ky_few_pair pair;
    pair.k = (int)k;
    pair.i = (int)p;
    pair.j = (int)j;
    for (int c = 0; c < 3; c++) {
        pair.x[c] = team->x[k][c] + (team->place[right][c] - team->place[left][c]);
        pair.v[c] = wanted ? team->own[k][c] + (team->pull[right][c] - team->pull[left][c]) : 0;
    }
    return pair;
}

/* The heads of two loops over the pairs that have the body of this lane on the left. */
#define KY_FEW_EACH_OF_LANE(team, first, k, j)                                                     \
    for (ky_uint k = first; k != KY_FEW_NO_NODE; k = (team)->parent[k])                            \
        for (ky_uint j = (team)->middle[k]; KY_LANE < (team)->middle[k] && j < (team)->end[k]; j++)

KY_FN void ky_few_team_sum_pairs(struct ky_few_state *state, const struct ky_few_system_one *s)
{
    const ky_few_team team = s->team;
    const ky_uint p = KY_LANE, first = ky_few_show_team(s);
    struct ky_few_sums sums;
    ky_few_place_in_frames(team, first, (KY_LOCAL_POINTER const double(*)[3])team->x, team->place);
    KY_BARRIER();
    ky_few_clear_sums(&sums);
    KY_FEW_EACH_OF_LANE(team, first, k, j)
    {
        const struct ky_few_pair pair = ky_few_team_pair_of(s, k, j, 0);
        ky_few_add_potential(&sums, state, s, &pair);
    }
    team->own[p][0] = sums.u;
    team->own[p][1] = sums.clock;
    team->own[p][2] = sums.closest;
    team->part[p] = sums.others;
    team->mass[p] = sums.is_old;
    KY_BARRIER();
    for (int i = 0; i < s->shape.n - 1; i++) {
        sums.u = team->own[i][0];
        sums.clock = team->own[i][1];
        sums.closest = team->own[i][2];
        sums.others = team->part[i];
        sums.is_old = team->mass[i] > 0;
        ky_few_add_sums(state, &sums);
    }
}

KY_FN void ky_few_team_strongest(const struct ky_few_grouping *all, int best[2])
{
    const ky_few_team team = all->team;
    const int p = (int)KY_LANE;
    double most = -1;
    best[0] = 0;
    best[1] = 1;
    if (p < all->count)
        ky_few_stronger_with(all, p, &most, best);
    KY_BARRIER();
    team->part[p] = most;
    team->row[p] = (ky_uint)best[1];
    KY_BARRIER();
    most = -1;
    for (int i = 0; i < all->count; i++)
        if (team->part[i] > most) {
            most = team->part[i];
            best[0] = i;
            best[1] = (int)team->row[i];
        }
}

/* 1 if any two bodies may have touched in the last step (ky_few_may_touch). */
KY_FN int ky_few_team_may_touch(const struct ky_few *few)
{
    const struct ky_few_system_one *s = &few->system;
    const ky_few_team team = s->team;
    const ky_uint first = ky_few_show_team(s);
    int may = 0;
    if ((int)KY_LANE < s->shape.n - 1)
        for (int c = 0; c < 3; c++)
            team->own[KY_LANE][c] = s->v[KY_LANE][c][0];
    if (KY_LANE == 0)
        team->power = 0;
    KY_BARRIER();
    ky_few_place_in_frames(team, first, (KY_LOCAL_POINTER const double(*)[3])team->x, team->place);
    ky_few_place_in_frames(team, first, (KY_LOCAL_POINTER const double(*)[3])team->own, team->pull);
    KY_BARRIER();
    KY_FEW_EACH_OF_LANE(team, first, k, j)
    {
        const struct ky_few_pair pair = ky_few_team_pair_of(s, k, j, 1);
        const struct ky_few_two now = ky_few_two_of(pair.x, pair.v);
        may |= ky_few_may_touch(few, &now, &pair);
    }
    if (may)
        team->power = 1;
    KY_BARRIER();
    return team->power > 0;
}

/* Sets *start to the system before the step, which the team stored in the columns. No lane may
 * store the next one before all have read it. */
KY_FN void ky_few_team_recall(struct ky_few *start, const struct ky_few *few,
                              KY_GLOBAL const double *column, ky_ulong count, ky_ulong i)
{
    *start = *few;
    ky_team_sync_global();
    ky_few_load(start, few->system.shape.n, column, count, i);
    ky_team_sync_global();
}

#endif
