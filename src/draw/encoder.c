/* ffmpeg as a child process. Frames go through a socket pair, not a pipe: writing to a child that
 * has ended is then an error, not a signal. */
#include "draw/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

static const char program[] = "ffmpeg";

/* Creates a socket pair that no other child inherits. Returns non-zero, with errno set, on
 * failure. */
static int open_pair(int sockets[2])
{
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets);
#else
    return socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
           fcntl(sockets[0], F_SETFD, FD_CLOEXEC) < 0 || fcntl(sockets[1], F_SETFD, FD_CLOEXEC) < 0;
#endif
}

struct ky_encoder {
    struct ky_file *file;
    pid_t child;
    int socket;
};

enum ky_status ky_encoder_available(struct ky_error *error)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        char name[4096];
        size_t length = strcspn(at, ":");
        int written = snprintf(name, sizeof name, "%.*s/%s", (int)length, at, program);
        if (written > 0 && (size_t)written < sizeof name && !access(name, X_OK))
            return KY_OK;
        at += length;
    }
    return ky_fail(error, KY_UNSUPPORTED,
                   "films need the program ffmpeg, which is not on the PATH: install it, or draw "
                   "pictures (FILE.png)");
}

/* Starts the program with frames on its standard input; returns an errno. Its standard output is
 * redirected to standard error, since another program may read ours. */
static int start(struct ky_encoder *encoder, const size_t size[2], int rate, const char *output)
{
    char pixels[64], frames[32], film[4200];
    /* Common players need even sides. */
    char even[] = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    const char *words[] = {
        program,       "-loglevel", "error",      "-y",   "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-video_size", pixels,      "-framerate", frames, "-i", "pipe:0",   "-an",      "-vf",
        even,          "-c:v",      "libx264",    "-crf", "18", "-pix_fmt", "yuv420p",  "-movflags",
        "+faststart",  "-f",        "mp4",        film,   NULL};
    int sockets[2];
    posix_spawn_file_actions_t actions;
    snprintf(pixels, sizeof pixels, "%zux%zu", size[0], size[1]);
    snprintf(frames, sizeof frames, "%d", rate);
    snprintf(film, sizeof film, "file:%s", output);
    if (open_pair(sockets))
        return errno;
    int failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        posix_spawn_file_actions_adddup2(&actions, sockets[0], 0);
        posix_spawn_file_actions_adddup2(&actions, 2, 1);
        failed =
            posix_spawnp(&encoder->child, program, &actions, NULL, (char *const *)words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(sockets[0]);
    if (failed)
        close(sockets[1]);
    else
        encoder->socket = sockets[1];
    return failed;
}

enum ky_status ky_encoder_open(const char *path, const size_t size[2], int rate, int overwrite,
                               struct ky_encoder **encoder, struct ky_error *error)
{
    char reason[128];
    *encoder = calloc(1, sizeof **encoder);
    if (!*encoder)
        return ky_fail(error, KY_FAULT, "out of memory: the film");
    enum ky_status status = ky_file_create(path, overwrite, &(*encoder)->file, error);
    int failed = status ? 0 : start(*encoder, size, rate, ky_file_temporary((*encoder)->file));
    if (failed) {
        ky_file_discard((*encoder)->file);
        status =
            ky_fail(error, KY_FAULT, "ffmpeg cannot be started: %s", ky_reason(failed, reason));
    }
    if (status) {
        free(*encoder);
        *encoder = NULL;
    }
    return status;
}

enum ky_status ky_encoder_write(struct ky_encoder *encoder, const struct ky_canvas *frame,
                                struct ky_error *error)
{
    const uint8_t *at = frame->rgb, *end = at + 3 * frame->width * frame->height;
    while (at < end) {
        ssize_t sent = send(encoder->socket, at, (size_t)(end - at), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return ky_fail(error, KY_CANNOT_WRITE, "ffmpeg ended before the film did");
        at += sent > 0 ? sent : 0;
    }
    return KY_OK;
}

enum ky_status ky_encoder_close(struct ky_encoder *encoder, int whole, struct ky_error *error)
{
    int outcome = 0;
    enum ky_status status = KY_OK;
    if (!encoder)
        return KY_OK;
    if (!whole) /* the program must not complete an aborted film */
        kill(encoder->child, SIGKILL);
    close(encoder->socket);
    while (waitpid(encoder->child, &outcome, 0) < 0 && errno == EINTR)
        continue;
    if (whole && !(WIFEXITED(outcome) && !WEXITSTATUS(outcome)))
        status = ky_fail(error, KY_CANNOT_WRITE, "ffmpeg failed (%s %d); there is no film",
                         WIFEXITED(outcome) ? "exit code" : "signal",
                         WIFEXITED(outcome) ? WEXITSTATUS(outcome) : WTERMSIG(outcome));
    struct stat about;
    if (whole && !status && (stat(ky_file_temporary(encoder->file), &about) || about.st_size == 0))
        status = ky_fail(error, KY_CANNOT_WRITE, "ffmpeg ended with success, but wrote no film");
    if (whole && !status)
        status = ky_file_publish(encoder->file, NULL, error);
    else
        ky_file_discard(encoder->file);
    free(encoder);
    return status;
}
