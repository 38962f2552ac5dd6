/* How the GRAPE libraries define a call: a C name and a Fortran name, both weak, because programs
 * define some of them themselves. */
#ifndef KY_GRAPE_NAMES_H
#define KY_GRAPE_NAMES_H

#define WEAK __attribute__((weak))

/* Both names of a call without arguments that returns a number. */
#define NUMBER(name, value)                                                                        \
    WEAK int name(void)                                                                            \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    WEAK int name##_(void)                                                                         \
    {                                                                                              \
        return value;                                                                              \
    }

#endif
