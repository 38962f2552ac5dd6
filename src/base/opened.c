#define _GNU_SOURCE /* RTLD_DEFAULT */
/* Opens a library and fills the table of its functions. */
#include "base/opened.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The library, or NULL. On macOS the loader does not search the folders of Homebrew and MacPorts.
 */
static void *open_file(const char *file)
{
    static const char *const folders[] = {"",
#ifdef __APPLE__
                                          "/opt/homebrew/lib/", "/opt/local/lib/"
#endif
    };
    void *handle = NULL;
    for (size_t k = 0; k < sizeof folders / sizeof *folders && !handle; k++) {
        char path[200];
        snprintf(path, sizeof path, "%s%s", folders[k], file);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

/* The function of this name: the one that the process has already, else the library's, which is
 * opened for the first of them. */
static void *find_function(const struct ky_opened *library, const char *name, void **handle)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found && !*handle)
        *handle = open_file(library->file);
    return found || !*handle ? found : dlsym(*handle, name);
}

static void open_now(struct ky_opened *library)
{
    char *place = library->calls;
    void *handle = NULL;
    for (size_t k = 0; k < library->count; k++) {
        void *found = find_function(library, library->names[k], &handle);
        memcpy(place + k * sizeof found, &found, sizeof found);
        if (!found) {
            if (handle)
                snprintf(library->reason, sizeof library->reason,
                         "%s of this machine is too old: it lacks %s", library->file,
                         library->names[k]);
            else
                snprintf(library->reason, sizeof library->reason,
                         "%s is not on this machine; install %s (Debian and Ubuntu)", library->file,
                         library->package);
            return;
        }
    }
}

const char *ky_open_library(struct ky_opened *library)
{
    pthread_mutex_lock(&opening);
    if (!library->tried)
        open_now(library);
    library->tried = 1;
    pthread_mutex_unlock(&opening);
    return *library->reason ? library->reason : NULL;
}
