/* Libraries that are opened when a program first needs them, so that it also starts on a machine
 * without them. The table of calls of a library is a struct of pointers to its functions; one list
 * gives its members and their names:
 *
 *     #define CALLS(F) F(create) F(destroy)
 *     static struct { CALLS(MEMBER) } calls;
 */
#ifndef KY_BASE_OPENED_H
#define KY_BASE_OPENED_H

#include <stddef.h>

#ifdef __APPLE__
#define KY_SHARED_FILE(name, version) "lib" name "." version ".dylib"
#else
#define KY_SHARED_FILE(name, version) "lib" name ".so." version
#endif

struct ky_opened {
    const char *file;         /* as the loader finds it: KY_SHARED_FILE */
    const char *package;      /* the name under which systems have it, for the reason */
    const char *const *names; /* of the functions, in the order of the table */
    size_t count;
    void *calls;      /* the table; it is filled when all functions are found */
    int tried;        /* 1 after the first attempt */
    char reason[200]; /* why it is not open, or empty */
};

/* Returns NULL if the library is open, else the reason. The first call opens it, and any thread may
 * make it. Functions that the process has already, because it is linked with the library or
 * something stands before it (LD_PRELOAD), are taken from there. It is never closed. */
const char *ky_open_library(struct ky_opened *library);

#endif
