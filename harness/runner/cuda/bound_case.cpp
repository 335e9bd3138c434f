#include "harness/runner/bound_case.cuh"

namespace ablate {

bound_case::bound_case(const suite_case& c, const input_library& inputs, cuda_buffers& device,
                       cudaStream_t stream, const device_limits& limits, kept_outputs* kept)
    : device_(device),
      kept_(kept),
      first_results_(std::make_unique<kept_outputs>()),
      stream_(stream),
      limits_(limits) {
  const operation& op = *c.operation;
  for (std::size_t set = 0; set < device.sets(); ++set) {
    const std::vector<void*> at = device.addresses(set, false);
    run(op.bind_fill(c.variant, c.axes, inputs, at));
    sets_.push_back({op.bind(*c.variant, c.axes, inputs, at), op.bind_ahead(*c.variant, c.axes, inputs, at),
                     op.bind_readback(*c.variant, c.axes, inputs, at)});
  }
}

bool bound_case::accumulates() const {
  return device_.adds_to({buffer_role::output}) ||
         (has_readback() && device_.adds_to({buffer_role::scratch, buffer_role::result}));
}

timed_region bound_case::region(bool with_ahead) const {
  timed_region region;
  for (const bound_set& set : sets_) region.launches.push_back(set.launch);
  region.reset = [&device = device_](cudaStream_t stream) {
    device.reset_all(stream);
    if (device.has_editions()) device.change_inputs(stream);
  };
  if (with_ahead) region.ahead = sets_.front().ahead;
  return region;
}

void bound_case::run(const std::function<void(launcher&)>& what) const {
  launcher to(stream_, limits_);
  if (what) what(to);
}

void bound_case::change_inputs() const {
  if (device_.has_editions()) device_.change_inputs(stream_);
}

void bound_case::restore(std::size_t set) const {
  device_.restore_inputs(stream_, set);
  device_.reset_all(stream_, set);
  run(sets_[set].ahead);
}

void bound_case::clear_outputs(std::size_t set) const {
  if (has_readback()) return restore(set);
  device_.reset_outputs(stream_, set);
  run(sets_[set].ahead);
}

void bound_case::launch(std::size_t set) const { run(sets_[set].launch); }

bound_case::set_outputs bound_case::outputs(std::size_t set) const {
  run(sets_[set].readback);
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
  return {device_, kept_, *first_results_, set, stream_};
}

}  // namespace ablate
