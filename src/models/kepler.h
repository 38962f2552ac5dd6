/* The orbit of two systems about each other as point masses: the start, the time of pericentre, and
 * the inclination of a disk to the orbit. */
#ifndef KY_MODELS_KEPLER_H
#define KY_MODELS_KEPLER_H

/* The systems approach, moving anticlockwise in the x-y plane; the second starts on the positive x
 * axis as seen from the first. */
struct ky_kepler {
    double gm; /* G times the total mass */
    double pericentre, eccentricity, separation;
};

/* Radial (inward: negative) and transverse velocity at the start. */
void ky_kepler_velocity(const struct ky_kepler *orbit, double velocity[2]);
/* The time from the start to the pericentre. */
double ky_kepler_time(const struct ky_kepler *orbit);
/* The direction from the first to the second at pericentre, anticlockwise from the x axis. */
double ky_kepler_angle(const struct ky_kepler *orbit);

/* The rotation of a system with its spin along z, for an orbit whose other body is in the direction
 * `angle` at pericentre. Inclination i and argument ω are defined as by Toomre & Toomre (1972), in
 * degrees: i is the angle between the planes of disk and orbit; ω is the angle in the orbital plane
 * from the point where the other body rises through the disk, to the side of its spin, to the
 * pericentre. i = 0 is a direct passage, 180 a retrograde one. */
void ky_kepler_tilt(double inclination, double omega, double angle, double matrix[3][3]);

#endif
