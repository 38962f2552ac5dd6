/* Finds and opens the MPI library of this process. */
#include "domain/mpi.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/opened.h"
#include "kyoho/kyoho.h"

/* ---- which file ---- */

/* The first is Open MPI 4 and 5; the next two have the ABI of MPICH, the second of them under
 * Debian's name; then the standard ABI of MPI 5. The last finds other versions. */
static const char *const files[] = {[KY_FILE_OPEN_MPI] = KY_SHARED_FILE("mpi", "40"),
                                    [KY_FILE_MPICH] = KY_SHARED_FILE("mpi", "12"),
                                    KY_SHARED_FILE("mpich", "12"),
                                    KY_SHARED_FILE("mpi_abi", "1"),
                                    "libmpi.so"};
enum { FILES = sizeof files / sizeof *files, PATH = 4096 };

/* The parent of a process; 0 if it is not known. */
static int parent_of(int process)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    /* "PID (NAME) S PARENT …"; the name may have parentheses, and S, the state, is a letter */
    char *end = strrchr(text, ')');
    return end && strlen(end) > 4 ? (int)ky_number_count(end + 4, &end) : 0;
}

/* The folder of a process that starts the ranks of a machine, for example /opt/mpi of
 * /opt/mpi/bin/orted; 0 if the process is another one. */
