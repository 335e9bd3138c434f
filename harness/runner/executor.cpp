#include "harness/runner/executor.h"

#include <fmt/format.h>

#include "base/record/case_json.h"
#include "base/text/bad_input.h"
#include "harness/device/compiled_capability.h"

namespace ablate {

namespace {

cuda_backend& registered_backend() {
  static cuda_backend backend;
  return backend;
}

class rerun_case final : public held_case {
 public:
  rerun_case(executor& on, const suite_case& c, const workload& work, const input_library& inputs)
      : on_(on), case_(c), work_(work), inputs_(inputs) {}

  double time_us(const sampling& rule) override {
    const measurement m = on_.run(case_, work_, inputs_, rule);
    if (m.status != "ok") throw std::runtime_error(case_.id + ": " + m.reason);
    return m.facts.time.median_us;
  }

  void keep_busy(const sampling& rule, const std::function<bool()>& is_over) override {
    do on_.run(case_, work_, inputs_, rule);
    while (!is_over());
  }

 private:
  executor& on_;
  const suite_case& case_;
  const workload& work_;
  const input_library& inputs_;
};

}  // namespace

std::unique_ptr<held_case> executor::hold(const suite_case& c, const workload& work,
                                          const input_library& inputs) {
  return std::make_unique<rerun_case>(*this, c, work, inputs);
}

nlohmann::ordered_json executor::launch_once(const suite_case&, const workload&, const input_library&) {
  throw std::runtime_error("a profiler can only watch kernels on a GPU");
}

nlohmann::ordered_json executor::launch_bare(const suite_case&, const workload&, const input_library&, bool,
                                             const std::function<void(const nlohmann::ordered_json&)>&) {
  throw std::runtime_error("a sanitizer can only watch kernels on a GPU");
}

void add_figures(const suite_case& c, const workload& work, std::span<const std::byte* const> outputs,
                 measured_case& facts) {
  if (work.quality) facts.quality = figures_of(work.quality(outputs), "quality");
  if (!c.protocol.wanted().picture || !work.picture) return;
  const nlohmann::ordered_json picture = work.picture(outputs);
  from_json(reports::json_place(picture, c.operation->name, "/picture"), facts.picture.emplace());
}

named_figures figures_of(const nlohmann::ordered_json& given, const char* key) {
  named_figures out;
  from_json(reports::json_place(given, "the operation", std::string("/") + key), out);
  return out;
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
