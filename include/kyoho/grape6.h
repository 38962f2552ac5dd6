/* grape6.h - the calls of the GRAPE-6 library, as libkyoho_g6 implements them.
 *
 * Existing programs have declarations of their own and need no header; this one is for new
 * programs, and is the manual of each call. docs/grape.md explains how to link, how to choose a
 * processor, and how GRAPE libraries differ.
 *
 * Every call exists by its C name and, with a trailing underscore and pointers for all arguments,
 * by its Fortran name. All are weak: a program may define any of them itself. Every call returns 0
 * unless its comment says otherwise. An error is a number that is not 0; nothing is printed unless
 * KYOHO_VERBOSE is set. Only one thread of a process may call. After a failure of a processor or of
 * memory, calls that need it fail until g6_close and g6_open; in a child after fork they always
 * fail.
 *
 * Units are the caller's, with G = 1. The number of the cluster, where there is one, may be any
 * number, and for the Fortran names a null pointer. */
#ifndef KYOHO_GRAPE6_H
#define KYOHO_GRAPE6_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KY_GRAPE_API __attribute__((visibility("default")))
#else
#define KY_GRAPE_API
#endif

/* ---- begin and end ---- */

/* Takes the processor that the environment names, or these devices: the GPUs with the numbers
 * list[0] … list[count - 1], among which the bodies are divided. Cheap after the first time.
 * `bodies` is not read. */
KY_GRAPE_API int g6_open(int cluster);
KY_GRAPE_API int g6_open_(int *cluster);
KY_GRAPE_API int g6_open_special(int count, int *list);
KY_GRAPE_API int g6_open_special_(int *count, int *list);
KY_GRAPE_API int g6_open_special2(int count, int *list, int bodies);
KY_GRAPE_API int g6_open_special2_(int *count, int *list, int *bodies);
/* Forgets all bodies; the devices stay with the process. */
KY_GRAPE_API int g6_close(int cluster);
KY_GRAPE_API int g6_close_(int *cluster);
/* Returns the number of sinks of a call that suits the processor: 48, or KYOHO_NPIPES. More are
 * accepted too. */
KY_GRAPE_API int g6_npipes(void);
KY_GRAPE_API int g6_npipes_(void);
KY_GRAPE_API int g6_get_number_of_pipelines(void);
KY_GRAPE_API int g6_get_number_of_pipelines_(void);

/* ---- bodies that act ---- */

/* The time to which bodies are predicted from now on. */
KY_GRAPE_API int g6_set_ti(int cluster, double ti);
KY_GRAPE_API int g6_set_ti_(int *cluster, double *ti);
/* Puts a body into the slot `address` (0, 1, …), and replaces the body there: its label, the time
 * tj at which the other numbers are valid, mass, snap/18, jerk/6, acceleration/2, velocity,
 * position. dtj is not read. Slots may be filled in any order; empty slots exert no force. Not 0
 * for a negative address, without g6_open, and out of memory. */
KY_GRAPE_API int g6_set_j_particle(int cluster, int address, int index, double tj, double dtj,
                                   double mass, double a2by18[3], double a1by6[3], double aby2[3],
                                   double v[3], double x[3]);
KY_GRAPE_API int g6_set_j_particle_(int *cluster, int *address, int *index, double *tj, double *dtj,
                                    double *mass, double a2by18[3], double a1by6[3], double aby2[3],
                                    double v[3], double x[3]);

/* ---- forces ---- */

/* Begins to compute the forces of the slots 0 … nj - 1 at the time of g6_set_ti on ni sinks with
 * these labels, positions and velocities, and returns. Bodies with the label of a sink do not act
 * on it. All data are copied: arrays and bodies may change before g6calc_lasthalf. An earlier force
 * whose results were not fetched is abandoned. fold, jold and phiold are not read. h2 is h² of each
 * sink for the lists of neighbours, or NULL; it may hold any number. */
KY_GRAPE_API int g6calc_firsthalf(int cluster, int nj, int ni, int index[], double xi[][3],
                                  double vi[][3], double fold[][3], double jold[][3],
                                  double phiold[], double eps2, double h2[]);
KY_GRAPE_API int g6calc_firsthalf_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                   double vi[][3], double fold[][3], double jold[][3],
                                   double phiold[], double *eps2, double h2[]);
/* Waits for the forces of g6calc_firsthalf and returns acceleration, jerk and potential (negative,
 * without the sink itself). lasthalf2 also returns the label of the nearest body, by the distance
 * without softening. Of equally near bodies it is the one with the lowest slot; the label is -1 if
 * no body has another label than the sink. Of the inputs only ni is read, which must be the ni of
 * firsthalf. The outputs may be arrays that were inputs. Not 0 after a failure, and without
 * firsthalf. */
KY_GRAPE_API int g6calc_lasthalf(int cluster, int nj, int ni, int index[], double xi[][3],
                                 double vi[][3], double eps2, double h2[], double acc[][3],
                                 double jerk[][3], double pot[]);
KY_GRAPE_API int g6calc_lasthalf_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                  double vi[][3], double *eps2, double h2[], double acc[][3],
                                  double jerk[][3], double pot[]);
KY_GRAPE_API int g6calc_lasthalf2(int cluster, int nj, int ni, int index[], double xi[][3],
                                  double vi[][3], double eps2, double h2[], double acc[][3],
                                  double jerk[][3], double pot[], int nnbindex[]);
KY_GRAPE_API int g6calc_lasthalf2_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                   double vi[][3], double *eps2, double h2[], double acc[][3],
                                   double jerk[][3], double pot[], int nnbindex[]);
