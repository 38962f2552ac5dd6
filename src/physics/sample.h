/* Samples of many bodies: a permutation of the indices 0 … n − 1 that is unrelated to the order of
 * the bodies in a file. Its first `count` indices are a sample of distinct bodies, the same ones on
 * the host and on devices.
 *
 * Every (n/count)th body is not a sample: in an ordered lattice it is one plane, or one corner of
 * each cell; if two components alternate it is one of them.
 *
 * A word with as many bits as n is multiplied by odd numbers, and its upper half is added
 * without carry to the lower one, three times. Each step is invertible, so this is a permutation of
 * all words. A word that is not an index goes through the steps again until an index results, which
 * makes it a permutation of the indices (Black & Rogaway 2002, "Ciphers with arbitrary finite
 * domains"). On average fewer than two rounds are needed. */
#ifndef KY_PHYSICS_SAMPLE_H
#define KY_PHYSICS_SAMPLE_H

#include "physics/dialect.h"

struct ky_sample_order {
    KY_WORD n, mask; /* mask + 1: the power of two that is at least n */
    int shift;       /* half the number of its bits, rounded up */
};

/* n >= 1. */
KY_FN struct ky_sample_order ky_sample_order(KY_WORD n)
{
    struct ky_sample_order order;
    int bits = 1;
    while (bits < 63 && n >> bits)
        bits++;
    order.n = n;
    order.mask = ((KY_WORD)1 << bits) - 1;
    order.shift = (bits + 1) / 2;
    return order;
}

/* The index at position k of the permutation; k < n. */
KY_FN KY_WORD ky_sample_index(struct ky_sample_order order, KY_WORD k)
{
    do {
        k = ((k + 1) * 0x9e3779b97f4a7c15UL) & order.mask;
        k ^= k >> order.shift;
        k = ((k + 1) * 0xbf58476d1ce4e5b9UL) & order.mask;
        k ^= k >> order.shift;
        k = ((k + 1) * 0x94d049bb133111ebUL) & order.mask;
        k ^= k >> order.shift;
    } while (k >= order.n);
    return k;
}

/* The position of index i in the permutation; i < n. Uses products with the inverses modulo 2⁶⁴. */
KY_FN KY_WORD ky_sample_place(struct ky_sample_order order, KY_WORD i)
{
    do {
        i ^= i >> order.shift;
        i = (i * 0x319642b2d24d8ec3UL - 1) & order.mask;
        i ^= i >> order.shift;
        i = (i * 0x96de1b173f119089UL - 1) & order.mask;
        i ^= i >> order.shift;
        i = (i * 0xf1de83e19937733dUL - 1) & order.mask;
    } while (i >= order.n);
    return i;
}

#endif
