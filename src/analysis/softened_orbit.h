/* The orbit of two softened bodies about each other. */
#ifndef KY_ANALYSIS_SOFTENED_ORBIT_H
#define KY_ANALYSIS_SOFTENED_ORBIT_H

/* Two bodies: masses times G, softenings [length], and the kind of softening: ky_softening_how. */
struct ky_pair {
    double gm[2], softening[2];
    int how;
};

/* The elements as struct ky_binaries describes them. */
struct ky_elements {
    double semi_major_axis, eccentricity, period;
    double energy; /* ½ v² + φ of the relative motion, per reduced mass [velocity²] */
};

/* The potential of the relative motion at the distance r [velocity²]. It is 0 if the two exert no
 * force on each other: without mass, and at r = 0 without softening. */
double ky_pair_potential(const struct ky_pair *pair, double r);

/* Fills the elements and returns 1 if the two are bound; otherwise fills only the energy and
 * returns 0. `r` is their distance, v2 the square of their relative velocity, rv the scalar product
 * of relative position and velocity. */
int ky_pair_elements(const struct ky_pair *pair, double r, double v2, double rv,
                     struct ky_elements *elements);

#endif
