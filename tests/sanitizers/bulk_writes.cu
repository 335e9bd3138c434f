// Whether initcheck takes what leaves shared memory by a bulk copy for written: two buffers of device memory
// get the same 4 KiB, one by ordinary stores, one by cp.async.bulk, and a kernel reads both. Only reads of
// the second are reported where the tool does not see such copies (tests/sanitizers/exceptions.json).
//   nvcc -arch=sm_90a -lineinfo tests/sanitizers/bulk_writes.cu -o bulk_writes
//   compute-sanitizer --tool initcheck bulk_writes
#include <cstdio>
#include <cuda/ptx>

constexpr int words = 1024;

__global__ void store(int* to) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = i;
}

__global__ void copy_in_bulk(int* to) {
  __shared__ alignas(128) int staged[words];
  for (int i = threadIdx.x; i < words; i += blockDim.x) staged[i] = i;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  __syncthreads();
  if (threadIdx.x != 0) return;
  cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, staged, sizeof staged);
  cuda::ptx::cp_async_bulk_commit_group();
  cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
}

__global__ void read_stored(const int* from, int* wrong) {
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    if (from[i] != i) atomicAdd(wrong, 1);
}

__global__ void read_copied(const int* from, int* wrong) {
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    if (from[i] != i) atomicAdd(wrong, 1);
}

int main() {
  int *stored = nullptr, *copied = nullptr, *wrong = nullptr, found = -1;
  cudaMalloc(&stored, words * sizeof(int));
  cudaMalloc(&copied, words * sizeof(int));
  cudaMalloc(&wrong, sizeof(int));
  cudaMemset(wrong, 0, sizeof(int));
  store<<<1, 128>>>(stored);
  copy_in_bulk<<<1, 128>>>(copied);
  read_stored<<<1, 128>>>(stored, wrong);
  read_copied<<<1, 128>>>(copied, wrong);
  cudaMemcpy(&found, wrong, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d words differ\n", found);
  return found == 0 ? 0 : 1;
}
