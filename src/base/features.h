/* The reason that this build lacks a library, and the remedy: text for errors and `--version`. The
 * build defines KY_OFF_… where a feature was switched off (`make HDF5=no`). */
#ifndef KY_BASE_FEATURES_H
#define KY_BASE_FEATURES_H

/* `yes` where the compiler is given -DNAME, else `no`: KY_IF(KY_HAVE_PNG, yes, no). Of the two
 * commas that stand for a defined name the first makes `yes` the second argument. */
#define KY_IF(name, yes, no) KY_IF_VALUE(name, yes, no)
#define KY_IF_VALUE(value, yes, no) KY_SECOND(KY_IF_##value yes, no, )
#define KY_IF_1 ,
#define KY_SECOND(...) KY_SECOND_OF(__VA_ARGS__)
#define KY_SECOND_OF(first, second, ...) second

#define KY_WHY_NO(NAME, lacks)                                                                     \
    KY_IF(KY_OFF_##NAME, "switched off by " #NAME "=no; rebuild without this option", lacks)
/* A line of the list of features. `without`: the loss for a user without the feature, or
 * nothing. */
#define KY_FEATURE(NAME, title, without, why)                                                      \
    KY_IF(KY_HAVE_##NAME, title ": yes", title ": no" without ": " why)
#define KY_WHY_NO_HDF5 KY_WHY_NO(HDF5, "the library was not found; install libhdf5-dev and rebuild")
#define KY_WHY_NO_PNG KY_WHY_NO(PNG, "the library was not found; install libpng-dev and rebuild")
#define KY_WHY_NO_CAIRO                                                                            \
    KY_WHY_NO(CAIRO, "the library was not found; install libcairo2-dev and rebuild")
#define KY_WHY_NO_OPENMP KY_WHY_NO(OPENMP, "the compiler has no OpenMP")

#endif
