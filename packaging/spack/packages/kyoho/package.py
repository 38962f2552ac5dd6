# Spack's recipe. Until Spack has it: spack repo add packaging/spack && spack install kyoho
# With a checkout: spack dev-build -d . kyoho@main
from spack.package import *


class Kyoho(MakefilePackage, CudaPackage):
    """Gravitational N-body simulation of star clusters and galaxies: direct sums, octrees and fast
    multipoles on CPUs, NVIDIA GPUs and OpenCL devices, with the GRAPE-6 library's interface."""

    homepage = "https://example.org/kyoho"
    url = "https://example.org/kyoho/archive/v0.3.0.tar.gz"
    git = "https://example.org/kyoho.git"

    license("MIT")

    version("main", branch="main")
    version("0.3.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("hdf5", default=True, description="snapshots in HDF5; without it they are TIPSY")
    variant("draw", default=True, description="pictures and films")
    variant("opencl", default=False, description="OpenCL devices")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("gmake@4:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("libpng", when="+draw")
    # Both are opened at run time, by the path that Spack's compiler writes into the program.
    depends_on("cairo+png+pdf+svg", when="+draw")
    depends_on("opencl@1.2:", when="+opencl")

    conflicts("cuda_arch=none", when="+cuda", msg="name the cards: cuda_arch=90, for example")

    def options(self):
        spec = self.spec

        def switch(name, variant, library):
            return f"{name}={library}" if spec.satisfies(f"+{variant}") else f"{name}=no"

        words = [
            f"PREFIX={self.prefix}",
            f"CC={spack_cc}",
            switch("HDF5", "hdf5", "hdf5"),
            switch("PNG", "draw", "libpng"),
            switch("CAIRO", "draw", "cairo"),
            switch("OPENCL", "opencl", "yes"),
            switch("CUDA", "cuda", "yes"),
        ]
        if spec.satisfies("+cuda"):
            words.append("CUDA_ARCHS=" + " ".join(spec.variants["cuda_arch"].value))
            words.append(f"NVCC={spec['cuda'].prefix.bin.nvcc}")
        return words

    def build(self, spec, prefix):
        make("all", *self.options())

    def install(self, spec, prefix):
        make("install", *self.options())

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_forces(self):
        kyoho = Executable(self.prefix.bin.kyoho)
        kyoho("force", "--model", "plummer", "-n", "2000", "--engine", "cpu", "--check", "200")
