/* The server of the view: a thread with its connections. */
#ifndef KY_VIEW_SERVER_H
#define KY_VIEW_SERVER_H

#include "view/desk.h"

struct ky_server;

/* A server without connections, to be freed with free() after its thread has ended; NULL if memory
 * runs out. */
struct ky_server *ky_server_make(struct ky_view *view);
/* Serves until the view closes: the thread's function, called with a struct ky_server. */
void *ky_server_run(void *server);
/* Makes a socket, or the end of a pipe, non-blocking and not inherited by other programs. −1 if the
 * system fails. */
int ky_socket_prepare(int socket);

#endif
