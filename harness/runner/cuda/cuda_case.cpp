#include "harness/runner/cuda_case.cuh"

#include "harness/device/cuda_check.cuh"
#include "harness/device/kernel_facts.h"
#include "kernels/common/kernel_launch.h"

namespace ablate {

void learn_answer(const cuda_device& on, const suite_case& c, const workload& work,
                  const input_library& inputs, cuda_buffers& buffers) {
  if (!work.learn) return;
  const variant_facts& oracle = *c.operation->find_variant(work.oracle_variant);
  launcher to(on.stream, on.limits);
  buffers.reset_all(on.stream);
  c.operation->bind(oracle, c.axes, inputs, buffers.addresses(0, false))(to);
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(on.stream));
  work.learn(buffers.download());
}

cuda_case::cuda_case(const cuda_device& on, const suite_case& c, const workload& w,
                     const input_library& library, cuda_buffers& memory, kept_outputs* kept)
    : device(on),
      spec(c),
      work(w),
      inputs(library),
      buffers(memory),
      bound(c, library, memory, on.stream, on.limits, kept) {}

void cuda_case::prepare() const {
  constexpr int launches_until_hot = 3;
  bound.restore();
  if (spec.state == cache_state::cold_clean) device.flush.enqueue(device.stream);
  if (spec.state == cache_state::hot) {
    for (int i = 0; i < launches_until_hot; ++i) bound.launch();
    buffers.reset_zeros(device.stream);
  }
  for (std::size_t set = 1; set < bound.sets(); ++set) bound.launch(set);
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(device.stream));
}

std::vector<measured_case::kernel_launch> cuda_case::kernels() const {
  launcher describing = launcher::describing_libraries(device.limits);
  bound.launch_function()(describing);
  std::vector<measured_case::kernel_launch> all;
  for (const kernel_launch& described : describing.described()) all.push_back(launch_of(described));
  return all;
}

std::vector<std::string> kernel_names(const std::vector<measured_case::kernel_launch>& kernels) {
  std::vector<std::string> names;
  for (const measured_case::kernel_launch& kernel : kernels) names.push_back(kernel.name);
  return names;
}

}  // namespace ablate
