/* PNG files, by libpng. In a build without libpng, an error gives the reason. */
#include "draw/png.h"

#include "base/features.h"

#ifndef KY_HAVE_PNG

enum ky_status ky_png_available(struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "pictures need libpng, which this build does not have: " KY_WHY_NO_PNG);
}

enum ky_status ky_png_write(const char *path, const struct ky_canvas *canvas, const char *comment,
                            int overwrite, struct ky_error *error)
{
    (void)path, (void)canvas, (void)comment, (void)overwrite;
    return ky_png_available(error);
}

#else

#include <png.h>
#include <setjmp.h>

#include <string.h>

#include "base/file.h"

/* libpng leaves by longjmp on failure; it must print nothing. */
static void leave(png_structp png, png_const_charp message)
{
    struct ky_error *error = png_get_error_ptr(png);
    ky_fail(error, KY_FAULT, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

/* The file stores a failure and reports it when it is published. */
static void write_bytes(png_structp png, png_bytep data, png_size_t bytes)
{
    ky_file_write(png_get_io_ptr(png), data, bytes);
}

static void flush(png_structp png)
{
    (void)png;
}

/* Writes header, texts and rows. libpng leaves through `leave` on a failure. */
static void write_picture(png_structp png, png_infop info, const struct ky_canvas *canvas,
                          const char *comment)
{
    char software[] = "Software", comment_key[] = "Comment", program[32] = "Kyoho ", line[256] = "";
    strncat(program, ky_version(), sizeof program - 8);
    strncat(line, comment, sizeof line - 1);
    png_text texts[] = {
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = software, .text = program},
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = comment_key, .text = line}};
    png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_text(png, info, texts, sizeof texts / sizeof *texts);
    png_write_info(png, info);
    for (size_t y = 0; y < canvas->height; y++)
        png_write_row(png, canvas->rgb + 3 * y * canvas->width);
    png_write_end(png, info);
}

enum ky_status ky_png_available(struct ky_error *error)
{
    (void)error;
    return KY_OK;
}

enum ky_status ky_png_write(const char *path, const struct ky_canvas *canvas, const char *comment,
                            int overwrite, struct ky_error *error)
{
    struct ky_error inner = {.status = KY_FAULT, .text = "libpng: out of memory"};
    struct ky_file *file;
    enum ky_status status = ky_file_create(path, overwrite, &file, error);
    if (status)
        return status;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &inner, leave, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
        goto fail;
    if (setjmp(png_jmpbuf(png)))
        goto fail;
    png_set_write_fn(png, file, write_bytes, flush);
    /* No size limit of libpng's own: the parameters have been checked. */
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    write_picture(png, info, canvas, comment);
    png_destroy_write_struct(&png, &info);
    return ky_file_publish(file, NULL, error);
fail:
    png_destroy_write_struct(&png, &info);
    ky_file_discard(file);
    return ky_fail(error, KY_FAULT, "%s: %s", path, inner.text);
}

#endif
