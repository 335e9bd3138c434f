#pragma once

/// Before a function that the host and a kernel call.
#if defined(__CUDACC__)
#define ABLATE_ON_BOTH __host__ __device__
#else
#define ABLATE_ON_BOTH
#endif
