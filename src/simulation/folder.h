/* The output folder of a run: the names in it, whether it is free, and which files are removed. */
#ifndef KY_SIMULATION_FOLDER_H
#define KY_SIMULATION_FOLDER_H

#include "base/status.h"

enum { KY_PATH = 4096 };

/* Write "FOLDER/NAME" to `path`, or the name of snapshot number `number` in the folder, in pieces
 * of its first piece. KY_USAGE if that is too long. */
enum ky_status ky_folder_path(const char *folder, const char *name, char path[KY_PATH],
                              struct ky_error *error);
enum ky_status ky_folder_snapshot(const char *folder, size_t number, int in_pieces,
                                  char path[KY_PATH], struct ky_error *error);
/* The same for the catalogue of its groups. */
enum ky_status ky_folder_groups(const char *folder, size_t number, char path[KY_PATH],
                                struct ky_error *error);

/* Creates the folder if necessary, and checks that it can be written, before anything is computed.
 * *made becomes 1 if the folder did not exist. KY_USAGE if it contains results of a run, unless
 * `overwrite`; KY_CANNOT_WRITE if it cannot be created or written. */
enum ky_status ky_folder_check(const char *folder, int overwrite, int *made,
                               struct ky_error *error);
/* 1 if `path` is a file in the folder that --overwrite would remove. */
int ky_folder_would_remove(const char *folder, const char *path);

/* The first files of a run are written to a folder inside the folder, so that old results stay
 * until the new run has begun. `begin` creates an empty folder and writes its name to `inside`.
 * `commit` removes the old results and a file named `stop`, and moves the new files to their place.
 * `drop` removes the folder of the start. KY_CANNOT_WRITE if the file system fails. */
enum ky_status ky_folder_begin(const char *folder, char inside[KY_PATH], struct ky_error *error);
enum ky_status ky_folder_commit(const char *folder, struct ky_error *error);
void ky_folder_drop(const char *folder);
/* Completes an interrupted commit, however long ago. Does nothing if there is none. */
enum ky_status ky_folder_settle(const char *folder, struct ky_error *error);
/* 1 if the folder has a restart file, or the start of a run that can be completed. */
int ky_folder_resumable(const char *folder);
/* 1 if the user has created a file named `stop` there. The file is removed, so that the run can be
 * resumed later. */
int ky_folder_stop(const char *folder);

#endif