static int find_folder(int process, char folder[PATH])
{
    static const char *const starters[] = {"mpi", "orte", "prte", "hydra", "pmi_proxy"};
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/exe", process);
    const ssize_t length = readlink(link, folder, PATH - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *name = strrchr(folder, '/');
    int found = 0;
    for (size_t k = 0; k < sizeof starters / sizeof *starters && name; k++)
        found |= !strncmp(name + 1, starters[k], strlen(starters[k]));
    if (found)
        *name = '\0';
    char *bin = found ? strrchr(folder, '/') : NULL;
    if (bin)
        *bin = '\0';
    return bin != NULL;
}

static const char *file_of(int first, int k)
{
    return files[(first + k) % FILES];
}

/* The library beside the program that has started this process. An MPI in a folder of its own need
 * not have told the loader where it is. */
static int find_at_launcher(int first, char path[PATH])
{
    static const char *const places[] = {"lib", "lib64"};
    char folder[PATH];
    int found = 0;
    for (int process = getppid(); process > 0 && !found; process = parent_of(process)) {
        const int count = find_folder(process, folder) ? 2 * FILES : 0;
        for (int k = 0; k < count && !found; k++)
            found = snprintf(path, PATH, "%s/%s/%s", folder, places[k % 2], file_of(first, k / 2)) <
                        PATH &&
                    !access(path, R_OK);
    }
    return found;
}

/* The file that this process has loaded, or "" if MPI is a part of the program itself. */
static int find_loaded(char path[PATH])
{
    void *library = NULL;
    for (int k = 0; k < FILES && !library; k++) {
        library = dlopen(files[k], RTLD_NOW | RTLD_NOLOAD);
        strcpy(path, library ? files[k] : "");
    }
    if (library)
        dlclose(library);
    void *program = library ? NULL : dlopen(NULL, RTLD_NOW);
    return library || (program && dlsym(program, "MPI_Init_thread"));
}

/* The libraries to try, the best first; returns their number. `launcher` may be NULL. */
static int list_paths(const struct ky_launcher *launcher, char paths[FILES][PATH])
{
    const int first = launcher ? launcher->first : 0;
    if (find_loaded(paths[0]) || (launcher && find_at_launcher(first, paths[0])))
        return 1;
    for (int k = 0; k < FILES; k++)
        strcpy(paths[k], file_of(first, k));
    return FILES;
}

/* ---- which ABI ---- */

enum { OPEN_MPI, MPICH, STANDARD, ABIS };
static const struct ky_mpi_abi abis[ABIS] = {[OPEN_MPI] = {.handle = sizeof(void *),
                                                           .in_place = 1,
                                                           .skip_statuses = 0,
                                                           .serialized = 2,
                                                           .shared = 0},
                                             [MPICH] = {.handle = sizeof(int),
                                                        .in_place = (ky_mpi_word)-1,
                                                        .skip_statuses = 1,
                                                        .serialized = 2,
                                                        .shared = 1},
                                             [STANDARD] = {.handle = sizeof(void *),
                                                           .in_place = 1,
                                                           .skip_statuses = 0,
                                                           .serialized = 2048,
                                                           .shared = 221}};

/* The ABI of a library; ABIS if it is unknown. A library with the standard ABI says so, and may
 * bring Open MPI's own objects with it. Only MPICH and its kin have MPIR_Dup_fn, to which
 * MPI_DUP_FN of their header refers. */
static int abi_of(void *library)
{
    int (*version)(int *major, int *minor) = NULL, major = -1, minor;
    *(void **)&version = dlsym(library, "MPI_Abi_get_version");
    if (version && !version(&major, &minor) && major == 1)
        return STANDARD;
    return dlsym(library, "ompi_mpi_comm_world") ? OPEN_MPI
           : dlsym(library, "MPIR_Dup_fn")       ? MPICH
                                                 : ABIS;
}

/* Sets the calls and handles. Returns the symbol that the library lacks, or NULL. */
static const char *fill(struct ky_mpi *mpi, void *library, int abi)
{
/* POSIX: a pointer to data can hold a function wherever dlsym exists */
#define FIND(name, ...)                                                                            \
    if (!(*(void **)&mpi->name = dlsym(library, "MPI_" #name)))                                    \
        return "MPI_" #name;
    KY_MPI_CALLS(FIND)
#undef FIND
#define FIND(name, object, mpich, standard)                                                        \
    mpi->name = abi == OPEN_MPI ? (ky_mpi_word)dlsym(library, object)                              \
                : abi == MPICH  ? mpich                                                            \
                                : standard;                                                         \
    if (!mpi->name)                                                                                \
        return object;
    KY_MPI_HANDLES(FIND)
#undef FIND
    mpi->abi = &abis[abi % ABIS];
    return NULL;
}

/* The name and the version of a library: the first line of its description, up to a comma: "Open
 * MPI v4.1.4, package: …", "MPICH Version: 4.0.2". MPI_MAX_LIBRARY_VERSION_STRING is at most 8192.
 */
static void find_name(struct ky_mpi *mpi)
{
    char said[8192] = "", *rest = said, *name = mpi->name;
    int length;
    mpi->Get_library_version(said, &length);
    said[strcspn(said, "\n,")] = '\0';
    *name = '\0';
    for (char *word; (word = strtok_r(rest, " \t", &rest));) {
        if (!strncmp(word, "v", 1) && word[1] >= '0' && word[1] <= '9')
            word++;
        word[strcspn(word, ":")] = '\0';
        if (!*word || !strcmp(word, "Version"))
            continue;
        if (strlen(name) + strlen(word) + 2 < sizeof mpi->name)
            strcat(strcat(name, *name ? " " : ""), word);
    }
}

/* ---- opening ---- */

/* KY_UNSUPPORTED if the library cannot be used. */
static enum ky_status describe(struct ky_mpi *mpi, void *library, const char *path,
                               struct ky_error *error)
{
    const int abi = abi_of(library);
    const char *lacks = fill(mpi, library, abi);
    if (lacks)
        return ky_fail(error, KY_UNSUPPORTED, "%s lacks %s", path, lacks);
    find_name(mpi);
    if (abi == ABIS)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s is %s, which has neither the ABI of Open MPI nor that of MPICH nor that "
                       "of MPI 5",
                       path, mpi->name);
    return KY_OK;
}

/* Opens a library, whose symbols others do not see yet: a library that is refused must not stay in
 * the way of the next one. NULL, and KY_OK, if there is none. */
static enum ky_status open_path(const char *path, void **library, struct ky_error *error)
{
    dlerror(); /* an older error */
    *library = dlopen(*path ? path : NULL, RTLD_NOW | RTLD_LOCAL);
    const char *why = *library ? NULL : dlerror();
    if (!why || (strstr(why, path) && strstr(why, strerror(ENOENT))))
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED, "%s cannot be opened (%s)", path, why);
}

static enum ky_status try_path(struct ky_mpi *mpi, const char *path, const char *only, int *opened,
                               struct ky_error *error)
{
    void *library;
    KY_TRY(open_path(path, &library, error));
    if (!library)
        return KY_OK;
    enum ky_status status = describe(mpi, library, *path ? path : "this program", error);
    if (!status && only && strncmp(mpi->name, only, strlen(only)) != 0)
        status = ky_fail(error, KY_UNSUPPORTED, "%s is %s, not %s", path, mpi->name, only);
    *opened = !status;
    /* The libraries that MPI opens itself need its symbols. */
    if (*opened && *path)
        dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    if (!*opened)
        dlclose(library);
    return status;
}

enum ky_status ky_mpi_open(struct ky_mpi *mpi, const struct ky_launcher *launcher,
                           struct ky_error *error)
{
    char paths[FILES][PATH];
    struct ky_error first = {KY_OK, "no MPI library is found"}, why;
    const int count = list_paths(launcher, paths);
    for (int k = 0, opened = 0; k < count; k++) {
        const enum ky_status status = try_path(mpi, paths[k], launcher->only, &opened, &why);
        if (opened)
            return KY_OK;
        if (status && !first.status)
            first = why;
    }
    return ky_fail(error, KY_UNSUPPORTED, "%s", first.text);
}

/* ---- the list for users ---- */

static struct {
    char path[PATH];
    struct ky_mpi mpi;
} known[FILES];
static int known_count;

static void find_known(void)
{
    char paths[FILES][PATH];
    void *opened[FILES];
    struct ky_error error;
    const int count = list_paths(ky_launcher_find(), paths);
    for (int k = 0; k < count; k++) {
        int is_new = !open_path(paths[k], &opened[k], &error) && opened[k];
        for (int j = 0; j < k; j++)
            is_new &= opened[j] != opened[k]; /* a link to another version's name */
        if (is_new && !describe(&known[known_count].mpi, opened[k], paths[k], &error))
            strcpy(known[known_count++].path, *paths[k] ? paths[k] : "this program");
    }
    for (int k = 0; k < count; k++)
        if (opened[k])
            dlclose(opened[k]);
}

const char *ky_mpi_library(size_t index, const char **name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_known);
    if (index >= (size_t)known_count)
        return NULL;
    *name = known[index].mpi.name;
    return known[index].path;
}
