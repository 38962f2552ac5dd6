/* Names of options: the option of a name, and guesses for an unknown name: it may be misspelt, cut
 * short, or the name in another program. */
#include "base/options.h"

#include <string.h>
#include <strings.h>

const struct ky_option *ky_options_find(const struct ky_option_set *sets, size_t count,
                                        const char *name, const struct ky_option_set **owner)
{
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < sets[s].count; k++)
            if (!strcmp(sets[s].options[k].name, name)) {
                if (owner)
                    *owner = &sets[s];
                return &sets[s].options[k];
            }
    return NULL;
}

int ky_options_is_first(const struct ky_option_set *sets, size_t count,
                        const struct ky_option_set *owner, const struct ky_option *option)
{
    const struct ky_option_set *first = NULL;
    return ky_options_find(sets, count, option->name, &first) == option && first == owner;
}

/* Edit distance of two short words: letters inserted, deleted or changed, or two adjacent letters
 * exchanged. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
            const size_t one = (row[j - 1] < last[j] ? row[j - 1] : last[j]) + 1;
            row[j] = change < one ? change : one;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *oldest = before;
        before = last, last = row, row = oldest;
    }
    return last[n];
}

const char *ky_nearest_word(const char *name, const char *const *words, size_t count)
{
    enum { SHORTEST = 3 }; /* any two words of two letters are near */
    const size_t length = strlen(name);
    const char *best = NULL;
    size_t least = (length + 1) / 4 + 1; /* words that differ by more are not near */
    if (length < SHORTEST)
        return NULL;
    for (size_t k = 0; k < count; k++) {
        const size_t d = distance(name, words[k]);
        if (d < least) {
            least = d;
            best = words[k];
        }
    }
    for (size_t k = 0; k < count && !best; k++) /* cut short */
        if (!strncmp(name, words[k], length))
            best = words[k];
    return best;
}

/* The nearest name of an option of the sets, or NULL. */
static const char *nearest_option(const struct ky_option_set *sets, size_t count, const char *name)
{
    enum { MOST = 256 };
    const char *words[MOST];
    size_t used = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < sets[s].count && used < MOST; k++)
            words[used++] = sets[s].options[k].name;
    return ky_nearest_word(name, words, used);
}

/* 1 if they differ only in capitals, and in '-' and '_' between parts: "t_end", "Tend". A word of
 * one letter must be the same. */
static int is_same_word(const char *a, const char *b)
{
    if (!b[1])
        return !strcmp(a, b);
    while (*a && *b) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (strncasecmp(a, b, 1) != 0)
            return 0;
        a += *a != '\0', b += *b != '\0';
    }
    return *a == *b;
}

const struct ky_option_word *ky_option_other_word(const struct ky_option_names *names,
                                                  const char *word)
{
    for (const struct ky_option_word *others = names->others; others && others->word; others++) {
        char name[64]; /* the option in "force direct" */
        snprintf(name, sizeof name, "%.*s", (int)strcspn(others->name, " "), others->name);
        if (is_same_word(word, others->word) &&
            ky_options_find(names->sets, names->count, name, NULL))
            return others;
    }
    return NULL;
}

void ky_options_guess(const struct ky_option_names *names, const char *dashes, const char *name,
                      char guess[KY_OPTION_GUESS])
{
    const struct ky_option_word *other = ky_option_other_word(names, name);
    const char *near = other ? other->name : nearest_option(names->sets, names->count, name);
    *guess = '\0';
    if (!near)
        return;
    const int length = (int)strcspn(near, " ");
    const char *value = near + length + (near[length] == ' '); /* the value in "force direct" */
    snprintf(guess, KY_OPTION_GUESS, "; did you mean %s%.*s%s%s%s%s?", dashes, length, near,
             !*value   ? ""
             : *dashes ? " "
                       : " = ",
             value, other && other->hint ? ", " : "", other && other->hint ? other->hint : "");
}
