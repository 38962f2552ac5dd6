/* Close systems in the Hermite scheme. A group of bodies is one body for the scheme, its centre of
 * mass, in the slot of its first member; the other members are hidden. Its inside is advanced by
 * src/few at the beginning of each step of the centre, up to the end of this step, with the pulls
 * of the bodies around it. group_table.c has the table, group_lists.c finds neighbours,
 * group_motion.c moves, groups.c changes between centres and members, group_criteria.c tells when
 * groups form and end, group_changes.c makes groups and ends them, group_energy.c keeps the book of
 * energies, group_contacts.c notes members that touch.
 *
 * Groups exist only within a call of `advance`. Between calls the engine has the members, and the
 * table, which the column KY_COLUMN_GROUP repeats for restart files, has the centres. */
#ifndef KY_CPU_GROUPS_H
#define KY_CPU_GROUPS_H

#include <math.h>

#include "engine/cpu/steps/hermite.h"
#include "engine/cpu/steps/levels.h"
#include "few/binary.h"
#include "few/few.h"

enum { KY_GROUP_MOST = 24 /* members */ };
/* Bodies farther apart than this many radii of groups do not become one group. */
enum { KY_GROUP_REACH = 2 };
/* Pairs that are found in a block; others are found in a later one. */
enum { KY_GROUPS_FOUND = 64 };

/* A force on a body over its mass, and its rate of change. */
struct ky_cpu_pull {
    double a[3], j[3];
};

struct ky_cpu_group {
    int n;
    uint32_t member[KY_GROUP_MOST]; /* the first is the slot of the centre of mass */
    double mass[KY_GROUP_MOST];     /* of the members, in the engine's unit */
    double gm;                      /* G × all of it, in the caller's units */
    /* The inside at the time t: two bodies, or more (few is not NULL). */
    double t;
    struct ky_few_binary pair;
    struct ky_few *few;
    double centre[12]; /* x v a j of the centre while the engine has the members */
    double shown;      /* the time of the members that the engine has */
    int counts;        /* 1: the work of others within it is booked (group_energy.c) */
    /* Booked, and not yet added to the table. */
    double handover_work, slow_work;
    struct ky_pairs passages; /* members that touched, not yet added to the table either */
    /* Of the present step, and to be found again at each beginning. */
    double kappa;          /* slow-down of a pair */
    double size, period;   /* [length], and [time] of its outermost orbit */
    double strength;       /* of the pulls by others, relative to its own */
    double strongest;      /* of the pull of one body, or of external fields */
    double field;          /* of the tides of external fields; 0 where they are left out */
    double least;          /* weaker pulls are left out */
    int level;             /* of the step that begins */
    int quickest;          /* level of the shortest step of single bodies that pull it strongly */
    int is_new;            /* 1: it was made at this tick */
    int is_stable;         /* 1: its members stay near each other */
    struct ky_error error; /* of the beginning of this step */
    /* Bodies that may pull it until the tick `listed_until`, counted as in struct ky_advance with
     * `before`. */
    uint32_t *list;
    size_t listed, room;
    uint32_t *pulls, *near;   /* [listed] bodies that pull it now; near ones among these */
    struct ky_cpu_pull *pull; /* [nears] of each near body on the members, less its pull on the
                                 centre */
    size_t pulling, nears;
    uint64_t listed_until;
    /* The square of a body's reach is m^(2/3) times this: for the list, and now. Between them the
     * square of the time for which the list lasts. */
    double reach2[3];
};

/* A body in the order of x. */
struct ky_cpu_along {
    double x, y, z;
    uint32_t body;
    int is_heavy;
};
/* 1 if it is not farther from x than `far` in each direction. */
static inline int ky_cpu_is_beside(const struct ky_cpu_along *one, const double x[3], double far)
{
    return fabs(one->x - x[0]) <= far && fabs(one->y - x[1]) <= far && fabs(one->z - x[2]) <= far;
}

