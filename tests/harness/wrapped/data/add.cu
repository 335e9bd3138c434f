// The kernels of tests/harness/wrapped, compiled by `nvcc -cubin`, `-ptx` or `-fatbin` where a test runs.

/// out = x + y; `used` is memory that a reader of machine code must find.
extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  __shared__ float used[64];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  used[threadIdx.x % 64] = 0;
  __syncthreads();
  if (i < n) out[i] = x[i] + y[i] + used[(threadIdx.x + 1) % 64];
}

/// The same by four elements a thread.
extern "C" __global__ void add_by_four(const float* x, const float* y, float* out, int n) {
  const int i = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < i + 4 && k < n; ++k) out[k] = x[k] + y[k];
}

/// One element is wrong.
extern "C" __global__ void add_but_one(const float* x, const float* y, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = x[i] + (i == n / 2 ? 2 : 1) * y[i];
}

/// What the first launch of all computed, later ones give again.
__device__ float kept[1 << 20];
__device__ bool is_kept[1 << 20];
extern "C" __global__ void add_once(const float* x, const float* y, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n || i >= 1 << 20) return;
  if (!is_kept[i]) kept[i] = x[i] + y[i];
  is_kept[i] = true;
  out[i] = kept[i];
}

/// Parameters of several sizes.
extern "C" __global__ void mixed(char a, double b, float* out, short c) {
  *out = static_cast<float>(a + b + c);
}
