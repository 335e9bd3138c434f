#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "harness/runner/cuda_buffers.cuh"
#include "harness/timing/launch_graph.cuh"
#include "kernels/common/kernel_launch.h"
#include "tests/support/axis_values.h"
#include "tests/support/gpu.cuh"

namespace ablate::test_support {

/// One input of an operation on the GPU, on which its variants are run and checked.
/// Nothing is timed, so it is the same whoever's clock the region has: what the region reads on the host is
/// read, and a region that would be a CUDA graph is launched kernel by kernel.
class variant_run {
 public:
  variant_run(const operation& op, const axis_values& given, const input_library& inputs)
      : op_(op),
        axes_(values_of(op, given)),
        inputs_(inputs),
        work_(op.prepare(axes_, inputs)),
        buffers_(op.buffers(axes_, inputs), work_, 1) {
    int multiprocessors = 0, shared_bytes = 0;
    ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    limits_ = {multiprocessors, static_cast<std::size_t>(shared_bytes)};
    launcher to(nullptr, limits_);
    if (const auto fill = op_.bind_fill(nullptr, axes_, inputs_, buffers_.addresses(0, false))) fill(to);
  }

  /// Whether the variant is for these axes, and this build has it for this GPU: compiled for compute_80
  /// alone, as by the preset ptx80, it has no kernels of Hopper's.
  bool applies(const variant_facts& v) const {
    return first_unmet(v.only_where, axes_) == nullptr &&
           v.minimum_compute_capability <= compute_capability_in_use();
  }

  /// Resets the buffers, launches `times`, reads back, and compares with the oracle.
  check_result check(const variant_facts& v, bool instrumented = false, int times = 1) {
    buffers_.reset_all(nullptr);
    launch(v, instrumented, times);
    return check_outputs(v);
  }

  /// Reads back the variant's current outputs, and compares with the oracle.
  check_result check_outputs(const variant_facts& v) {
    launcher to(nullptr, limits_);
    if (const auto readback = op_.bind_readback(v, axes_, inputs_, buffers_.addresses(0, false)))
      readback(to);
    return work_.check(buffers_.download());
  }

  /// Launches on the buffers' current contents; where something goes ahead of the timed region, resets the
  /// buffers and does that before each launch.
  void launch(const variant_facts& v, bool instrumented = false, int times = 1) {
    launcher to(nullptr, limits_);
    const auto run = op_.bind(v, axes_, inputs_, buffers_.addresses(0, instrumented));
    const auto ahead = op_.bind_ahead(v, axes_, inputs_, buffers_.addresses(0, false));
    for (int i = 0; i < times; ++i) {
      if (ahead) {
        buffers_.reset_all(nullptr);
        ahead(to);
      }
      run(to);
    }
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  /// Launches once as a CUDA graph, on the buffers' current contents.
  void launch_as_graph(const variant_facts& v) {
    const stream on;
    const launch_graph graph({.launches = {op_.bind(v, axes_, inputs_, buffers_.addresses(0, false))}}, on,
                             limits_, 1);
    graph.launch(on);
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  /// Resets the buffers and launches once: the kernels that this took, in order.
  std::vector<kernel_launch> launched(const variant_facts& v) {
    std::vector<kernel_launch> kernels;
    buffers_.reset_all(nullptr);
    launcher to(nullptr, limits_);
    if (const auto ahead = op_.bind_ahead(v, axes_, inputs_, buffers_.addresses(0, false))) ahead(to);
    to.announce_to([&](const kernel_launch& kernel) { kernels.push_back(kernel); });
    op_.bind(v, axes_, inputs_, buffers_.addresses(0, false))(to);
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    return kernels;
  }

  nlohmann::ordered_json instrumented(const variant_facts& v) {
    const check_result counted = check(v, true);
    if (!counted.ok) throw std::runtime_error(v.name + ", instrumented: " + counted.message);
    return work_.read_instruments(buffers_.instruments());
  }

  /// The current outputs, by buffer; null unless an output. Valid until the next call or check.
  std::vector<const std::byte*> download() { return buffers_.download(); }
  /// What the operation says of the current outputs; null where it has no such figures.
  nlohmann::ordered_json quality() {
    return work_.quality ? work_.quality(download()) : nlohmann::ordered_json();
  }

  void* address(std::size_t buffer) const { return buffers_.addresses(0, false)[buffer]; }
  /// All contents on the GPU of the buffer of this name.
  template <class T>
  std::vector<T> contents(const std::string& buffer) const {
    const auto [at, bytes] = place_of(buffer);
    std::vector<T> values(bytes / sizeof(T));
    ABLATE_CUDA_CHECK(cudaMemcpy(values.data(), at, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  /// Puts other values at the beginning of the buffer of this name.
  template <class T>
  void put(const std::string& buffer, const std::vector<T>& values) const {
    const auto [at, bytes] = place_of(buffer);
    if (values.size() * sizeof(T) > bytes) throw std::out_of_range("more than buffer '" + buffer + "' holds");
    ABLATE_CUDA_CHECK(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  const workload& work() const { return work_; }

 private:
  struct place {
    void* address;
    std::size_t bytes;
  };
  place place_of(const std::string& name) const {
    const std::vector<buffer> all = op_.buffers(axes_, inputs_);
    const auto found = std::ranges::find(all, name, &buffer::name);
    if (found == all.end()) throw std::out_of_range("no buffer '" + name + "'");
    return {address(static_cast<std::size_t>(found - all.begin())), found->bytes};
  }

  const operation& op_;
  axis_values axes_;
  const input_library& inputs_;
  workload work_;
  cuda_buffers buffers_;
  device_limits limits_;
};

}  // namespace ablate::test_support
