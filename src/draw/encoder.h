/* A film file, encoded by the program ffmpeg from frames that are sent to it. */
#ifndef KY_DRAW_ENCODER_H
#define KY_DRAW_ENCODER_H

#include "draw/draw.h"

struct ky_encoder;

/* KY_UNSUPPORTED if no folder of PATH has ffmpeg. */
enum ky_status ky_encoder_available(struct ky_error *error);
/* Starts ffmpeg, which writes to a temporary name in the folder of `path`. size: width and height
 * [pixels]; `rate`: frames per second. Fails as ky_file_create, and with KY_FAULT if no program can
 * be started. */
enum ky_status ky_encoder_open(const char *path, const size_t size[2], int rate, int overwrite,
                               struct ky_encoder **encoder, struct ky_error *error);
/* Sends one frame of that size. KY_CANNOT_WRITE if ffmpeg has ended. */
enum ky_status ky_encoder_write(struct ky_encoder *encoder, const struct ky_canvas *frame,
                                struct ky_error *error);
/* Waits for ffmpeg; then renames the film to its final name if `whole`, otherwise removes it.
 * KY_CANNOT_WRITE if ffmpeg failed or left an empty film; its own messages go to standard error.
 * Frees the encoder, which may be NULL. */
enum ky_status ky_encoder_close(struct ky_encoder *encoder, int whole, struct ky_error *error);

#endif
