#include "harness/runner/executor.h"

#include <fmt/format.h>

#include "harness/device/compiled_capability.h"
#include "reports/text/bad_input.h"

namespace ablate {

namespace {

cuda_backend& registered_backend() {
  static cuda_backend backend;
  return backend;
}

}  // namespace

void executor::keep_busy(const suite_case& c, const workload& work, const input_library& inputs,
                         const sampling& rule, const std::function<bool()>& is_over) {
  do run(c, work, inputs, rule);
  while (!is_over());
}

nlohmann::ordered_json executor::launch_once(const suite_case&, const workload&, const input_library&) {
  throw std::runtime_error("a profiler can watch kernels on a GPU only");
}

nlohmann::ordered_json executor::launch_bare(const suite_case&, const workload&, const input_library&, bool,
                                             const std::function<void(const nlohmann::ordered_json&)>&) {
  throw std::runtime_error("a sanitizer can watch kernels on a GPU only");
}

void add_figures(const suite_case& c, const workload& work, std::span<const std::byte* const> outputs,
                 nlohmann::ordered_json& facts) {
  facts["quality"] = work.quality ? work.quality(outputs) : nlohmann::ordered_json();
  if (c.picture && work.picture) facts["picture"] = work.picture(outputs);
}

bool register_cuda_backend(cuda_backend backend) {
  registered_backend() = std::move(backend);
  return true;
}

const cuda_backend* find_cuda_backend() {
  return registered_backend().make_executor ? &registered_backend() : nullptr;
}

gpu_summary gpu_at(const cuda_backend& backend, int index, asked_in in) {
  std::string why_none;
  const std::vector<gpu_summary> gpus = backend.gpus(in, why_none);
  for (gpu_summary gpu : gpus) {
    if (gpu.index != index) continue;
    gpu.compute_capability = usable_capability(gpu.compute_capability);
    return gpu;
  }
  throw bad_input("--device", "",
                  fmt::format("there is no GPU {}{}", index, gpus.empty() ? ": " + why_none : ""));
}

}  // namespace ablate
