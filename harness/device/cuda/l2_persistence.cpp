#include "harness/device/l2_persistence.cuh"

#include "harness/device/cuda_check.cuh"

namespace ablate {

std::size_t l2_set_aside() {
  std::size_t bytes = 0;
  if (cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess) return bytes;
  cudaGetLastError();  // a slice of a GPU, for one, has no such limit
  return 0;
}

void release_l2_lines(cudaStream_t stream) {
  // The reset is the host's and takes effect at once: launches that still run would keep lines after it.
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  ABLATE_CUDA_CHECK(cudaCtxResetPersistingL2Cache());
}

void l2_persistence::restore(cudaStream_t stream) const {
  const std::size_t current = l2_set_aside();
  if (current == 0 && set_aside_ == 0) return;  // no window has had an effect
  cudaStreamAttrValue no_window{};
  no_window.accessPolicyWindow.hitProp = cudaAccessPropertyNormal;
  no_window.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
  ABLATE_CUDA_CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &no_window));
  release_l2_lines(stream);
  if (current != set_aside_)
    ABLATE_CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, set_aside_));
}

}  // namespace ablate
