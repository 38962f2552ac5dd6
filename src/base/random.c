/* Philox 4x32-10 and the few distributions that the models need. */
#include "base/random.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Philox 4x32-10: the four words for a counter and a key. */
static void philox(const uint32_t counter[4], uint64_t key, uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c0 = n0;
        c1 = (uint32_t)p1;
        c2 = n2;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u; /* golden ratio */
        k1 += 0xBB67AE85u; /* sqrt(3) − 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

struct ky_random ky_random_at(uint64_t seed, uint32_t stream, uint64_t index)
{
    return (struct ky_random){.seed = seed, .index = index, .stream = stream, .draw = 0};
}

double ky_random_uniform(struct ky_random *random)
{
    const uint32_t counter[4] = {(uint32_t)random->index, (uint32_t)(random->index >> 32),
                                 random->stream, random->draw++};
    uint32_t out[4];
    philox(counter, random->seed, out);
    uint64_t bits = ((uint64_t)out[0] << 32 | out[1]) >> 11;
    return ((double)bits + 0.5) * 0x1p-53;
}

double ky_random_normal(struct ky_random *random)
{
    /* Box & Muller (1958). Their second number is not kept, so that there is no state. */
    double u = ky_random_uniform(random), v = ky_random_uniform(random);
    return sqrt(-2.0 * log(u)) * cos(2.0 * pi * v);
}

void ky_random_direction(struct ky_random *random, double direction[3])
{
    double z = 2.0 * ky_random_uniform(random) - 1.0;
    double angle = 2.0 * pi * ky_random_uniform(random);
    double r = sqrt(1.0 - z * z);
    direction[0] = r * cos(angle);
    direction[1] = r * sin(angle);
    direction[2] = z;
}
