/* Forks of a process that uses devices. The threads and contexts of their drivers do not live in
 * the child, where calls would fail or wait forever. */
#ifndef KY_BASE_FORKS_H
#define KY_BASE_FORKS_H

/* Marks the children that this process forks from now on. */
void ky_forks_watch(void);
/* 1 in such a child and in its own children; else 0. */
int ky_forks_is_child(void);

#endif
