/* stellar.h - the interface between Kyoho and a code of stellar evolution that it loads at run time
 * (`kyoho run --stellar-evolution FILE.so`). The author of such a code includes this header alone,
 * and defines one object:
 *
 *     const struct ky_stellar ky_stellar_plugin = {sizeof(struct ky_stellar), KY_STELLAR_ABI,
 *                                                  "mine", sizeof(struct own_star),
 *                                                  NULL, star, advance, NULL, NULL};
 *
 *     cc -shared -fPIC mine.c -o mine.so
 *
 * Masses are in solar masses, radii in solar radii, ages in Myr, kicks in km/s. A function returns
 * 0, or another number after a failure, which ends the run. Kyoho calls from one thread. For the
 * same arguments a function must give the same numbers, so that a resumed run has the same bits;
 * random numbers follow from the id and a seed. docs/stellar.md is the manual, and
 * examples/plugins/wind.c an example. */
#ifndef KYOHO_STELLAR_H
#define KYOHO_STELLAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plug-in of another number is refused. */
#define KY_STELLAR_ABI 1U

/* A star at an age. Before a call that fills it, mass, radius and type have the values of the last
 * call, `next` is INFINITY, and the rest is 0. */
struct ky_star {
    double mass;    /* 0: nothing remains, and the body stays without mass */
    double radius;  /* 0: a point, which touches nothing of radius 0 */
    double next;    /* the age at which the star is to be asked again; INFINITY: never. Choose it so
                       that mass and radius change by about 1 % until then */
    double kick[3]; /* change of the velocity now */
    int type;       /* 0 to 15, as numbered by Hurley et al. (2000): 0 and 1 main sequence, 2 to 6
                       giants, 7 to 9 helium stars, 10 to 12 white dwarfs, 13 neutron star, 14 black
                       hole, 15 nothing */
    int supernova;  /* 1: the star explodes now */
};

/* Functions may be NULL, except star and advance. open makes `own`. `state` is the memory of one
 * star, of `state_size` bytes, aligned for any type. It is zero when a star begins, and is kept in
 * restart files byte for byte, so that it must not hold pointers. */
struct ky_stellar {
    size_t size;       /* of this struct */
    unsigned abi;      /* KY_STELLAR_ABI */
    const char *name;  /* for the log */
    size_t state_size; /* bytes of a star, 0 to 65,536 */
    /* Reads the options, the text after the colon of --stellar-evolution FILE:OPTIONS, or "". After
     * a failure it writes the reason to `why`, of `room` bytes. */
    int (*open)(const char *options, void **own, char *why, size_t room);
    /* A star of this mass begins, at age 0. Only radius, next and type of *now are used. */
    int (*star)(void *own, uint64_t id, double mass, void *state, struct ky_star *now);
    /* The star reaches this age, which is `next` or later. */
    int (*advance)(void *own, void *state, double age, struct ky_star *now);
    /* Two stars have become one, whose age is 0 now. `mass` is the sum of both, `state` belongs to
     * the heavier star, and then to the product. NULL: it begins as a star of this mass. */
    int (*merge)(void *own, void *state, const void *other, double mass, struct ky_star *now);
    void (*close)(void *own);
};

/* The object of this name in a plug-in. */
extern const struct ky_stellar ky_stellar_plugin;

#ifdef __cplusplus
}
#endif

#endif
