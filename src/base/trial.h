/* Foreign code that may end the process is tried in a child first. The caller's process hears
 * nothing of it: no SIGCHLD, no child that waits to be asked for, no change of handlers or masks.
 * Other threads of the process go on. Linux alone has what this needs, and gcc's thread sanitizer
 * allows the child no threads; there nothing is tried. */
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
    char note[KY_TRIAL_NOTE]; /* what `act` wrote there last */
};

/* Calls act(note) in a child, which has a copy of the memory of this process, and writes nothing
 * that reaches files, the terminal or the caller but the note. A child that takes more than
 * `seconds` is ended by SIGALRM. Where no child can be made, nothing is tried. */
struct ky_trial ky_trial(void (*act)(char *note), unsigned seconds);

#endif
