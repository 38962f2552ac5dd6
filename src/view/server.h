/* The server of the view: a thread with its connections. */
#ifndef KY_VIEW_SERVER_H
#define KY_VIEW_SERVER_H

#include "view/desk.h"

struct ky_server;

/* A server without connections, to be freed by free() after its thread has ended; NULL when memory
 * is out. */
struct ky_server *ky_server_make(struct ky_view *view);
/* Serves until the view closes: the thread's function, with a struct ky_server. */
void *ky_server_run(void *server);
/* The socket, or end of a pipe, is not handed to other programs, and no call waits for it. −1 if
 * the system refuses. */
int ky_socket_prepare(int socket);

#endif
