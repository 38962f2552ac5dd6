/* Contacts: bodies that come nearer to each other than the sum of their radii. A step of an
 * eccentric orbit may begin and end outside and pass the pericentre in between. */
#include <math.h>
#include <stddef.h>

#include "few/few.h"

/* r² and r·v of all pairs of a system, by the numbers of the bodies. */
struct pairs {
    const int *order;
    double r2[KY_FEW_MOST][KY_FEW_MOST], rv[KY_FEW_MOST][KY_FEW_MOST];
};

static void note(void *context, const struct ky_few_pair *pair)
{
    struct pairs *pairs = context;
    const int one = pairs->order[pair->i], other = pairs->order[pair->j],
              a = one < other ? one : other, b = one < other ? other : one;
    const double *x = pair->x, *v = pair->v;
    pairs->r2[a][b] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    pairs->rv[a][b] = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
}

static void find_pairs(const struct ky_few *few, struct pairs *pairs)
{
    pairs->order = few->order;
    ky_few_visit_pairs(&few->system, note, pairs);
}

/* Bodies a < b in a step of length h, and the square of the sum of their radii. */
struct search {
    const struct ky_few *before;
    double h, reach2;
    int a, b;
};

/* The system after the part h of the step. */
static void look_at(const struct search *search, double h, struct ky_few *then, struct pairs *pairs)
{
    *then = *search->before;
    ky_few_stages(&then->system, h);
    find_pairs(then, pairs);
}

/* The first part of the step, up to `high`, after which both bodies touch (`by_distance`) or recede
 * from each other, by bisection. */
static double bisect(const struct search *search, double high, int by_distance)
{
    const double sign = search->before->settings.backwards ? -1 : 1;
    struct pairs now;
    struct ky_few then;
    double low = 0;
    for (int k = 0; k < 54; k++) {
        const double middle = 0.5 * (low + high);
        look_at(search, middle, &then, &now);
        if (by_distance ? now.r2[search->a][search->b] < search->reach2
                        : sign * now.rv[search->a][search->b] > 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Sets *contact if both bodies touch in the step before the contact that is there. */
static void find_first(const struct search *search, int ends_inside, struct ky_few_contact *contact)
{
    const int a = search->a, b = search->b;
    const double sign = search->before->settings.backwards ? -1 : 1;
    struct ky_few then;
    struct pairs now;
    const double until = ends_inside ? search->h : bisect(search, search->h, 0);
    look_at(search, until, &then, &now);
    if (!(now.r2[a][b] < search->reach2))
        return;
    look_at(search, bisect(search, until, 1), &then, &now);
    const double time = then.system.t[0] - then.system.low[0];
    if (contact->body[0] >= 0 && sign * (time - contact->time) >= 0)
        return;
    *contact =
        (struct ky_few_contact){.body = {a, b}, .time = time, .distance = sqrt(now.r2[a][b])};
}

void ky_few_find_contact(const struct ky_few *before, const struct ky_few *after,
                         struct ky_few_contact *contact)
{
    struct pairs first, last;
    const struct ky_few_settings *settings = &before->settings;
    const double sign = settings->backwards ? -1 : 1;
    struct search search = {.before = before, .h = after->last};
    contact->body[0] = -1;
    find_pairs(before, &first);
    find_pairs(after, &last);
    for (int a = 0; a < before->system.shape.n; a++)
        for (int b = a + 1; b < before->system.shape.n; b++) {
            const double reach = settings->radii == 1 ? 2 * settings->radius[0]
                                                      : settings->radius[a] + settings->radius[b];
            search.a = a;
            search.b = b;
            search.reach2 = reach * reach;
            const int inside = last.r2[a][b] < search.reach2,
                      passes = sign * first.rv[a][b] < 0 && sign * last.rv[a][b] > 0;
            if (!(first.r2[a][b] < search.reach2) && (inside || passes))
                find_first(&search, inside, contact);
        }
}
