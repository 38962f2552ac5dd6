/* The reader of parameter files: parameters that it accepts are the same after they are written and
 * read back. */
#include "fuzz.h"

#include <stdio.h>

#include "base/options.h"

struct values {
    int flag, kind;
    uint64_t n;
    double theta;
    const char *name;
};
#define AT(field) offsetof(struct values, field)
static const struct ky_option table[] = {
    {"fast", KY_OPTION_FLAG, AT(flag), NULL, KY_NO_RANGE, NULL, NULL, ""},
    {"kind", KY_OPTION_CHOICE, AT(kind), NULL, KY_NO_RANGE, "one|two", NULL, ""},
    {"bodies", KY_OPTION_COUNT, AT(n), "0", KY_NO_RANGE, NULL, NULL, ""},
    {"theta", KY_OPTION_REAL, AT(theta), "0.7", 0.1, 2, NULL, NULL, ""},
    {"name", KY_OPTION_TEXT, AT(name), NULL, KY_NO_RANGE, NULL, NULL, ""},
};

static enum ky_status read_file(FILE *file, struct ky_option_set *set,
                                struct ky_option_storage **storage, struct ky_error *error)
{
    rewind(file);
    ky_options_defaults(set);
    return ky_options_ini(&(struct ky_option_names){set, 1, NULL}, file, "x.ini", storage, error);
}

static void write_and_compare(struct ky_option_set *set, const struct values *values)
{
    struct values again;
    struct ky_option_set back = *set;
    back.values = &again;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ky_options_write_ini(set, 1, file);
    fclose(file);
    ky_options_defaults(&back);
    if (ky_options_read_back(&back, 1, text, NULL) || memcmp(&again.n, &values->n, 16) ||
        again.kind != values->kind || again.flag != values->flag || !again.name != !values->name ||
        (again.name && strcmp(again.name, values->name)))
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct values values;
    struct ky_option_set set = {"own", table, sizeof table / sizeof *table, &values, NULL, NULL};
    struct ky_option_storage *storage = NULL;
    struct ky_error error = {0};
    FILE *file = tmpfile();
    if (!file || fwrite(data, 1, size, file) != size)
        exit(1);
    enum ky_status status = read_file(file, &set, &storage, &error);
    if (status && (status != error.status || !error.text[0] || strchr(error.text, '\n')))
        abort();
    if (!status)
        write_and_compare(&set, &values);
    ky_options_storage_free(storage);
    fclose(file);
    return 0;
}
