/* INI text into options, by inih. Without inih at build time a parameter file is refused with the
 * reason. */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Values outlive the parser: a list of copies. */
struct ky_option_storage {
    struct ky_option_storage *next;
    const struct ky_option *option;
    char text[];
};

void ky_options_storage_free(struct ky_option_storage *storage)
{
    while (storage) {
        struct ky_option_storage *next = storage->next;
        free(storage);
        storage = next;
    }
}

#ifdef KY_HAVE_INIH
#include <ini.h>

struct reading {
    const struct ky_option_set *sets;
    size_t count;
    const char *name; /* of the file */
    struct ky_option_storage **storage;
    enum ky_status status;
    struct ky_error *error;
};

static char *keep(struct ky_option_storage **storage, const struct ky_option *option,
                  const char *text)
{
    size_t size = strlen(text) + 1;
    struct ky_option_storage *copy = malloc(sizeof *copy + size);
    if (!copy)
        return NULL;
    memcpy(copy->text, text, size);
    copy->next = *storage;
    copy->option = option;
    *storage = copy;
    return copy->text;
}

/* inih hands an indented line on as another value of the line before. */
static int given_before(const struct ky_option_storage *storage, const struct ky_option *option)
{
    for (; storage; storage = storage->next)
        if (storage->option == option)
            return 1;
    return 0;
}

static const struct ky_option_set *section_set(const struct reading *r, const char *section)
{
    for (size_t s = 0; s < r->count; s++)
        if (!strcmp(r->sets[s].title, section))
            return &r->sets[s];
    return NULL;
}

static enum ky_status unknown_name(const struct reading *r, const char *section, const char *name)
{
    const struct ky_option_set *home = NULL;
    const char *near = ky_options_nearest(r->sets, r->count, name);
    if (ky_options_find(r->sets, r->count, name, &home))
        return ky_fail(r->error, KY_USAGE, "%s: '%s' stands in [%s]; it belongs in [%s]", r->name,
                       name, section, home->title);
    return ky_fail(r->error, KY_USAGE, "%s: unknown option '%s'%s%s", r->name, name,
                   near ? "; did you mean " : "", near ? near : "");
}

/* inih's handler: 1 goes on, 0 counts as an error of this line. */
static int line(void *user, const char *section, const char *name, const char *value)
{
    struct reading *r = user;
    const struct ky_option_set *set = *section ? section_set(r, section) : NULL;
    if (r->status)
        return 0;
    if (*section && !set) {
        r->status = ky_fail(r->error, KY_USAGE, "%s: unknown section [%s] (at '%s')", r->name,
                            section, name);
        return 0;
    }
    const struct ky_option_set *owner = set;
    const struct ky_option *option =
        ky_options_find(set ? set : r->sets, set ? 1 : r->count, name, &owner);
    if (!option) {
        r->status = unknown_name(r, section, name);
        return 0;
    }
    if (given_before(*r->storage, option)) {
        r->status = ky_fail(
            r->error, KY_USAGE,
            "%s: '%s' is given twice, or the line after it is indented; each option has a line of "
            "its own that begins with its name",
            r->name, name);
        return 0;
    }
    char *copy = keep(r->storage, option, value);
    char where[320];
    snprintf(where, sizeof where, "%.200s: %.64s", r->name, name);
    r->status = copy ? ky_option_set_text(option, owner->values, copy, where, r->error)
                     : ky_no_memory(r->error, "parameter file", strlen(value), 1);
    if (!r->status)
        ky_option_mark_given(owner, option);
    return r->status == KY_OK;
}

enum ky_status ky_options_ini(const struct ky_option_set *sets, size_t count, FILE *file,
                              const char *name, struct ky_option_storage **storage,
                              struct ky_error *error)
{
    struct reading r = {sets, count, name, storage, KY_OK, error};
    int failed_line = ini_parse_file(file, line, &r);
    if (r.status)
        return ky_fail_in(error, r.status, "%s", "");
    if (failed_line < 0)
        return ky_fail(error, KY_BAD_DATA, "%s: cannot be read", name);
    if (failed_line)
        return ky_fail(error, KY_USAGE, "%s, line %d: neither 'name = value' nor '[section]'", name,
                       failed_line);
    return KY_OK;
}

#else

enum ky_status ky_options_ini(const struct ky_option_set *sets, size_t count, FILE *file,
                              const char *name, struct ky_option_storage **storage,
                              struct ky_error *error)
{
    (void)sets, (void)count, (void)file, (void)storage;
    return ky_fail(
        error, KY_UNSUPPORTED,
        "%s: this build reads no parameter files; install libinih-dev and build again, or give the "
        "options on the command line",
        name);
}

#endif
