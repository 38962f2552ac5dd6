/* The kernels of block steps, for block.k and comoving.k: they define KY_EXPANDS, 1 for comoving
 * boxes; KY_STEP_NAME, the names of the kernels; and KY_FACTORS_TAKEN, the argument `factors`, or
 * nothing where KY_FACTORS is 0. */

/* Predicts the positions of the first `bodies` bodies to a tick; columns of n. In a periodic box
 * (in_box: KY_IN_BOX, KY_SETTLES, KY_STAYS) KY_SETTLES moves bodies by whole boxes, so that they
 * are predicted to be in it; with KY_STAYS only the predicted positions are moved. While a tree is
 * kept no body is moved, since a move would extend the cells across the box: then
 * tally[KY_TALLY_STRAYS] becomes 1 if a body is farther outside than KY_STRAYS of the side. */
KY_KERNEL(256)
KY_STEP_NAME(predict)
(KY_GLOBAL ky_state *position, KY_GLOBAL const ky_state *velocity,
 KY_GLOBAL const ky_state *acceleration, KY_GLOBAL const ky_state *step, KY_GLOBAL ky_state *at,
 KY_GLOBAL ky_uint *tally, ky_uint n, ky_uint bodies, ky_ulong tick, ky_uint in_box, ky_state box,
 KY_NUMBERS struct ky_clock clock KY_FACTORS_TAKEN)
{
    ky_ulong i = (ky_ulong)KY_GROUP * 256 + KY_LANE;
    if (i >= bodies)
        return;
    const int level = ky_clock_level(clock, step[i]);
    ky_ulong own = clock.stride >> level, since = tick & (own - 1);
    const struct ky_block_factors made =
        ky_block_factors_of(clock, KY_FACTORS, level, since ? since : own);
    for (int c = 0; c < 3; c++, i += n) {
        ky_state a = acceleration[i];
        ky_state v = ky_state_add(velocity[i], ky_state_product(a, made.kick));
        const ky_state from = (in_box & KY_SETTLES) ? ky_state_wrap(position[i], box) : position[i];
        ky_state to = ky_state_add(from, ky_state_product(v, made.drift));
        if (in_box & KY_SETTLES) {
            const ky_state inside = ky_state_wrap(to, box);
            if (!(in_box & KY_STAYS))
                position[i] = ky_state_add(from, ky_state_minus(inside, to));
            to = inside;
        } else if (in_box) {
            const float part = ky_state_high(to) / ky_state_high(box);
            if (part < -KY_STRAYS || part > 1.0f + KY_STRAYS)
                KY_ATOMIC_MAX(&tally[KY_TALLY_STRAYS], 1U);
        }
        at[i] = to;
    }
}

/* counts[team]: the number of the team's bodies with steps of level `due` or deeper. */
KY_TEAM_KERNEL
KY_STEP_NAME(count)
(KY_GLOBAL const ky_state *step, KY_GLOBAL ky_uint *counts, ky_uint bodies, ky_uint due,
 KY_NUMBERS struct ky_clock clock)
{
    KY_TEAM_SPACE(space);
    ky_ulong i = (ky_ulong)KY_TEAM_ID * KY_TEAM + KY_TEAM_LANE;
    ky_uint count;
    if (i - KY_TEAM_LANE >= bodies)
        return;
    ky_team_rank(ky_team_of(space), i < bodies && ky_clock_level(clock, step[i]) >= (int)due,
                 &count);
    if (KY_TEAM_LANE == 0)
        counts[KY_TEAM_ID] = count;
}

/* Writes the bodies whose steps end to the list, and gives them half a kick. Until their steps are
 * closed, the column of positions stores their accelerations. `before` is the scan of the
 * counts. */
KY_TEAM_KERNEL
KY_STEP_NAME(open)
(KY_GLOBAL const ky_state *step, KY_GLOBAL const ky_uint *before, KY_GLOBAL ky_uint *list,
 KY_GLOBAL ky_state *position, KY_GLOBAL ky_state *velocity, KY_GLOBAL const ky_state *acceleration,
 ky_uint n, ky_uint bodies, ky_uint due, KY_NUMBERS struct ky_clock clock KY_FACTORS_TAKEN)
{
    KY_TEAM_SPACE(space);
    ky_ulong i = (ky_ulong)KY_TEAM_ID * KY_TEAM + KY_TEAM_LANE;
    ky_uint count;
    if (i - KY_TEAM_LANE >= bodies)
        return;
    int level = i < bodies ? ky_clock_level(clock, step[i]) : -1, ends = level >= (int)due;
    ky_uint rank = ky_team_rank(ky_team_of(space), ends, &count);
    if (!ends)
        return;
    list[before[KY_TEAM_ID] + rank] = (ky_uint)i;
    ky_state kick = ky_block_factors_of(clock, KY_FACTORS, level, clock.stride >> level).kick;
    for (int c = 0; c < 3; c++, i += n) {
        ky_state a = acceleration[i];
        velocity[i] = ky_state_add(velocity[i], ky_state_product(a, kick));
        position[i] = a;
    }
}

