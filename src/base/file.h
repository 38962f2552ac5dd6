/* Files.
 *
 * Writing replaces a file in one step. Everything goes to PATH.part in the same folder. At the end
 * PATH.part is flushed to the disk and renamed, so that an existing file is complete at any time.
 * Several writers of one file at the same time have temporary files of their own (PATH.2.part …);
 * the last one that publishes stays. A PATH.part that a killed program left behind is taken over by
 * the next writer of PATH.
 *
 * Reading is by position, from a file or from memory, and never past the end. */
#ifndef KY_BASE_FILE_H
#define KY_BASE_FILE_H

#include "base/status.h"

/* Writes the message of the errno `number` to `text`, and returns `text`. */
const char *ky_reason(int number, char text[128]);

/* 1 if the path is "-", which stands for standard input or output. */
int ky_is_standard(const char *path);
/* 1 if `text` ends with `end`, in small or capital letters. `end` is in small letters; nothing ends
 * with NULL or "". */
int ky_ends_with(const char *text, const char *end);

/* ---- writing ---- */

struct ky_file;

/* Whether a file of this name may be written, before any work is done for it. KY_USAGE for an empty
 * name, and for a file that exists unless `overwrite`; KY_CANNOT_WRITE for a folder, for
 * anything else except a regular file, and for a new file where none can be made. Nothing is opened
 * or created. */
enum ky_status ky_file_may_write(const char *path, int overwrite, struct ky_error *error);
/* Opens PATH.part, where ky_file_may_write allows it. KY_CANNOT_WRITE if the system refuses. */
enum ky_status ky_file_create(const char *path, int overwrite, struct ky_file **file,
                              struct ky_error *error);
/* Standard output as a file, only for ky_file_write and ky_file_print. Nothing is renamed at the
 * end, and output cannot be withdrawn. KY_CANNOT_WRITE if it is closed. */
enum ky_status ky_file_standard_output(struct ky_file **file, struct ky_error *error);
/* KY_CANNOT_WRITE if the disk has fewer than `bytes` bytes left. Takes no bytes: another program
 * may use them up before the file is written. */
enum ky_status ky_file_reserve(struct ky_file *file, uint64_t bytes, struct ky_error *error);

/* These calls return 0, or -1 once the file has failed. The file remembers its first failure, which
 * ky_file_finish reports; after it they do nothing. ky_file_write and ky_file_print append through
 * a buffer. The other calls bypass the buffer, so a file must use either these two or the others.
 * ky_file_print takes lines of up to 1,023 bytes. */
int ky_file_write(struct ky_file *file, const void *data, size_t bytes);
int ky_file_print(struct ky_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int ky_file_write_at(struct ky_file *file, uint64_t offset, const void *data, size_t bytes);
/* Truncates the file to `bytes` bytes, or extends it with zeros. */
int ky_file_resize(struct ky_file *file, uint64_t bytes);
/* Reads back written data; zeros past their end. */
int ky_file_read_at(struct ky_file *file, uint64_t offset, void *data, size_t bytes);

/* Opens a file that another writer makes, to write other parts of it, only by ky_file_write_at;
 * ky_file_finish waits until the disk has these parts. `open` is its present name, PATH.part, and
 * `path` the name for error lines. is_new: it is made or emptied here; nobody else may do so. Its
 * name stays; ky_file_discard closes it. KY_CANNOT_WRITE if it cannot be opened. */
enum ky_status ky_file_join(const char *path, const char *open, int is_new, struct ky_file **file,
                            struct ky_error *error);

/* Prepends to the error of a file that the rank must be able to open it, and the remedy. Returns
 * the status of the error. */
enum ky_status ky_file_unseen(struct ky_error *error, size_t rank);

/* The name of the temporary file, for a second stream that reads or writes in it. */
const char *ky_file_temporary(const struct ky_file *file);

/* Empties the buffer and waits until the disk has everything. KY_CANNOT_WRITE for the first failure
 * since the file was opened. */
enum ky_status ky_file_finish(struct ky_file *file, struct ky_error *error);
/* ky_file_finish, then gives the file its name. If `previous` is not NULL, a file that has the name
 * already is kept under that name. Frees `file` in any case, and removes PATH.part after a failure.
 */
enum ky_status ky_file_publish(struct ky_file *file, const char *previous, struct ky_error *error);
/* Removes PATH.part and frees `file`, which may be NULL. */
void ky_file_discard(struct ky_file *file);

/* ---- reading ---- */

struct ky_input {
    const char *path; /* for error lines and for files in the same folder; NULL for memory */
    uint64_t size;
    int64_t written; /* the second in which it was written last; 0 for memory */
    int fd;          /* -1: memory */
    const unsigned char *memory;
    void *owned;           /* freed by ky_input_close, or NULL */
    struct ky_input *kept; /* [KY_INPUTS_KEPT] other files of a snapshot, which are closed with this
                              one; path NULL: not opened yet. Or NULL: they are not kept open */
};
enum { KY_INPUTS_KEPT = 128 };

/* Opens a file for reading. KY_BAD_DATA if it is missing, empty, not a regular file, or not
 * readable. `path` must outlive the input. */
enum ky_status ky_input_open(const char *path, struct ky_input *input, struct ky_error *error);
/* 1 if the open file has another size or time than when it was opened. */
int ky_input_has_changed(const struct ky_input *input);
/* `size` bytes at `data`, which must outlive the input. */
void ky_input_memory(struct ky_input *input, const void *data, size_t size);
/* Reads all of standard input into memory. KY_BAD_DATA if it is empty or cannot be read, KY_FAULT
 * if memory runs out. The input is to be closed after a failure too. */
enum ky_status ky_input_standard(struct ky_input *input, struct ky_error *error);
/* Closes the file, or frees the memory that ky_input_standard took. */
void ky_input_close(struct ky_input *input);
/* Reads `bytes` bytes from byte `offset` on. KY_BAD_DATA if the file ends before, or cannot be
 * read. */
enum ky_status ky_input_read(const struct ky_input *input, uint64_t offset, void *data,
                             size_t bytes, struct ky_error *error);

#endif
