/* Least significant digit radix sort of words. Every thread counts and moves its own part of the
 * input. The sort is stable, so that its result is the same for any division. Few words are sorted
 * by insertion. */
#include "octree/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    FEW = 32,
    SMALL_BITS = 8,  /* digits whose counts stay in the L1 cache */
    LARGE_BITS = 11, /* fewer passes */
    LARGE_FROM = 16384,
    MAX_PASSES = (64 + SMALL_BITS - 1) / SMALL_BITS
};

struct pass {
    const uint64_t *from;
    uint64_t *to;
    int shift;
    uint32_t mask;
};

static void count_digits(const struct pass *pass, size_t begin, size_t end, uint32_t *count)
{
    const uint64_t *from = pass->from;
    const int shift = pass->shift;
    const uint32_t mask = pass->mask;
    memset(count, 0, (mask + 1) * sizeof *count);
    for (size_t i = begin; i < end; i++)
        count[(uint32_t)(from[i] >> shift) & mask]++;
}

/* From counts of each thread and digit to the places where they start. */
static void start_digits(uint32_t *count, size_t digits, int threads)
{
    uint32_t sum = 0;
    for (size_t digit = 0; digit < digits; digit++)
        for (int thread = 0; thread < threads; thread++) {
            uint32_t *here = &count[(size_t)thread * digits + digit], bodies = *here;
            *here = sum;
            sum += bodies;
        }
}

static void move_digits(const struct pass *pass, size_t begin, size_t end, uint32_t *start)
{
    const uint64_t *from = pass->from;
    uint64_t *to = pass->to;
    const int shift = pass->shift;
    const uint32_t mask = pass->mask;
    for (size_t i = begin; i < end; i++) {
        uint64_t word = from[i];
        to[start[(uint32_t)(word >> shift) & mask]++] = word;
    }
}

/* The passes for the bits that vary. Digits that are equal in all words need none. */
static int plan(struct pass *pass, int bits, uint64_t *word, uint64_t *other, uint64_t varying)
{
    int passes = 0;
    const uint32_t mask = (1u << bits) - 1;
    while (varying) {
        int shift = __builtin_ctzll(varying);
        pass[passes].shift = shift;
        pass[passes].mask = mask;
        pass[passes].from = passes % 2 ? other : word;
        pass[passes].to = passes % 2 ? word : other;
        passes++;
        varying = shift + bits < 64 ? varying >> (shift + bits) << (shift + bits) : 0;
    }
    return passes;
}

static void sort_few(size_t n, uint64_t *word)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t moving = word[i];
        size_t place = i;
        for (; place > 0 && word[place - 1] > moving; place--)
            word[place] = word[place - 1];
        word[place] = moving;
    }
}

static uint64_t *sort_small(size_t n, uint64_t *word, uint64_t *other, uint64_t varying)
{
    struct pass pass[MAX_PASSES];
    uint32_t count[1 << SMALL_BITS];
    int passes = plan(pass, SMALL_BITS, word, other, varying);
    for (int p = 0; p < passes; p++) {
        count_digits(&pass[p], 0, n, count);
        start_digits(count, 1 << SMALL_BITS, 1);
        move_digits(&pass[p], 0, n, count);
    }
    return passes % 2 ? other : word;
}

/* Every thread has a stretch of the words. */
static void sort_large(size_t n, const struct pass *pass, int passes, uint32_t *count, int threads)
{
    const size_t digits = 1 << LARGE_BITS, parts = (size_t)threads;
    for (int p = 0; p < passes; p++) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (size_t k = 0; k < parts; k++)
            count_digits(&pass[p], n * k / parts, n * (k + 1) / parts, count + k * digits);
        start_digits(count, digits, threads);
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (size_t k = 0; k < parts; k++)
            move_digits(&pass[p], n * k / parts, n * (k + 1) / parts, count + k * digits);
    }
}

uint64_t *ky_octree_sort(size_t n, uint64_t *word, uint64_t *other, uint64_t varying, int threads)
{
    if (n <= FEW) {
        sort_few(n, word);
        return word;
    }
    uint32_t *count =
        n < LARGE_FROM ? NULL : ky_allocate((size_t)threads << LARGE_BITS, sizeof *count);
    if (!count) /* few words, or no memory: the same result, slower */
        return sort_small(n, word, other, varying);
    struct pass pass[MAX_PASSES];
    int passes = plan(pass, LARGE_BITS, word, other, varying);
    sort_large(n, pass, passes, count, threads);
    free(count);
    return passes % 2 ? other : word;
}

void ky_octree_unpack(size_t n, struct ky_word_layout layout, uint64_t *word, uint32_t *order,
                      int threads)
{
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1 && n >= LARGE_FROM)
    for (size_t i = 0; i < n; i++) {
        order[i] = ky_word_index(layout, word[i]);
        word[i] = ky_word_key(layout, word[i]);
    }
}
