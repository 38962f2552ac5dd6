/* Hides libraries from dlopen, as on a machine that has not installed them: those with a word of KYOHO_TEST_HIDDEN, separated by
 * blanks, in their names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *dlopen(const char *file, int how)
{
    static void *(*real)(const char *, int);
    char words[200];
    const char *hidden = getenv("KYOHO_TEST_HIDDEN");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    strncpy(words, hidden ? hidden : "", sizeof words - 1);
    words[sizeof words - 1] = 0;
    for (char *rest = words, *word; file && (word = strtok_r(rest, " ", &rest));)
        if (strstr(file, word))
            return NULL;
    return real(file, how);
}
