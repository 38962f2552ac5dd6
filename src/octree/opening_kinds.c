/* The rows of the opening tests. */
#include "octree/opening_kinds.h"

#include <stdio.h>

#define ROW(name, NAME, bits, holds, by_alpha, usual, help) {#name, bits, holds, by_alpha, usual},
static const struct ky_opening_kind kinds[] = {KY_OPENING_KINDS(ROW)};

#define PLACE(name, NAME, ...) PLACE_##NAME,
enum { KY_OPENING_KINDS(PLACE) KINDS };
#define IN_ORDER(name, NAME, ...)                                                                  \
    _Static_assert((int)PLACE_##NAME == (int)KY_##NAME,                                            \
                   "the rows of KY_OPENING_KINDS are in the order of enum ky_opening");
KY_OPENING_KINDS(IN_ORDER)
_Static_assert(sizeof("" KY_OPENING_KINDS(KY_OPENING_WORD)) + 4 * KINDS <= KY_OPENING_NAMES,
               "KY_OPENING_NAMES holds all names with \" or \" between them");

static const struct ky_opening_kind unknown = {.name = "", .usual = 0.7};

const struct ky_opening_kind *ky_opening_kind(int opening)
{
    return opening >= 0 && opening < KINDS ? &kinds[opening] : &unknown;
}

double ky_opening_key(const struct ky_parameters *parameters)
{
    const double theta = parameters->theta;
    return 1 + parameters->opening +
           (ky_opening_kind(parameters->opening)->by_alpha ? 0 : theta / (1 + theta));
}

void ky_opening_names(int by_alpha, char text[KY_OPENING_NAMES])
{
    int left = 0;
    char *end = text;
    for (int k = 0; k < KINDS; k++)
        left += kinds[k].by_alpha == by_alpha;
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].by_alpha == by_alpha) {
            const char *const after = --left > 1 ? ", " : left == 1 ? " or " : "";
            end += snprintf(end, (size_t)(text + KY_OPENING_NAMES - end), "%s%s", kinds[k].name,
                            after);
        }
}
