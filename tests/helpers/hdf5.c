/* Writes an HDF5 file for tests that are scripts, as other programs write them:
 *   hdf5 FILE < DESCRIPTION
 * Lines of the description, with words separated by tabs:
 *   attribute  OBJECT  NAME  TYPE  VALUE...
 *   set        GROUP  NAME  TYPE  COLUMNS  VALUE...
 * A group that is not there is made. TYPE is f32, f64, i32, u32, u64 or text. The status is 0, 77 in a build without HDF5, otherwise
 * 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef KY_HAVE_HDF5
#include <hdf5.h>

static hid_t type_of(const char *word)
{
    return !strcmp(word, "f32")   ? H5T_IEEE_F32LE
           : !strcmp(word, "f64") ? H5T_IEEE_F64LE
           : !strcmp(word, "i32") ? H5T_STD_I32LE
           : !strcmp(word, "u32") ? H5T_STD_U32LE
                                  : H5T_STD_U64LE;
}

/* Opens a group or data set; a group that is not there is made. */
static hid_t object_of(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0
               ? H5Oopen(file, name, H5P_DEFAULT)
               : H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* Reads all remaining words of the line as numbers; the caller frees them. */
static double *numbers(hsize_t *count)
{
    double *list = NULL;
    const char *word;
    for (*count = 0; (word = strtok(NULL, "\t\n")) != NULL; (*count)++) {
        list = realloc(list, (size_t)(*count + 1) * sizeof *list);
        if (!list)
            exit(1);
        list[*count] = strtod(word, NULL);
    }
    return list;
}

static int put_text(hid_t group, const char *name)
{
    const char *text = strtok(NULL, "\t\n");
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t made = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    return made >= 0 && H5Awrite(made, type, text) >= 0;
}

static int put(hid_t file, char *line)
{
    const int is_set = !strcmp(strtok(line, "\t\n"), "set");
    hid_t group = object_of(file, strtok(NULL, "\t\n"));
    const char *name = strtok(NULL, "\t\n"), *type = strtok(NULL, "\t\n");
    hsize_t size[2], columns = is_set ? (hsize_t)strtoul(strtok(NULL, "\t\n"), NULL, 10) : 1;
    if (!strcmp(type, "text"))
        return put_text(group, name);
    double *list = numbers(&size[0]);
    size[0] /= columns;
    size[1] = columns;
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    hid_t made = is_set ? H5Dcreate2(group, name, type_of(type), space, H5P_DEFAULT, H5P_DEFAULT,
                                     H5P_DEFAULT)
                        : H5Acreate2(group, name, type_of(type), space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t status =
        is_set ? H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list)
               : H5Awrite(made, H5T_NATIVE_DOUBLE, list);
    free(list);
    return made >= 0 && status >= 0;
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    hid_t file = argc == 2 ? H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1;
    int good = file >= 0;
    while (good && getline(&line, &room, stdin) > 0)
        good = put(file, line);
    free(line);
    H5close();
    return !good;
}
#else
int main(void)
{
    return 77;
}
#endif
