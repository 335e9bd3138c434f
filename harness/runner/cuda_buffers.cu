#include "harness/runner/cuda_buffers.cuh"

namespace ablate {

namespace {

bool is_reset_to(const buffer& b, buffer_reset to) { return b.reset == to && b.role != buffer_role::input; }

}  // namespace

cuda_buffers::cuda_buffers(const std::vector<buffer>& buffers, const workload& work, std::size_t sets,
                           fresh_memory fresh)
    : buffers_(buffers), sets_(sets), host_(buffers) {
  for (auto& set : sets_) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      set.emplace_back(buffers_[i].bytes);
      const auto contents = work.contents[i];
      if (buffers_[i].bytes == 0) continue;  // also what the variant does without
      if (!contents.empty())
        ABLATE_CUDA_CHECK(
            cudaMemcpy(set[i].address(), contents.data(), contents.size(), cudaMemcpyHostToDevice));
      else if (fresh == fresh_memory::zeros && buffers_[i].role != buffer_role::input)
        ABLATE_CUDA_CHECK(cudaMemset(set[i].address(), 0, buffers_[i].bytes));
    }
  }
  // The cases' stream does not wait for the default stream, on which all of this went.
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
}

std::vector<void*> cuda_buffers::addresses(std::size_t set, bool instrumented) const {
  std::vector<void*> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    all.push_back(buffers_[i].role == buffer_role::instruments && !instrumented ? nullptr
                                                                                : sets_[set][i].address());
  return all;
}

void cuda_buffers::reset_all(cudaStream_t stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (is_reset_to(buffers_[i], buffer_reset::poison))
      ABLATE_CUDA_CHECK(cudaMemsetAsync(sets_[0][i].address(), poison_byte, buffers_[i].bytes, stream));
  reset_zeros(stream);
}

void cuda_buffers::reset_zeros(cudaStream_t stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (is_reset_to(buffers_[i], buffer_reset::zeros))
      ABLATE_CUDA_CHECK(cudaMemsetAsync(sets_[0][i].address(), 0, buffers_[i].bytes, stream));
}

bool cuda_buffers::must_reset_while_timing() const {
  for (const buffer& b : buffers_)
    if (is_reset_to(b, buffer_reset::zeros) && b.role != buffer_role::instruments) return true;
  return false;
}

std::vector<const std::byte*> cuda_buffers::download() {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].role == buffer_role::output)
      ABLATE_CUDA_CHECK(
          cudaMemcpy(host_.at(i), sets_[0][i].address(), buffers_[i].bytes, cudaMemcpyDeviceToHost));
  return host_.pointers();
}

std::vector<std::uint64_t> cuda_buffers::instruments() const {
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].role != buffer_role::instruments) continue;
    counts.resize(buffers_[i].bytes / sizeof(std::uint64_t));
    ABLATE_CUDA_CHECK(
        cudaMemcpy(counts.data(), sets_[0][i].address(), buffers_[i].bytes, cudaMemcpyDeviceToHost));
  }
  return counts;
}

}  // namespace ablate
