/* The first contact in a step. */
#include <math.h>

#include "few/few.h"

#include "few/contact.h"

/* The moment at which two bodies that overlap after the part search->h of the step touch; *contact
 * is the earlier one. */
static void note(const struct ky_few_search *search, int body, int other,
                 struct ky_few_contact *contact)
{
    struct ky_few_system_one then;
    const struct ky_few_two two = ky_few_look(search, ky_few_part_until(search, 1, 1e-15), &then);
    const double time = then.t[0] - then.low[0];
    if (contact->body[0] >= 0 && ky_few_sign(search->before) * (time - contact->time) >= 0)
        return;
    contact->body[0] = body < other ? body : other;
    contact->body[1] = body < other ? other : body;
    contact->time = time;
    contact->distance = sqrt(two.r2);
}

void ky_few_find_contact(const struct ky_few *before, const struct ky_few *after,
                         struct ky_few_contact *contact)
{
    struct ky_few_walk walk;
    struct ky_few_search search;
    contact->body[0] = -1;
    KY_FEW_EACH_PAIR(&after->system, &walk)
    if (ky_few_touch(before, after, &walk.pair, &search))
        note(&search, after->order[walk.pair.i], after->order[walk.pair.j], contact);
}
