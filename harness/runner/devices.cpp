#include "harness/runner/devices.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/text/bad_input.h"
#include "harness/counters/metric_groups.h"
#include "harness/device/host_facts.h"

namespace ablate {

namespace {

profiling_request request_of(const suite& from, const run_options& options) {
  profiling_request out{
      .counters = from.counters != no_counters, .timeline = options.timeline, .energy = from.energy};
  for (const suite_block& block : from.blocks) {
    out.counters |= block.counters.value_or(from.counters) != no_counters;
    out.sampled |= block.sampled;
    out.energy |= block.energy.value_or(from.energy);
  }
  return out;
}

/// Each process sees its own GPU alone, so that nothing in it can end up on another one. Called before it
/// opens CUDA.
std::unique_ptr<executor> make_executor_on(const cuda_backend& backend, const gpu_summary& gpu,
                                           const profiling_request& wanted) {
  setenv("CUDA_VISIBLE_DEVICES", gpu.uuid.c_str(), 1);
  return backend.make_executor(0, wanted);
}

}  // namespace

std::vector<run_device> host_devices(long workers) {
  std::vector<run_device> out;
  for (long i = 1; i <= workers; ++i)
    out.push_back({{.name = cpu_model(), .number = workers > 1 ? i : 0},
                   workers > 1 ? fmt::format("host {}", i) : "host",
                   make_host_executor});
  return out;
}

std::vector<run_device> gpu_devices(const suite& from, const run_options& options, target& on) {
  const cuda_backend* backend = find_cuda_backend();
  if (!backend) throw bad_input("--device", "", "this program was built without CUDA; expected 'host'");
  const profiling_request wanted = request_of(from, options);
  const bool is_alone = options.devices.size() == 1;
  std::vector<run_device> out;
  for (const int index : options.devices) {
    const gpu_summary gpu = gpu_at(*backend, index);
    on.compute_capability = gpu.compute_capability;
    out.push_back({{gpu.name, gpu.uuid, gpu.driver},
                   fmt::format("GPU {}", index),
                   [=] {
                     return is_alone ? backend->make_executor(index, wanted)
                                     : make_executor_on(*backend, gpu, wanted);
                   },
                   gpu.pci_bus_id});
  }
  return out;
}

void require_one_kind(const std::vector<run_device>& devices) {
  const device_identity& first = devices.front().identity;
  for (const run_device& device : devices)
    if (device.identity.name != first.name || device.identity.driver != first.driver)
      throw bad_input("--devices", "",
                      fmt::format("expected devices of one kind, found {} ({}) and {} ({}); run each kind "
                                  "by itself, into its own --out",
                                  devices.front().name, first.name, device.name, device.identity.name));
}

}  // namespace ablate