struct ky_cpu_groups {
    size_t count, room;
    struct ky_cpu_group **group; /* by their slots, ascending */
    uint32_t *slot;              /* [n] their slots */
    uint32_t *of;                /* [n] index of the group in this slot, or KY_NO_BODY */
    /* [n] by slot, of the present step: 1 if the pulls of the members on bodies around the group
     * differ from the pull of the centre, and the pulls on the centre too. */
    unsigned char *is_resolved;
    uint32_t *place;    /* [n] place in the list of the block; KY_NO_BODY: not there */
    double *weight;     /* [n] m^(2/3); 0 for hidden bodies */
    uint32_t *fresh;    /* [n] bodies whose forces and steps have to be found */
    uint32_t *starting; /* [n] groups that threads have to treat */
    uint32_t *partner;  /* [n] of the bodies of the list, or KY_NO_BODY */
    int64_t *label;     /* [n] the index of each body, as the lanes want it */
    size_t fresh_count;
    uint32_t found[KY_GROUPS_FOUND][3]; /* bodies that may join at this tick; the third or
                                           KY_NO_BODY */
    size_t found_count;
    int backwards;
    /* At the beginning of a longest step, to make the lists of all groups and to find partners
     * within the step: bodies in the order of x. A body is fast if it was faster than `speed`, in
     * the engine's lengths, at the end of a step since, or a change of groups has put it elsewhere;
     * the line may still have it. Heavy bodies, which pull from far away, are looked at one by one
     * for lists. */
    struct ky_cpu_along *line; /* [n] */
    uint32_t *fast, *heavy;    /* [n] */
    unsigned char *is_fast;    /* [n] 1: among these */
    size_t line_count, fast_count, heavy_count;
    double speed, heaviest; /* heaviest: the largest weight of the others */
    uint64_t line_tick;     /* when they were found; UINT64_MAX: not in this call */
    int is_inside;          /* 1: the engine has the centres */
    int is_packed;          /* 1: the column has groups */
    double radius;          /* [length] */
    double mean_mass;
    double energy;  /* kinetic, of the centres [G × energy] */
    double gm_unit; /* G × the engine's unit of mass */
    /* Bodies with steps up to `close` [time] and accelerations of at least `pulled` may be in a
     * pair. */
    double close, pulled;
    double formed, ended, moves; /* counts */
    /* As in struct ky_advance: one sum over all calls, which has the same bits wherever they end.
     */
    double handover_work, slow_work;
    struct ky_pairs passages; /* of members in this longest step: group_contacts.c */
};

/* Bytes of a body in the table, without the groups. */
enum {
    KY_GROUPS_BYTES =
        8 * sizeof(uint32_t) + 2 + sizeof(double) + sizeof(int64_t) + sizeof(struct ky_cpu_along)
};

/* Where the members of a group are about its centre, and how fast. */
struct ky_cpu_inside {
    double x[KY_GROUP_MOST][3], v[KY_GROUP_MOST][3];
};

static inline double ky_cpu_group_mass(const struct ky_cpu_group *group)
{
    double mass = 0;
    for (int k = 0; k < group->n; k++)
        mass += group->mass[k];
    return mass;
}

/* group_table.c: frees a group, all groups of the table, the table. */
void ky_cpu_group_free(struct ky_cpu_group *group);
void ky_cpu_groups_drop(struct ky_cpu_groups *own);
void ky_cpu_groups_free(struct ky_cpu *cpu);
/* G × a mass in the engine's unit, in the caller's units. */
double ky_cpu_groups_gm(const struct ky_cpu *cpu, double mass);
/* Settings for groups of more than two bodies. */
struct ky_few_settings ky_cpu_groups_settings(const struct ky_cpu_way *b);
/* The order of groups in the table. */
int ky_cpu_groups_by_slot(const void *a, const void *b);
/* The groups' order, and `of`, after the table has changed a little. */
void ky_cpu_groups_sort(struct ky_cpu *cpu);
/* 1 if the table has groups, and the bodies have not been put anew since. */
int ky_cpu_groups_are_packed(const struct ky_cpu *cpu);
/* The inside of a group at a time near its own; `slow` with the velocities of the slowed motion. */
void ky_cpu_group_look(const struct ky_cpu_group *group, double time, int slow,
                       struct ky_cpu_inside *inside);

/* groups.c: makes the table for a call, with the groups of the column unless the table is known,
 * and without groups if the bodies have no levels; then the engine has the centres. KY_FAULT if
 * memory runs out, KY_BAD_DATA for a column that is not possible. leave: the engine has the members
 * again. */
