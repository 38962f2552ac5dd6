/* The name of this computer, for lines of ranks on several ones. */
#ifndef KY_BASE_HOST_H
#define KY_BASE_HOST_H

enum { KY_HOST_NAME = 256 };

/* Writes what `hostname` says; "a machine without a name" if it says nothing. Returns `name`. */
const char *ky_host_name(char name[KY_HOST_NAME]);

#endif
