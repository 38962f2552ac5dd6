/* Options in JSON: read from a file, and written as numbers, texts and flags. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/options.h"

struct reading {
    const struct ky_option_names *names;
    const char *member_name, *member;
    int options;          /* how many were read */
    unsigned char *taken; /* for each option of each set */
};

/* Sets the option that a member of "options" names, and keeps the member that the caller asks for.
 */
static enum ky_status take(void *context, const struct ky_json_told *told, struct ky_error *error)
{
    const char *name = told->name, *text = told->text, *where = told->where;
    struct reading *r = context;
    const struct ky_option_set *owner = NULL;
    if (!*told->object && r->member_name && !strcmp(name, r->member_name))
        r->member = text;
    if (strcmp(told->object, "options") != 0)
        return KY_OK;
    const struct ky_option *option = ky_options_find(r->names->sets, r->names->count, name, &owner);
    if (!option && !strcmp(name, "unroll") && !strcmp(text, "tuned"))
        return KY_OK; /* gone since version 0.3; runs before it have written this value */
    if (!option) {
        char guess[KY_OPTION_GUESS];
        ky_options_guess(r->names, "", name, guess);
        return ky_fail(error, KY_USAGE, "%s: is not an option of this command%s", where, guess);
    }
    unsigned char *taken = &r->taken[ky_options_index(r->names->sets, owner, option)];
    if (*taken)
        return ky_fail(error, KY_USAGE, "%s: is given twice; give it once", where);
    *taken = 1;
    enum ky_status status = ky_option_take(owner, option, text, where, error);
    if (!status)
        ky_option_mark_given(owner, option);
    r->options++;
    return status;
}

enum ky_status ky_options_json(const struct ky_option_names *names, FILE *file, const char *name,
                               struct ky_option_storage **storage, const char *member_name,
                               const char **member, struct ky_error *error)
{
    const size_t total = ky_options_total(names->sets, names->count);
    char *text = NULL;
    struct reading r = {.names = names, .member_name = member_name};
    enum ky_status status = ky_options_read_file(file, name, storage, &text, error);
    if (status)
        return status;
    r.taken = ky_allocate_zeroed(total, 1);
    if (!r.taken)
        status = ky_no_memory(error, "parameter file", total, 1);
    if (!status)
        status = ky_json_read(text, name, take, &r, error);
    if (!status && !r.options)
        status = ky_fail(error, KY_USAGE,
                         "%s: has no object \"options\" with options in it, unlike run.json", name);
    if (member)
        *member = r.member;
    free(r.taken);
    return status;
}

void ky_json_option(struct ky_json *json, const struct ky_option *option, const void *values)
{
    const void *place = (const char *)values + option->offset;
    const char *text = NULL;
    char word[256];
    switch (ky_option_is_set(option, values) ? option->type : KY_OPTION_TEXT) {
    case KY_OPTION_FLAG:
        ky_json_flag(json, option->name, *(const int *)place);
        break;
    case KY_OPTION_INTEGER:
        ky_json_integer(json, option->name, *(const int *)place);
        break;
    case KY_OPTION_COUNT:
        ky_json_count(json, option->name, *(const uint64_t *)place);
        break;
    case KY_OPTION_REAL:
        ky_json_real(json, option->name, *(const double *)place);
        break;
    case KY_OPTION_CHOICE:
        ky_option_text(option, values, word, sizeof word);
        ky_json_text(json, option->name, word);
        break;
    default: /* a text, or null if it is not set */
        if (option->type == KY_OPTION_TEXT)
            memcpy(&text, place, sizeof text);
        ky_json_text(json, option->name, text);
    }
}