enum ky_status ky_cpu_groups_enter(const struct ky_cpu_way *b, int is_known, int has_levels,
                                   struct ky_error *error);
enum ky_status ky_cpu_groups_leave(const struct ky_cpu_way *b, struct ky_error *error);
/* Accelerations of the members, while the engine has them. */
enum ky_status ky_cpu_groups_catch(struct ky_cpu *cpu, struct ky_error *error);
/* To be called when masses have changed within a call. */
enum ky_status ky_cpu_groups_masses(struct ky_cpu *cpu, struct ky_error *error);
/* Sets the weight of body i: to be called when its mass has changed, or when it joins or leaves a
 * group. */
void ky_cpu_groups_weigh(const struct ky_cpu *cpu, size_t i);

/* group_energy.c: adds the booked energies of the group to the table. */
void ky_cpu_group_add(struct ky_cpu_groups *own, struct ky_cpu_group *group);
/* Begins (`counts` 1) or ends the book of the group at the present tick, at this
 * time, while the engine has the centres. */
void ky_cpu_group_count(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time,
                        int counts);
/* The same for a group that ends, whose slow-down ends too. */
void ky_cpu_group_close(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time);
double ky_cpu_pair_energy(const struct ky_few_binary *pair); /* G × energy */
/* Gives the booked energies to the progress of the call. */
void ky_cpu_groups_report(struct ky_cpu *cpu, struct ky_advance *way);
/* As `leaders` and `grouped` of an engine. */
int ky_cpu_leaders(const struct ky_engine *engine, uint32_t *leader);
void ky_cpu_grouped(const struct ky_engine *engine, int tides, struct ky_close_bodies *grouped);

/* group_motion.c: begins the steps of the groups whose steps begin now: moves their insides to the
 * ends. */
enum ky_status ky_cpu_groups_begin(const struct ky_cpu_way *b, struct ky_error *error);
/* Finds orbits and neighbours of a group, or of all groups, at the present tick. */
enum ky_status ky_cpu_group_prepare(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                    struct ky_error *error);
enum ky_status ky_cpu_groups_prepare(const struct ky_cpu_way *b, struct ky_error *error);
/* The radius within which the two sides of an orbit are and will be for a while; `radius` of
 * groups. */
double ky_cpu_group_size(const struct ky_few_orbit *orbit, double radius);
/* The largest such radius of the orbits of a group: the outermost one of more than two bodies may
 * be at its pericentre while others are wider. */
double ky_cpu_group_extent(const struct ky_cpu_group *group, double radius);
/* group_field.c: how strongly external fields pull a group at x, in the engine's units, apart where
 * they do so most, relative to its own pull; its size and G × mass in the caller's units. */
double ky_cpu_group_field_strength(const struct ky_cpu *cpu, const double x[3], double size,
                                   double gm);
/* Adds the tidal tensors of the fields at the centre at the beginning, in the middle and at the end
 * of its step of length h. */
void ky_cpu_group_field_tides(const struct ky_cpu_way *b, const struct ky_cpu_group *group,
                              double h, double tide[3][6]);
/* The potential energy of the members, less the centre's, in the fields [G × energy]. */
double ky_cpu_group_field_energy(const struct ky_cpu *cpu, const struct ky_cpu_group *group,
                                 const double centre[3], const struct ky_cpu_inside *inside);
/* The square of the distance within which a body of mass m pulls a group of this size and mass
 * apart by at least this part of the group's own pull, over m^(2/3). */
static inline double ky_cpu_group_reach2(double size, double mass, double strength)
{
    const double reach = size * cbrt(2 / (strength * mass));
    return reach * reach;
}
/* Adds the difference between members and centres to the sums of the list of the block, or, with
 * `all`, of all bodies. */
void ky_cpu_groups_correct(const struct ky_cpu_way *b, uint64_t tick, int all);
/* Place and velocity of body i from the centre of the group at the present tick, in the caller's
 * units. */
static inline void ky_cpu_group_apart(const struct ky_cpu *cpu, const struct ky_cpu_group *group,
                                      size_t i, double d[3], double w[3])
{
    double *const *at = cpu->hermite->at;
    const uint32_t slot = group->member[0];
    for (int c = 0; c < 3; c++) {
        d[c] = (at[c][i] - at[c][slot]) * cpu->length;
        w[c] = (at[3 + c][i] - at[3 + c][slot]) * cpu->length;
    }
}

