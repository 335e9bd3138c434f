#include "kernels/multimodal_fusion/multimodal_fusion.h"

#include <cstddef>

namespace ablate::multimodal_fusion {

int problem::out_row() const {
  int channels = 0;
  for (const stream& s : streams) channels += s.channels;
  return channels;
}

int problem::samples() const {
  int all = 0;
  for (const stream& s : streams) all += s.samples;
  return all;
}

trajectory_resample::problem resampling_of(const problem& p, int which) {
  std::ptrdiff_t channels_before = 0;
  for (int s = 0; s < which; ++s) channels_before += p.streams[static_cast<std::size_t>(s)].channels;
  const stream& of = p.streams[static_cast<std::size_t>(which)];
  trajectory_resample::problem alone;
  alone.batch = p.batch;
  alone.samples = of.samples;
  alone.targets = p.targets;
  alone.channels = of.channels;
  alone.type = p.type;
  alone.beyond = p.beyond;
  alone.source = of.source;
  alone.source_times = of.times;
  alone.target_times = p.target_times;
  alone.out = p.out == nullptr
                  ? nullptr
                  : static_cast<std::byte*>(p.out) + channels_before * trajectory_resample::bytes_of(p.type);
  alone.out_row = p.out_row();
  return alone;
}

}  // namespace ablate::multimodal_fusion
