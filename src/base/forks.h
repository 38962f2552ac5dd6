/* Forks of a process that uses devices. The threads and contexts of their drivers do not live in
 * the child, where calls would fail or wait for ever. */
#ifndef KY_BASE_FORKS_H
#define KY_BASE_FORKS_H

/* From now on children of this process know that they are. */
void ky_forks_watch(void);
/* 1 in a child of a process that watches its forks, and in a child of that; else 0. */
int ky_forks_is_child(void);

#endif
