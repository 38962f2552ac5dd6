/* Bodies that a run follows: their positions are columns of energy.csv. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "simulation/run.h"

/* Reads one id of the list, and sets *text to the rest. 0 if there is none. */
static int next_id(const char **text, uint64_t *id)
{
    char *end;
    *id = ky_number_count(*text, &end);
    if (end == *text || (*end && *end != ',') || (*end == ',' && !end[1]))
        return 0;
    *text = end + (*end == ',');
    return 1;
}

static int is_followed(const struct ky_followed *followed, uint64_t id)
{
    for (size_t k = 0; k < followed->count; k++)
        if (followed->id[k] == id)
            return 1;
    return 0;
}

enum ky_status ky_run_follow(const char *text, struct ky_followed *followed, struct ky_error *error)
{
    const char *rest = text;
    followed->count = 0;
    while (rest && (*rest || !followed->count)) { /* "" is not a list */
        uint64_t id;
        if (followed->count == KY_FOLLOW_MOST)
            return ky_fail(error, KY_USAGE, "--follow: at most %d bodies", KY_FOLLOW_MOST);
        if (!next_id(&rest, &id))
            return ky_fail(error, KY_USAGE, "--follow: '%s' is not a list of ids such as 0,17",
                           text);
        if (is_followed(followed, id))
            return ky_fail(error, KY_USAGE, "--follow: the id %llu is given twice",
                           (unsigned long long)id);
        followed->id[followed->count++] = id;
    }
    return KY_OK;
}

void ky_run_find_followed(struct ky_followed *followed, const struct ky_bodies *bodies)
{
    for (size_t k = 0; k < followed->count; k++)
        for (int c = 0; c < 3; c++)
            followed->place[k][c] = (double)NAN;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t k = 0; k < followed->count; k++)
            if ((bodies->id ? bodies->id[i] : i) == followed->id[k])
                memcpy(followed->place[k], bodies->position[i], sizeof followed->place[k]);
}

enum ky_status ky_run_check_followed(struct ky_followed *followed, const struct ky_bodies *bodies,
                                     struct ky_error *error)
{
    ky_run_find_followed(followed, bodies);
    for (size_t k = 0; k < followed->count; k++)
        if (isnan(followed->place[k][0]))
            return ky_fail(error, KY_USAGE, "--follow: no body has the id %llu",
                           (unsigned long long)followed->id[k]);
    return KY_OK;
}

const char *ky_run_follow_text(const struct ky_followed *followed, char text[KY_FOLLOW_TEXT])
{
    size_t length = 0;
    for (size_t k = 0; k < followed->count; k++)
        length += (size_t)ky_format(text + length, KY_FOLLOW_TEXT - length, "%s%llu", k ? "," : "",
                                    (unsigned long long)followed->id[k]);
    return length ? text : NULL;
}
