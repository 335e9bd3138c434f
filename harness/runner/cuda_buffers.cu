#include "harness/runner/cuda_buffers.cuh"

#include <algorithm>
#include <optional>

#include "harness/runner/digest.cuh"
#include "kernels/common/poison.h"

namespace ablate {

namespace {

/// As an argument of a kernel, so that neither the host waits for the stream nor the stream for a copy.
struct few_bytes {
  std::byte all[changed_bytes::most];
};

__global__ void write_argument(std::byte* to, few_bytes bytes) { to[threadIdx.x] = bytes.all[threadIdx.x]; }

void write_few_bytes(std::byte* to, std::span<const std::byte> bytes, cudaStream_t stream) {
  few_bytes argument{};
  std::ranges::copy(bytes, argument.all);
  write_argument<<<1, static_cast<unsigned>(bytes.size()), 0, stream>>>(to, argument);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

bool is_input(const buffer& b) { return b.role == buffer_role::input; }

bool is_added_to(const buffer& b) { return b.reset == buffer_reset::zeros && b.role != buffer_role::input; }

/// Whether its contents before a launch matter to the variant or to the check of its output.
bool is_counted_on(const buffer& b) {
  return is_added_to(b) || (b.reset == buffer_reset::background && b.role != buffer_role::input);
}

/// With which byte memory that no input fills is set before anything runs; none where it stays as it came.
std::optional<int> first_byte(const buffer& b, fresh_memory fresh) {
  if (b.reset == buffer_reset::zeros_once) return 0;
  if (b.role == buffer_role::input || fresh == fresh_memory::unwritten) return std::nullopt;
  return fresh == fresh_memory::zeros ? 0 : poison_byte;
}

}  // namespace

cuda_buffers::cuda_buffers(const std::vector<buffer>& buffers, const workload& work, std::size_t sets,
                           fresh_memory fresh)
    : buffers_(buffers),
      sets_(sets),
      contents_(work.contents),
      editions_(work.editions),
      given_(sets),
      host_(buffers) {
  for (auto& set : sets_) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const bool is_there = &set == &sets_.front() || buffers_[i].role != buffer_role::reference;
      set.emplace_back(is_there ? buffers_[i].bytes : 0);
      const auto contents = work.contents[i];
      if (set[i].bytes() == 0) continue;  // including buffers this variant does not use
      if (!contents.empty())
        ABLATE_CUDA_CHECK(
            cudaMemcpy(set[i].address(), contents.data(), contents.size(), cudaMemcpyHostToDevice));
      else if (const auto byte = first_byte(buffers_[i], fresh))
        ABLATE_CUDA_CHECK(cudaMemset(set[i].address(), *byte, set[i].bytes()));
    }
  }
  // All of this ran on the default stream, which the cases' stream does not wait for.
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
}

std::vector<void*> cuda_buffers::addresses(std::size_t set, bool instrumented) const {
  std::vector<void*> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    all.push_back(buffers_[i].role == buffer_role::instruments && !instrumented ? nullptr
                                                                                : sets_[set][i].address());
  return all;
}

void cuda_buffers::change_inputs(cudaStream_t stream) {
  const std::vector<changed_bytes> changes = editions_.value().changes(++last_edition_);
  std::vector<changed_bytes> original;
  for (const changed_bytes& c : changes) {
    const auto of = contents_[c.buffer].subspan(c.offset, c.bytes.size());
    original.push_back({c.buffer, c.offset, {of.begin(), of.end()}});
  }
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    restore_inputs(stream, set);
    write_inputs(changes, set, stream);
    given_[set] = {last_edition_, original};
  }
}

void cuda_buffers::restore_inputs(cudaStream_t stream, std::size_t set) {
  write_inputs(given_[set].original, set, stream);
  given_[set] = {};
}

void cuda_buffers::write_inputs(const std::vector<changed_bytes>& changes, std::size_t set,
                                cudaStream_t stream) const {
  for (const changed_bytes& c : changes)
    write_few_bytes(static_cast<std::byte*>(sets_[set][c.buffer].address()) + c.offset, c.bytes, stream);
}

void cuda_buffers::reset(std::size_t buffer, std::size_t set, cudaStream_t stream) const {
  if (const auto byte = reset_byte(buffers_[buffer]))
    ABLATE_CUDA_CHECK(cudaMemsetAsync(sets_[set][buffer].address(), *byte, buffers_[buffer].bytes, stream));
}

void cuda_buffers::reset_all(cudaStream_t stream, std::size_t set) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) reset(i, set, stream);
}

void cuda_buffers::reset_outputs(cudaStream_t stream, std::size_t set) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].is_checked()) reset(i, set, stream);
}

void cuda_buffers::reset_zeros(cudaStream_t stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (is_added_to(buffers_[i])) reset(i, 0, stream);
}

void cuda_buffers::reset_counted_on(cudaStream_t stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (is_counted_on(buffers_[i])) reset(i, 0, stream);
}

bool cuda_buffers::adds_to(std::initializer_list<buffer_role> roles) const {
  return std::ranges::any_of(
      buffers_, [&](const buffer& b) { return is_added_to(b) && std::ranges::count(roles, b.role) > 0; });
}

std::vector<const std::byte*> cuda_buffers::download(std::size_t set) {
  copy_outputs(host_, set);
  return host_.pointers();
}

void cuda_buffers::copy_outputs(host_outputs& to, std::size_t set) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].is_checked())
      ABLATE_CUDA_CHECK(
          cudaMemcpy(to.at(i), sets_[set][i].address(), buffers_[i].bytes, cudaMemcpyDeviceToHost));
}

std::vector<device_bytes> cuda_buffers::outputs(std::size_t set) const {
  return where(set, [](const buffer& b) { return b.is_checked(); });
}

std::vector<device_bytes> cuda_buffers::results(std::size_t set) const {
  return where(set, [](const buffer& b) { return b.role == buffer_role::result; });
}

std::vector<std::uint64_t> cuda_buffers::input_digests(cudaStream_t stream) const {
  std::vector<device_bytes> all;
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    const std::vector<device_bytes> of_set = where(set, is_input);
    all.insert(all.end(), of_set.begin(), of_set.end());
  }
  return digests_of(all, stream);
}

std::string cuda_buffers::differing_input(std::span<const std::uint64_t> before,
                                          std::span<const std::uint64_t> now) const {
  std::vector<std::string> names;
  for (const buffer& b : buffers_)
    if (is_input(b)) names.push_back(b.name);
  const auto differs = std::ranges::mismatch(before, now).in1;
  if (differs == before.end()) return "";
  return names[static_cast<std::size_t>(differs - before.begin()) % names.size()];
}

std::vector<device_bytes> cuda_buffers::where(std::size_t set, bool (*is_one)(const buffer&)) const {
  std::vector<device_bytes> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (is_one(buffers_[i])) all.push_back({sets_[set][i].address(), buffers_[i].bytes});
  return all;
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
