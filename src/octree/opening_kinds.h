/* The table of opening tests: the properties of each named test, on any engine. The formulas are in
 * physics/opening.h. */
#ifndef KY_OCTREE_OPENING_KINDS_H
#define KY_OCTREE_OPENING_KINDS_H

#include "kyoho/kyoho.h"
#include "physics/opening.h"

/* K(name, NAME, bits, holds, by_alpha, usual, help): the tests in the order of enum ky_opening,
 * with their words on the command line. The columns are members of struct ky_opening_kind.
 *
 * holds: the farthest corner of a box is at most √3 l from the centre of mass, and √3/2 l + s; a
 * little below that the opening radius holds the box in spite of rounding. */
#define KY_OPENING_KINDS(K)                                                                        \
    K(geometric, GEOMETRIC, 0, 0.57, 0, 0.7, "d > l/θ")                                            \
    K(offset, OFFSET, KY_OPENING_OFFSET, 1.15, 0, 0.7,                                             \
      "d > l/θ + s, with s the distance of the centre of mass from the middle")                    \
    K(minimum, MINIMUM, KY_OPENING_TO_BOX, 0, 0, 0.7, "distance to the box > l/θ")                 \
    K(relative, RELATIVE, KY_OPENING_CUBE, 0, 1, 0.005, "expected error below α")

/* The default; and the test by θ, which is used if only θ is given, and for sinks without last
 * accelerations. */
enum { KY_OPENING_USUAL = KY_RELATIVE, KY_OPENING_AT_FIRST = KY_OFFSET };

struct ky_opening_kind {
    const char *name;  /* "offset" */
    unsigned int bits; /* KY_OPENING_… of a tree for this test */
    double holds; /* the largest θ for which the opening radius holds the cell's own bodies, so
                     that no boxes need be tested; 0: none */
    int by_alpha; /* 1: its tolerance is α in units of the sinks' last accelerations, which it
                     needs; 0: by θ */
    double usual; /* default of α or θ */
};

/* A number above 0 that is the same if trees of the same bodies have the same opening radii. It
 * depends on the test, and on θ unless the test is by α. */
double ky_opening_key(const struct ky_parameters *parameters);
/* The row of an enum ky_opening. An unknown test has a row too, by θ, without bits. */
const struct ky_opening_kind *ky_opening_kind(int opening);

/* Writes the names of all tests by α, or of all by θ, to `text`: "geometric, offset or minimum". */
enum { KY_OPENING_NAMES = 128 };
void ky_opening_names(int by_alpha, char text[KY_OPENING_NAMES]);

/* The words on the command line, geometric|offset|…, and the meaning of each. */
#define KY_OPENING_WORD(name, NAME, bits, holds, by_alpha, usual, help) "|" #name
#define KY_OPENING_CHOICES (&(KY_OPENING_KINDS(KY_OPENING_WORD))[1])
#define KY_OPENING_SENTENCE(name, NAME, bits, holds, by_alpha, usual, help) "; " #name ": " help
#define KY_OPENING_HELP KY_OPENING_KINDS(KY_OPENING_SENTENCE)

#endif
