/* Files. Writing replaces a file in one step: everything goes to PATH.part in the same folder,
 * which is flushed to the disk and renamed at the end, so that a file that existed is whole at any
 * moment. Writers of the same file at the same time have different temporary files (PATH.2.part …),
 * and the last that is published stays. A PATH.part that a killed program leaves behind is taken
 * over by the next writer of PATH. Reading is by position, from a file or from memory, and never
 * past the end. */
#ifndef KY_BASE_FILE_H
#define KY_BASE_FILE_H

#include "base/status.h"

/* What an errno means, in `text`. */
const char *ky_reason(int number, char text[128]);

/* ---- writing ---- */

struct ky_file;

/* Whether a file of this name may be written, before any work is done for it. KY_USAGE for an empty
 * name, and for a file that exists unless `overwrite`; KY_CANNOT_WRITE for a folder and for what is
 * no plain file. Nothing is opened or made. */
enum ky_status ky_file_may_write(const char *path, int overwrite, struct ky_error *error);
/* Opens PATH.part, where ky_file_may_write allows it. KY_CANNOT_WRITE where the system refuses. */
enum ky_status ky_file_create(const char *path, int overwrite, struct ky_file **file,
                              struct ky_error *error);
/* Standard output, for the two calls that append: nothing is renamed, and what has been written is
 * gone. */
enum ky_status ky_file_standard_output(struct ky_file **file, struct ky_error *error);
/* KY_CANNOT_WRITE if the disk has fewer than `bytes` bytes left. */
enum ky_status ky_file_reserve(struct ky_file *file, uint64_t bytes, struct ky_error *error);

/* Each of these remembers the first failure, which ky_file_finish reports, and does nothing after
 * it; they return 0, or -1 once the file has failed. The first two append through a buffer, the
 * others go past it: a file is written in one way or the other. */
int ky_file_write(struct ky_file *file, const void *data, size_t bytes);
int ky_file_print(struct ky_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int ky_file_write_at(struct ky_file *file, uint64_t offset, const void *data, size_t bytes);
int ky_file_resize(struct ky_file *file, uint64_t bytes);
/* What has been written, zeros past the end. */
int ky_file_read_at(struct ky_file *file, uint64_t offset, void *data, size_t bytes);
uint64_t ky_file_bytes(const struct ky_file *file); /* appended so far */

/* The name of the temporary file, to read back or to write in place what is there so far. */
const char *ky_file_temporary(const struct ky_file *file);

/* Empties the buffer and waits until the disk has everything. */
enum ky_status ky_file_finish(struct ky_file *file, struct ky_error *error);
/* Finishes, then gives the file its name; a file of that name is kept as `previous` if that is not
 * NULL. Frees `file` in any case, and removes PATH.part after a failure. */
enum ky_status ky_file_publish(struct ky_file *file, const char *previous, struct ky_error *error);
/* Removes PATH.part and frees; NULL is allowed. */
void ky_file_discard(struct ky_file *file);

/* ---- reading ---- */

struct ky_input {
    const char *path; /* for error lines and the names of neighbours; NULL for memory */
    uint64_t size;
    int fd; /* -1: memory */
    const unsigned char *memory;
    void *owned; /* freed by ky_input_close, or NULL */
};

/* KY_BAD_DATA for what is missing, no plain file or empty. `path` must outlive the input. */
enum ky_status ky_input_open(const char *path, struct ky_input *input, struct ky_error *error);
void ky_input_memory(struct ky_input *input, const void *data, size_t size);
/* All of standard input, in memory; KY_BAD_DATA if it is empty. To be closed in any case. */
enum ky_status ky_input_standard(struct ky_input *input, struct ky_error *error);
void ky_input_close(struct ky_input *input);
enum ky_status ky_input_read(const struct ky_input *input, uint64_t offset, void *data,
                             size_t bytes, struct ky_error *error);

#endif
