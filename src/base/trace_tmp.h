#ifndef TRTMP
#define TRTMP
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
extern __thread double ky_tr_last;
extern __thread int ky_tr_rank;
static inline void ky_tr(const char *w){ if(!getenv("KY_TRACE"))return; double now=ky_clock(); if(ky_tr_rank==0) fprintf(stderr,"T %s %.3f\n",w,1e3*(now-ky_tr_last)); ky_tr_last=ky_clock();}
#endif
