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
/* 1 if `path` is a file in the folder that --overwrite would remove. */
int ky_folder_would_remove(const char *folder, const char *path);

/* The first files of a run are written to a folder inside the folder, so that old results stay
 * until the new run has begun. `begin` makes it anew and says where it is. `commit` removes the old
 * results, and a file named `stop`, and moves the new files to their place. `drop` removes what was
 * begun. */
enum ky_status ky_folder_begin(const char *folder, char inside[KY_PATH], struct ky_error *error);
enum ky_status ky_folder_commit(const char *folder, struct ky_error *error);
void ky_folder_drop(const char *folder);
/* Ends a commit that was interrupted, whenever that was; does nothing where there is none. */
enum ky_status ky_folder_settle(const char *folder, struct ky_error *error);
/* 1 if a run can be resumed there. */
int ky_folder_resumable(const char *folder);
/* Whether a name in the folder is that of a snapshot as a run writes them. */
int ky_folder_is_snapshot(const char *name);
/* 1 if the user has put a file named `stop` there; it is removed, so that the run can go on later.
 */
int ky_folder_stop(const char *folder);

#endif
