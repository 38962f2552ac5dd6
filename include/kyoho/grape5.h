/* grape5.h - the calls of the GRAPE-5 library, as libkyoho_g5 implements them: accelerations and
 * potentials of bodies at rest on points.
 *
 * A sink has no label, so that a body that is a sink too acts on itself: a = 0, potential m/eps
 * (with eps = 0 nothing), which the program subtracts as with the hardware. The potential is
 * positive, as from the hardware, with G = 1. Sums are in float, with errors near 1e-7 for a group
 * of sinks and the bodies around it, unless KYOHO_PRECISION asks for more. The conventions of
 * grape6.h hold here too: C and Fortran names, weak, 0 or an error, choice of a processor, forks.
 * docs/grape.md is the manual. */
#ifndef KYOHO_GRAPE5_H
#define KYOHO_GRAPE5_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef KY_GRAPE_API
#if defined(__GNUC__)
#define KY_GRAPE_API __attribute__((visibility("default")))
#else
#define KY_GRAPE_API
#endif
#endif

KY_GRAPE_API int g5_open(void);
KY_GRAPE_API int g5_open_(void);
KY_GRAPE_API int g5_close(void); /* forgets all bodies */
KY_GRAPE_API int g5_close_(void);
/* The number of sinks of a call that suits the processor: 48, or KYOHO_NPIPES; any number is
 * accepted. */
KY_GRAPE_API int g5_get_number_of_pipelines(void);
KY_GRAPE_API int g5_get_number_of_pipelines_(void);
KY_GRAPE_API int g5_get_number_of_pipelines_per_board(void);
KY_GRAPE_API int g5_get_number_of_pipelines_per_board_(void);
KY_GRAPE_API int g5_get_number_of_boards(void); /* 1 */
KY_GRAPE_API int g5_get_number_of_boards_(void);
KY_GRAPE_API int g5_get_firstcluster(void); /* 0 */
KY_GRAPE_API int g5_get_firstcluster_(void);
/* The maximum number of bodies, which is limited only by the memory. */
KY_GRAPE_API int g5_get_jmemsize(void);
KY_GRAPE_API int g5_get_jmemsize_(void);
/* Not read: the numbers are not fixed-point. */
KY_GRAPE_API int g5_set_range(double low, double high, double mass);
KY_GRAPE_API int g5_set_range_(double *low, double *high, double *mass);

/* Softening of all pairs; 0 at first. */
KY_GRAPE_API int g5_set_eps_to_all(double eps);
KY_GRAPE_API int g5_set_eps_to_all_(double *eps);
KY_GRAPE_API int g5_set_eps2_to_all(double eps2);
KY_GRAPE_API int g5_set_eps2_to_all_(double *eps2);
/* The bodies in the slots 0 … n - 1 act. */
KY_GRAPE_API int g5_set_n(int n);
KY_GRAPE_API int g5_set_n_(int *n);
/* Positions and masses of the slots first … first + n - 1, from the same places of the arrays:
 * x[first], m[first], … */
KY_GRAPE_API int g5_set_xmj(int first, int n, double x[][3], double m[]);
KY_GRAPE_API int g5_set_xmj_(int *first, int *n, double x[][3], double m[]);
KY_GRAPE_API int g5_set_jp(int first, int n, double m[], double x[][3]);
KY_GRAPE_API int g5_set_jp_(int *first, int *n, double m[], double x[][3]);
KY_GRAPE_API int g5_set_xj(int first, int n, double x[][3]);
KY_GRAPE_API int g5_set_xj_(int *first, int *n, double x[][3]);
KY_GRAPE_API int g5_set_mj(int first, int n, double m[]);
KY_GRAPE_API int g5_set_mj_(int *first, int *n, double m[]);

/* Copies the sinks (g5_set_xi); sums over the bodies (g5_run); returns the sums (g5_get_force),
 * with the n of g5_set_xi. Without g5_run g5_get_force computes the sums itself. */
KY_GRAPE_API int g5_set_xi(int n, double x[][3]);
KY_GRAPE_API int g5_set_xi_(int *n, double x[][3]);
KY_GRAPE_API int g5_run(void);
KY_GRAPE_API int g5_run_(void);
KY_GRAPE_API int g5_get_force(int n, double a[][3], double p[]);
KY_GRAPE_API int g5_get_force_(int *n, double a[][3], double p[]);
/* All of that in one call, for any number of sinks. */
KY_GRAPE_API int g5_calculate_force_on_x(double x[][3], double a[][3], double p[], int n);
KY_GRAPE_API int g5_calculate_force_on_x_(double x[][3], double a[][3], double p[], int *n);

/* The same with the number of a device, 0 to 1,023. Each number has its own bodies and sinks,
 * independent of the actual processors; the calls above use device 0. Threads may call at once if
 * their devices differ. g5_set_eps_to_all sets eps for all devices. */
KY_GRAPE_API int g5_set_nMC(int device, int n);
KY_GRAPE_API int g5_set_nMC_(int *device, int *n);
KY_GRAPE_API int g5_set_xmjMC(int device, int first, int n, double x[][3], double m[]);
KY_GRAPE_API int g5_set_xmjMC_(int *device, int *first, int *n, double x[][3], double m[]);
KY_GRAPE_API int g5_set_xiMC(int device, int n, double x[][3]);
KY_GRAPE_API int g5_set_xiMC_(int *device, int *n, double x[][3]);
KY_GRAPE_API int g5_runMC(int device);
KY_GRAPE_API int g5_runMC_(int *device);
KY_GRAPE_API int g5_get_forceMC(int device, int n, double a[][3], double p[]);
KY_GRAPE_API int g5_get_forceMC_(int *device, int *n, double a[][3], double p[]);
KY_GRAPE_API int g5_calculate_force_on_xMC(int device, double x[][3], double a[][3], double p[],
                                           int n);
KY_GRAPE_API int g5_calculate_force_on_xMC_(int *device, double x[][3], double a[][3], double p[],
                                            int *n);
/* Not read: there is no table of cutoff. */
KY_GRAPE_API int g5_set_eta(double eta);
KY_GRAPE_API int g5_set_eta_(double *eta);

#ifdef __cplusplus
}
#endif

#endif
