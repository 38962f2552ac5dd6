/* Runs foreign code that may end the process in a child first. The caller's process does not
 * notice: no SIGCHLD, no child to wait for, no change of handlers or masks. Other threads of the
 * process continue. Only Linux has the needed system calls, and gcc's thread sanitizer allows the
 * child no threads. On other systems and with this sanitizer nothing is tried. */
#ifndef KY_BASE_TRIAL_H
#define KY_BASE_TRIAL_H

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define KY_HAS_TRIAL 1
#endif

enum { KY_TRIAL_NOTE = 128 };

/* How a trial ended; neither returned nor ended: nothing was tried. */
struct ky_trial {
    int returned;             /* 1: `act` returned */
    int ended;                /* 1: the child ended before that */
    int signal;               /* which signal ended it; 0: it exited */
    char note[KY_TRIAL_NOTE]; /* the last text that `act` wrote */
};

/* Calls act(note) in a child. The child has a copy of the memory of this process. Of its writes
 * only the note reaches the caller; none reaches files or the terminal. A child that takes more
 * than `seconds` is ended by SIGALRM. Where no child can be made, nothing is tried. */
struct ky_trial ky_trial(void (*act)(char *note), unsigned seconds);

#endif
