#include "harness/runner/tool_launches.cuh"

#include <cuda_profiler_api.h>

#include <vector>

#include "harness/device/cuda_check.cuh"
#include "harness/device/kernel_facts.h"
#include "harness/runner/cuda_case.cuh"
#include "kernels/common/kernel_launch.h"

namespace ablate {

namespace {

nlohmann::ordered_json announcement_of(const kernel_launch& kernel) {
  nlohmann::ordered_json announcement{{"kernel", describe(kernel).at("name")}};
  // Of a kernel that was loaded from a file the runtime knows nothing.
  if (kernel.function == nullptr || !kernel.symbol.empty()) return announcement;
  cudaFuncAttributes attributes;
  ABLATE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel.function));
  announcement["shared_bytes"] = attributes.sharedSizeBytes + kernel.dynamic_shared_bytes;
  return announcement;
}

const char* word_of(const check_result& output) { return output.ok ? "ok" : "differs"; }

}  // namespace

nlohmann::ordered_json launch_for_profiler(const cuda_device& on, const suite_case& c, const workload& work,
                                           const input_library& inputs) {
  on.l2.restore(on.stream);
  const std::vector<buffer> buffers = c.operation->buffers_of(c.variant, c.axes, inputs);
  cuda_buffers memory(buffers, work, buffer_sets(c.state, buffers, on.properties.l2CacheSize));
  const cuda_case ready(on, c, work, inputs, memory);
  learn_answer(on, c, work, inputs, memory);
  ready.bound.restore();
  ready.bound.launch();  // loads the code
  ready.prepare();
  ABLATE_CUDA_CHECK(cudaProfilerStart());
  ready.bound.launch();
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(on.stream));
  ABLATE_CUDA_CHECK(cudaProfilerStop());
  host_outputs found = memory.room();
  ready.bound.outputs().copy_to(found);
  const check_result output = work.check(found.pointers());
  return {{"name", c.id}, {"kernels", kernel_names(ready.kernels())}, {"output", word_of(output)}};
}

nlohmann::ordered_json launch_for_sanitizer(
    const cuda_device& on, const suite_case& c, const workload& work, const input_library& inputs,
    bool poisoned, const std::function<void(const nlohmann::ordered_json&)>& announce) {
  const operation& op = *c.operation;
  const std::vector<buffer> buffers = op.buffers_of(c.variant, c.axes, inputs);
  if (work.learn) {
    // On memory of its own, that the case's may stay unwritten.
    cuda_buffers apart(buffers, work, 1);
    learn_answer(on, c, work, inputs, apart);
  }
  cuda_buffers memory(buffers, work, 1, poisoned ? fresh_memory::poison : fresh_memory::unwritten);
  launcher to(on.stream, on.limits);
  to.announce_to([&](const kernel_launch& kernel) { announce(announcement_of(kernel)); });
  const auto run = [&](const std::function<void(launcher&)>& what) {
    if (what) what(to);
  };
  const std::vector<void*> at = memory.addresses(0, false);
  run(op.bind_fill(c.variant, c.axes, inputs, at));
  const auto launch_form = [&](bool instrumented) {
    if (poisoned)
      memory.reset_all(on.stream);
    else
      memory.reset_counted_on(on.stream);
    run(op.bind_ahead(*c.variant, c.axes, inputs, at));
    run(op.bind(*c.variant, c.axes, inputs, memory.addresses(0, instrumented)));
    run(op.bind_readback(*c.variant, c.axes, inputs, at));
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(on.stream));
    memory.download(0);
    return work.check(memory.downloaded().pointers());
  };
  check_result output = launch_form(false);
  if (output.ok && work.read_instruments) output = launch_form(true);
  nlohmann::ordered_json answer{{"name", c.id}, {"output", word_of(output)}};
  if (!output.ok) answer["message"] = output.message;
  return answer;
}

}  // namespace ablate
