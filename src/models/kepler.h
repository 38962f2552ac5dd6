/* The orbit of two systems about each other, as if they were points: where it begins, when they are
 * nearest, and how a disk is inclined to it. */
#ifndef KY_MODELS_KEPLER_H
#define KY_MODELS_KEPLER_H

/* They approach, anticlockwise in the x-y plane, the second on the positive x axis as seen from the
 * first. */
struct ky_kepler {
    double gm; /* G times the mass of both */
    double pericentre, eccentricity, separation;
};

/* Radial (inward: negative) and transverse velocity at the start. */
void ky_kepler_velocity(const struct ky_kepler *orbit, double velocity[2]);
/* The time from the start to the pericentre. */
double ky_kepler_time(const struct ky_kepler *orbit);
/* The direction from the first to the second in the pericentre, anticlockwise from the x axis. */
double ky_kepler_angle(const struct ky_kepler *orbit);

/* How a system with its spin along z is turned for an orbit whose other body is in the direction
 * `angle` in the pericentre. Inclination i and argument ω are those of Toomre & Toomre (1972), in
 * degrees: i between the planes of disk and orbit, ω in the plane of the orbit from where the other
 * body rises through the disk, to the side of its spin, to the pericentre. i = 0 is a direct
 * passage, 180 a retrograde one. */
void ky_kepler_tilt(double inclination, double omega, double angle, double matrix[3][3]);

#endif
