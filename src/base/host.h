/* The name of this computer, for messages of ranks on several computers. */
#ifndef KY_BASE_HOST_H
#define KY_BASE_HOST_H

enum { KY_HOST_NAME = 256 };

/* Writes the host name, or "a machine without a name" if there is none. Returns `name`. */
const char *ky_host_name(char name[KY_HOST_NAME]);

#endif
