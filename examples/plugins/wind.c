/* A plug-in for stellar evolution: each star loses the same part of its mass in each Myr, and
 * explodes at a given age, with half of its mass left and a kick along x.
 *
 *     cc -O2 -shared -fPIC wind.c $(pkg-config --cflags kyoho) -o wind.so -lm
 *     kyoho run cluster.csv --units cluster --stellar-evolution ./wind.so:rate=0.01,end=30,kick=50
 * …
 */
#include <kyoho/stellar.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    double rate, end, kick; /* [1/Myr], [Myr], [km/s] */
};

/* The state of a star. Kyoho keeps it in restart files, so that it holds no pointers. */
struct life {
    double initial;
    int is_over;
};

/* Reads the options, "rate=0.01,end=30,kick=50", each of which may be left out. */
static int open(const char *options, void **own, char *why, size_t room)
{
    const char *rest = options;
    struct settings *set = malloc(sizeof *set);
    *set = (struct settings){0, (double)INFINITY, 0};
    while (*rest) {
        int used = 0;
        if (sscanf(rest, "rate=%lf%n", &set->rate, &used) < 1 &&
            sscanf(rest, "end=%lf%n", &set->end, &used) < 1 &&
            sscanf(rest, "kick=%lf%n", &set->kick, &used) < 1)
            break;
        rest += used + (rest[used] == ',');
    }
    *own = set;
    if (!*rest)
        return 0;
    snprintf(why, room, "what is '%s'? There are rate, end and kick", rest);
    free(set);
    return 1;
}

static int advance(void *own, void *state, double age, struct ky_star *now)
{
    const struct settings *set = own;
    struct life *life = state;
    if (life->is_over) {
        now->next = (double)INFINITY;
        return 0;
    }
    now->mass = life->initial * exp(-set->rate * fmin(age, set->end));
    now->radius = now->mass;
    now->type = 1;
    now->next = fmin(age + 0.01 / set->rate, set->end); /* 1 % of the mass later */
    if (age < set->end)
        return 0;
    life->is_over = now->supernova = 1;
    now->mass /= 2;
    now->radius = 1e-5;
    now->type = 13;
    now->kick[0] = set->kick;
    now->next = (double)INFINITY;
    return 0;
}

static int star(void *own, uint64_t id, double mass, void *state, struct ky_star *now)
{
    const struct life life = {mass, 0};
    (void)id;
    memcpy(state, &life, sizeof life);
    now->radius = mass;
    now->type = 1;
    now->next = fmin(0.01 / ((struct settings *)own)->rate, ((struct settings *)own)->end);
    return 0;
}

const struct ky_stellar ky_stellar_plugin = {sizeof(struct ky_stellar),
                                             KY_STELLAR_ABI,
                                             "wind",
                                             sizeof(struct life),
                                             open,
                                             star,
                                             advance,
                                             NULL,
                                             free};