/* The same under the names by which Phantom-GRAPE makes lists of neighbours. */
KY_GRAPE_API int g6calc_lasthalfn(int cluster, int nj, int ni, int index[], double xi[][3],
                                  double vi[][3], double eps2, double h2[], double acc[][3],
                                  double jerk[][3], double pot[]);
KY_GRAPE_API int g6calc_lasthalfn_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                   double vi[][3], double *eps2, double h2[], double acc[][3],
                                   double jerk[][3], double pot[]);
KY_GRAPE_API int g6calc_lasthalf2n(int cluster, int nj, int ni, int index[], double xi[][3],
                                   double vi[][3], double eps2, double h2[], double acc[][3],
                                   double jerk[][3], double pot[], int nnbindex[]);
KY_GRAPE_API int g6calc_lasthalf2n_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                    double vi[][3], double *eps2, double h2[], double acc[][3],
                                    double jerk[][3], double pot[], int nnbindex[]);
/* These give the distance of the nearest body too, √(r² + eps2); infinite where there is none. */
KY_GRAPE_API int g6calc_lasthalf2p(int cluster, int nj, int ni, int index[], double xi[][3],
                                   double vi[][3], double eps2, double h2[], double acc[][3],
                                   double jerk[][3], double pot[], int nnbindex[], float rnnb[]);
KY_GRAPE_API int g6calc_lasthalf2p_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                    double vi[][3], double *eps2, double h2[], double acc[][3],
                                    double jerk[][3], double pot[], int nnbindex[], float rnnb[]);
KY_GRAPE_API int g6calc_lasthalf2np(int cluster, int nj, int ni, int index[], double xi[][3],
                                    double vi[][3], double eps2, double h2[], double acc[][3],
                                    double jerk[][3], double pot[], int nnbindex[], float rnnb[]);
KY_GRAPE_API int g6calc_lasthalf2np_(int *cluster, int *nj, int *ni, int index[], double xi[][3],
                                     double vi[][3], double *eps2, double h2[], double acc[][3],
                                     double jerk[][3], double pot[], int nnbindex[], float rnnb[]);

/* ---- neighbours ---- */

/* Fetches the lists of the last force: bodies within h without softening and with another label.
 * Returns 1 if one of them has more than 4,096 (KYOHO_NEIGHBOURS), negative without a force. */
KY_GRAPE_API int g6_read_neighbour_list(int cluster);
KY_GRAPE_API int g6_read_neighbour_list_(int *cluster);
KY_GRAPE_API int g6_read_neighbour_list_old(int cluster); /* the same */
KY_GRAPE_API int g6_read_neighbour_list_old_(int *cluster);
/* The list of the sink `pipe` (0, 1, …, also from Fortran): labels, ascending. Returns 1 if there
 * are more than `most` or than lists hold: *count is `most` then, and the labels that are not known
 * are -1. Negative for a sink that does not exist. Without g6_read_neighbour_list before it the
 * lists are fetched here. */
KY_GRAPE_API int g6_get_neighbour_list(int cluster, int pipe, int most, int *count, int list[]);
KY_GRAPE_API int g6_get_neighbour_list_(int *cluster, int *pipe, int *most, int *count, int list[]);
/* The mode is stored and returned; lists are always ascending. */
KY_GRAPE_API int g6_set_neighbour_list_sort_mode(int mode);
KY_GRAPE_API int g6_set_neighbour_list_sort_mode_(int *mode);
KY_GRAPE_API int g6_get_neighbour_list_sort_mode(void);
KY_GRAPE_API int g6_get_neighbour_list_sort_mode_(void);

/* ---- calls without effect here ---- */

/* Bodies stay as they are. */
KY_GRAPE_API int g6_reset(int cluster);
KY_GRAPE_API int g6_reset_(int *cluster);
KY_GRAPE_API int g6_reset_fofpga(int cluster);
KY_GRAPE_API int g6_reset_fofpga_(int *cluster);
KY_GRAPE_API int g6_reinitialize(int cluster);
KY_GRAPE_API int g6_reinitialize_(int *cluster);
/* A label changes when its body is sent again. */
KY_GRAPE_API int g6_changed_index(int cluster);
KY_GRAPE_API int g6_changed_index_(int *cluster);
KY_GRAPE_API int g6_print_chip_status(int cluster); /* prints nothing */
KY_GRAPE_API int g6_print_chip_status_(int *cluster);
KY_GRAPE_API int g6_set_tunit(int exponent);
KY_GRAPE_API int g6_set_tunit_(int *exponent);
KY_GRAPE_API int g6_set_xunit(int exponent);
KY_GRAPE_API int g6_set_xunit_(int *exponent);
KY_GRAPE_API int g6_setup_njdata(int cluster, int nj);
KY_GRAPE_API int g6_setup_njdata_(int *cluster, int *nj);
KY_GRAPE_API int g6_initialize_jp_buffer(int cluster, int size);
KY_GRAPE_API int g6_initialize_jp_buffer_(int *cluster, int *size);
KY_GRAPE_API int g6_flush_jp_buffer(int cluster);
KY_GRAPE_API int g6_flush_jp_buffer_(int *cluster);
KY_GRAPE_API int g6_set_overflow_flag_test_mode(int a, int jerk, int potential);
KY_GRAPE_API int g6_set_overflow_flag_test_mode_(int *a, int *jerk, int *potential);

#ifdef __cplusplus
}
#endif

#endif