/* The least distance of a body, which is at d and moves with w, during the time h; at least a
 * quarter of the present one. */
static inline double ky_cpu_group_nearest(const double d[3], const double w[3], double h)
{
    const double r = sqrt(ky_few_length2(d)), moved = sqrt(ky_few_length2(w)) * h;
    return moved < 0.75 * r ? r - moved : 0.25 * r;
}

/* 1 if r² < (√a + √b)². */
static inline int ky_cpu_is_within(double r2, double a, double b)
{
    const double rest = r2 - a - b;
    return rest < 0 || rest * rest < 4 * a * b;
}

/* The group whose slot is body i, or NULL. */
static inline struct ky_cpu_group *ky_cpu_group_of(const struct ky_cpu *cpu, size_t i)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    return own->of[i] == KY_NO_BODY ? NULL : own->group[own->of[i]];
}

/* group_lists.c: 1 if body i has to be on the list of the group. */
int ky_cpu_group_lists(const struct ky_cpu *cpu, const struct ky_cpu_group *group, size_t i);
/* Makes room for one more body on its list. */
enum ky_status ky_cpu_group_extend(struct ky_cpu_group *group, struct ky_error *error);
/* Sorts the bodies along x, for lists at this tick. */
void ky_cpu_groups_sort_along(const struct ky_cpu *cpu, uint64_t tick);
/* Makes the list of a group whose reach is known. */
enum ky_status ky_cpu_group_list(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                 struct ky_error *error);
/* Bodies in the order of x, then of their index. */
int ky_cpu_groups_by_x(const void *a, const void *b);
/* The first place in this order with at least this x. */
size_t ky_cpu_groups_from_x(const struct ky_cpu_groups *own, double x);
/* Takes body i for a fast one until the end of the longest step. */
void ky_cpu_groups_take_out(struct ky_cpu_groups *own, uint32_t i);

/* group_criteria.c: how strongly bodies i and j, which may be centres, pull each other (G M/r³) if
 * they have to become a group, else 0: they are near, they are bound and approach or stay near, or
 * will pass each other closely, and no other body pulls them apart. *third: the only body that
 * pulls them apart if it has to join them at once, else KY_NO_BODY. */
double ky_cpu_groups_join(const struct ky_cpu *cpu, size_t i, size_t j, uint32_t *third);
/* 1 if another body, or a field, pulls a group apart that was made at the present tick. */
int ky_cpu_group_is_torn(const struct ky_cpu *cpu, const struct ky_cpu_group *group);
/* 1 if the group has come apart: another body or a field pulls it apart or will do so in the next
 * step, or the two sides of its outermost orbit are far from each other and recede. The inside is
 * then at the time. */
int ky_cpu_group_has_ended(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time);

/* group_contacts.c: as `passages` of an engine. */
struct ky_pairs *ky_cpu_passages(const struct ky_engine *engine);
/* Notes the two members of a pair if they touch in the step of its centre, or overlap at its end.
 * The inside is at the beginning of the step or before, if it is alone, or else at its end. */
enum ky_status ky_cpu_group_note_pair(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                      double time, struct ky_error *error);
/* Adds the notes of a group to the table. */
enum ky_status ky_cpu_group_tell(struct ky_cpu_groups *own, struct ky_cpu_group *group,
                                 struct ky_error *error);
/* As ky_few_go for the inside of a group; notes members that touch. */
enum ky_status ky_cpu_group_go(const struct ky_cpu_way *b, struct ky_cpu_group *group, double time,
                               struct ky_error *error);

/* group_changes.c: makes groups of bodies that are all at one time, before their first steps. */
enum ky_status ky_cpu_groups_first(const struct ky_cpu_way *b, struct ky_error *error);
/* Looks for pairs with a body whose step ends at the tick, and puts partners whose steps do not end
 * on the list of the block. */
void ky_cpu_groups_find(struct ky_cpu_way *b, uint64_t tick, int due);
/* After the steps have ended at the tick: makes the groups that were found and ends groups. */
enum ky_status ky_cpu_groups_change(struct ky_cpu_way *b, uint64_t tick, struct ky_error *error);

#endif
