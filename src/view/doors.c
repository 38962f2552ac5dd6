/* The access control of the server: see doors.h.
 *
 * Any web page can make a browser on this machine send requests to the loopback interface. The name
 * in Host is the name in the address bar: if it is not this machine's, somebody has made his own
 * name resolve to 127.0.0.1. In Origin the browser names the page that sends a request. The port in
 * both is the one that the browser sees, which a tunnel (ssh -L) changes; so any port is accepted,
 * but it must be the same in both. The token excludes other users of this machine. */
#include "view/doors.h"

#include <string.h>

static const char *const own_names[] = {"127.0.0.1", "localhost", "[::1]"};

/* 1 if the host is this machine, with any port. */
static int is_here(const char *host)
{
    for (size_t k = 0; k < sizeof own_names / sizeof *own_names; k++) {
        const size_t length = strlen(own_names[k]);
        if (strncmp(host, own_names[k], length) != 0)
            continue;
        const char *port = host + length;
        if (!*port || (*port == ':' && strspn(port + 1, "0123456789") == strlen(port + 1)))
            return 1;
    }
    return 0;
}

/* 1 if the two texts are equal, in a time that does not reveal how much of them is. */
static int is_token(const char *given, const char *token)
{
    unsigned differs = strlen(given) != strlen(token);
    for (size_t k = 0; given[k] && token[k]; k++)
        differs |= (unsigned)(given[k] ^ token[k]);
    return !differs;
}

const char *ky_doors_refuse(const struct ky_request *request, const char *token)
{
    static const char scheme[] = "http://", query[] = "token=";
    const size_t before = sizeof scheme - 1;
    if (!request->host || !is_here(request->host))
        return "this page is available only at 127.0.0.1 or localhost\n";
    if (request->origin && (strncmp(request->origin, scheme, before) != 0 ||
                            strcmp(request->origin + before, request->host) != 0))
        return "another page sent this request\n";
    /* in the address that a user opens; pages send the token in a field of its own */
    const char *given = request->token;
    if (!given && !strcmp(request->path, "/") && !strncmp(request->query, query, strlen(query)))
        given = request->query + strlen(query);
    return given && is_token(given, token)
               ? NULL
               : "the token is missing or wrong: open the whole address that the program has "
                 "printed\n";
}
