/* Numbers of devices in the name of an engine, as in cuda:0,2. */
#ifndef KY_DEVICE_LIST_H
#define KY_DEVICE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "kyoho/kyoho.h"

/* The number of device numbers after the colon; 0 without a colon. KY_USAGE if the text after it is
 * not a list of numbers. */
enum ky_status ky_device_list(const char *name, size_t *count, struct ky_error *error);
/* For tests: if not 0, a device may be named twice, as if it were two. */
extern int ky_device_twice;
/* The same, and KY_USAGE if a number is named twice. */
enum ky_status ky_device_list_once(const char *name, size_t *count, struct ky_error *error);
/* The k-th device number; k is below the count. */
uint64_t ky_device_listed(const char *name, size_t k);

#endif
