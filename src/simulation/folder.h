/* The output folder of a run: its names, whether it is free, and what is removed from it. */
#ifndef KY_SIMULATION_FOLDER_H
#define KY_SIMULATION_FOLDER_H

#include "base/status.h"

enum { KY_PATH = 4096 };

/* "FOLDER/NAME"; KY_USAGE if that is too long. */
enum ky_status ky_folder_path(const char *folder, const char *name, char path[KY_PATH],
                              struct ky_error *error);
enum ky_status ky_folder_snapshot(const char *folder, size_t number, char path[KY_PATH],
                                  struct ky_error *error);

/* Makes the folder if need be and checks that it can be written, before anything is computed.
 * Results of a run that lie in it are refused with KY_USAGE unless `overwrite`. *made: the folder
 * was not there before. */
enum ky_status ky_folder_check(const char *folder, int overwrite, int *made,
                               struct ky_error *error);
/* Removes the results that lie in it, and a file named `stop`. */
enum ky_status ky_folder_clear(const char *folder, struct ky_error *error);
/* Whether a name in the folder is that of a snapshot as a run writes them. */
int ky_folder_is_snapshot(const char *name);
/* 1 if the user has put a file named `stop` there; it is removed, so that the run can go on later.
 */
int ky_folder_stop(const char *folder);

#endif
