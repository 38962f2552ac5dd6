/* Runs a fuzzer without libFuzzer: driver NAME MUTATIONS CORPUS-FILE… It gets every file as it is,
 * then MUTATIONS mutations of each, the same ones in every run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HDF5 keeps its own pools until the process ends. */
KY_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

/* Runs the fuzzer on data in memory of exactly their size, so that an access beyond it is found. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t below(struct ky_random *random, size_t count)
{
    return (size_t)(ky_random_uniform(random) * (double)count);
}

/* Makes a few changes: a byte, an extreme number, a piece that is copied, taken out or cut off.
 * Returns the new size. */
static size_t mutate(uint8_t *data, size_t size, struct ky_random *random)
{
    static const uint64_t numbers[] = {0,          1,          0xff,      0x7fffffff,  0x80000000,
                                       0xffffffff, UINT64_MAX, INT64_MAX, 0x100000000, 256};
    for (size_t k = 1 + below(random, 4); k && size; k--) {
        size_t at = below(random, size), width = (size_t)1 << below(random, 4);
        size_t from = below(random, size);
        switch (below(random, 6)) {
        case 0:
            data[at] ^= (uint8_t)(1 << below(random, 8));
            break;
        case 1:
            data[at] = (uint8_t)below(random, 256);
            break;
        case 2:
            if (at + width <= size)
                memcpy(data + at, &numbers[below(random, 10)], width);
            break;
        case 3:
            width = below(random, 64);
            if (at + width <= size && from + width <= size)
                memmove(data + at, data + from, width);
            break;
        case 4:
            width = below(random, size - at);
            memmove(data + at, data + at + width, size - at - width);
            size -= width;
            break;
        default:
            size = below(random, 4) ? size : at;
        }
    }
    return size;
}

static uint8_t *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    if (data && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int mutations = atoi(argv[2]);
    ky_snapshot_quiet_exit();
    for (int f = 3; f < argc; f++) {
        size_t size = 0;
        uint8_t *data = contents(argv[f], &size), *changed = malloc(size + 1);
        if (!data || !changed)
            return 1;
        run(data, size);
        for (int k = 0; k < mutations; k++) {
            struct ky_random random = ky_random_at((uint64_t)f, 0, (uint64_t)k);
            memcpy(changed, data, size);
            run(changed, mutate(changed, size, &random));
        }
        free(data);
        free(changed);
    }
    printf("ok 1 - %s reader: %d files, %d mutations of each\n", argv[1], argc - 3, mutations);
    return 0;
}