/* Chooses steps that are not valid, which may be changed only at an `even` tick; counts the bodies
 * by level. In a comoving box the last step is kept as far as possible. */
KY_KERNEL(256)
KY_STEP_NAME(begin)
(KY_GLOBAL ky_state *step, KY_GLOBAL const ky_state *acceleration,
 KY_GLOBAL const ky_state *softening, KY_GLOBAL ky_uint *tally, ky_uint n, ky_uint bodies,
 ky_uint own_eps, KY_REAL limit, ky_uint even, KY_NUMBERS struct ky_clock clock)
{
    KY_LOCAL ky_uint part[KY_TALLY_WORDS];
    ky_ulong i = (ky_ulong)KY_GROUP * 256 + KY_LANE;
    ky_block_clear(part);
    if (i < bodies) {
        int level = ky_clock_level(clock, step[i]);
        if (level > clock.deepest) {
            KY_REAL eps = own_eps ? ky_real_of_state(softening[i]) : (KY_REAL)1;
            level = ky_block_wanted(acceleration, n, i, limit * eps, clock.deepest);
            level = level < clock.deepest ? level : clock.deepest;
#if KY_EXPANDS
            const ky_state part_of_longest = ky_state_quotient(step[i], clock.longest);
            const int last = ky_step_nearest(ky_real_of_state(part_of_longest), clock.deepest);
            level = last > level ? last : level;
#endif
            step[i] = ky_clock_step(clock, level);
            if (!even)
                KY_ATOMIC_ADD(&part[KY_TALLY_MISSING], 1U);
        }
        KY_ATOMIC_ADD(&part[level], 1U);
    }
    ky_block_tell(part, tally);
}

/* Does the second half of the kick of the listed bodies, and chooses their next steps at this tick.
 * Positions are restored from `at`; in their place were the accelerations from before. `eps` is the
 * softening of bodies without their own. If bodies' own softenings are the lengths of the
 * criterion, the limit is for the unit of length. At the end of a longest step in a comoving box a
 * step may become longer than it, since the next longest step may be longer. */
KY_KERNEL(256)
KY_STEP_NAME(close)
(KY_GLOBAL const ky_uint *list, KY_GLOBAL const ky_state *at, KY_GLOBAL ky_state *position,
 KY_GLOBAL ky_state *velocity, KY_GLOBAL const ky_state *acceleration,
 KY_GLOBAL const ky_state *softening, KY_GLOBAL ky_state *step, KY_GLOBAL ky_uint *tally,
 ky_uint count, ky_uint n, ky_uint own_eps, ky_uint own_lengths, KY_REAL limit, KY_REAL eps,
 KY_REAL eta, ky_ulong tick, KY_NUMBERS struct ky_clock clock KY_FACTORS_TAKEN)
{
    KY_LOCAL ky_uint part[KY_TALLY_WORDS];
    ky_ulong k = (ky_ulong)KY_GROUP * 256 + KY_LANE;
    ky_block_clear(part);
    if (k < count) {
        ky_ulong i = list[k];
        int level = ky_clock_level(clock, step[i]);
        const struct ky_block_factors made =
            ky_block_factors_of(clock, KY_FACTORS, level, clock.stride >> level);
        KY_REAL way[3], change[3];
        eps = own_eps ? ky_real_of_state(softening[i]) : eps;
        limit *= own_lengths ? eps : (KY_REAL)1;
        for (ky_ulong c = 0, from = i; c < 3; c++, from += n) {
            ky_state a = acceleration[from], v = velocity[from];
            way[c] = ky_real_of_state(ky_state_product(v, made.drift));
            change[c] = ky_real_of_state(ky_state_add(a, ky_state_negative(position[from])));
            velocity[from] = ky_state_add(v, ky_state_product(a, made.last_kick));
            position[from] = at[from];
        }
        KY_REAL swing = ky_step_swing(ky_block_size(change[0], change[1], change[2]),
                                      ky_block_size(way[0], way[1], way[2]), eps, eta);
        int next = ky_block_wanted(acceleration, n, i, limit, clock.deepest);
        if (next > clock.deepest) {
            KY_ATOMIC_ADD(&part[KY_TALLY_CUT], 1U);
            next = clock.deepest;
        }
        next = ky_step_next(next, ky_step_level(swing, limit, clock.deepest), level,
                            level > 0 && (tick & ((clock.stride >> (level - 1)) - 1)) == 0);
        if (next != level) {
            step[i] = ky_clock_step(clock, next);
            KY_ATOMIC_ADD(&part[level], 0xffffffffU);
            KY_ATOMIC_ADD(&part[next], 1U);
        }
#if KY_EXPANDS
        if (next == 0 && (tick & (clock.stride - 1)) == 0) {
            const KY_REAL a = ky_block_acceleration(acceleration, n, i);
            const int doublings = ky_step_doublings(swing > a ? swing : a, limit);
            step[i] =
                ky_state_product(clock.longest, ky_state_from((float)((ky_ulong)1 << doublings)));
        }
#endif
    }
    ky_block_tell(part, tally);
}

#undef KY_EXPANDS
#undef KY_STEP_NAME
#undef KY_FACTORS_TAKEN
#undef KY_FACTORS
