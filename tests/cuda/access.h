/* Memory of the device that stands in for a GPU's. With KYOHO_TEST_MEMORY=apart only kernels and
 * calls of CUDA touch it: the program ends where the host does, as with a GPU. */
#ifndef KY_TEST_CUDA_ACCESS_H
#define KY_TEST_CUDA_ACCESS_H

/* While there is one, the memory can be read and written. */
struct ky_host_access {
    ky_host_access();
    ~ky_host_access();
    ky_host_access(const ky_host_access &) = delete;
    ky_host_access &operator=(const ky_host_access &) = delete;
};

#endif
