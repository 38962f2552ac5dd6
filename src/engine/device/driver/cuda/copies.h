/* The calls of struct ky_driver that copy within a card or between cards. */
#ifndef KY_CUDA_COPIES_H
#define KY_CUDA_COPIES_H

#include "engine/device/driver/cuda/calls.h"

enum ky_status ky_cuda_fetch(struct ky_card *from_card, struct ky_buffer_address from,
                             struct ky_card *to_card, struct ky_buffer_address to, size_t bytes,
                             struct ky_error *error);
enum ky_status ky_cuda_share(struct ky_card *card, const struct ky_buffer *buffer,
                             unsigned char handle[KY_HANDLE_BYTES], struct ky_error *error);
enum ky_status ky_cuda_open_shared(struct ky_card *card,
                                   const unsigned char handle[KY_HANDLE_BYTES], void **memory,
                                   struct ky_error *error);
void ky_cuda_close_shared(struct ky_card *card, void *memory);
enum ky_status ky_cuda_fetch_shared(struct ky_card *card, void *memory, size_t offset,
                                    struct ky_buffer_address to, size_t bytes,
                                    struct ky_error *error);
enum ky_status ky_cuda_copy(struct ky_card *card, struct ky_buffer_address from,
                            struct ky_buffer_address to, size_t bytes, struct ky_error *error);

#endif
