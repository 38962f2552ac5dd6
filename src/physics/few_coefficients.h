/* The coefficients of the stages of a step of few bodies (few.h). Kernels without double include
 * them too. */
#ifndef KY_PHYSICS_FEW_COEFFICIENTS_H
#define KY_PHYSICS_FEW_COEFFICIENTS_H

/* The stages of a step: the coefficients of the kicks, times 2^34. The second half mirrors the
 * first. Their sum is exactly 2^34. */
#define KY_FEW_STAGES 17
#define KY_FEW_UNIT (1.0 / 17179869184.0)
#define KY_FEW_COEFFICIENTS(X)                                                                     \
    X(2236861627)                                                                                  \
    X(9640706618)                                                                                  \
    X(-6691128909)                                                                                 \
    X(2728883176)                                                                                  \
    X(-6801577111)                                                                                 \
    X(3170366891)                                                                                  \
    X(4438838181)                                                                                  \
    X(5068262819)                                                                                  \
    X(-10402557400)                                                                                \
    X(5068262819)                                                                                  \
    X(4438838181)                                                                                  \
    X(3170366891)                                                                                  \
    X(-6801577111)                                                                                 \
    X(2728883176)                                                                                  \
    X(-6691128909)                                                                                 \
    X(9640706618)                                                                                  \
    X(2236861627)

#endif
