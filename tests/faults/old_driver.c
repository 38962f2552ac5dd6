/* A libcuda.so.1 of an old NVIDIA driver, whose version is that of CUDA 11.4. CUDA's runtime asks it for no more. */
int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = 11040;
    return 0;
}
