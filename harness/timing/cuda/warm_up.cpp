#include <cmath>

#include "harness/timing/statistics.h"
#include "harness/timing/stopwatch.h"
#include "harness/timing/warm_up.cuh"

namespace ablate {

namespace {

constexpr int launches_per_group = 5;
constexpr double steady = 0.01;
constexpr double at_least_seconds = 0.003;  // clocks need a few milliseconds of work to ramp up
constexpr double at_most_seconds = 0.05;

/// If something must precede each launch, it is reset and timed one at a time: it would otherwise find what
/// the previous launch left.
double restored_launch_us(const timed_region& region, cudaStream_t stream, launcher& to) {
  event start, stop;
  if (region.reset) region.reset(stream);
  region.ahead(to);
  ABLATE_CUDA_CHECK(cudaEventRecord(start, stream));
  region.launches.front()(to);
  ABLATE_CUDA_CHECK(cudaEventRecord(stop, stream));
  ABLATE_CUDA_CHECK(cudaEventSynchronize(stop));
  return elapsed_us(start, stop);
}

std::vector<double> group_us(const timed_region& region, int launches, cudaStream_t stream, launcher& to) {
  std::vector<double> times;
  if (region.ahead) {
    for (int i = 0; i < launches; ++i) times.push_back(restored_launch_us(region, stream, to));
    return times;
  }
  std::vector<event> marks(static_cast<std::size_t>(launches) + 1);
  ABLATE_CUDA_CHECK(cudaEventRecord(marks.front(), stream));
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    region.launches[i % region.launches.size()](to);
    ABLATE_CUDA_CHECK(cudaEventRecord(marks[i + 1], stream));
  }
  ABLATE_CUDA_CHECK(cudaEventSynchronize(marks.back()));
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) times.push_back(elapsed_us(marks[i], marks[i + 1]));
  return times;
}

double group_median_us(const timed_region& region, cudaStream_t stream, launcher& to) {
  return summarize(group_us(region, launches_per_group, stream, to)).median;
}

}  // namespace

warm_up_result warm_up(const timed_region& region, cudaStream_t stream, const device_limits& limits) {
  launcher to(stream, limits);
  const stopwatch watch;
  constexpr int first_launches = 2;  // the first of all may load the module
  warm_up_result result{first_launches, group_us(region, first_launches, stream, to).back()};
  if (result.launch_us > 1e6 * at_most_seconds) return result;
  result.launch_us = group_median_us(region, stream, to);
  result.launches += launches_per_group;
  while (watch.seconds() < at_most_seconds) {
    const double before = result.launch_us;
    result.launch_us = group_median_us(region, stream, to);
    result.launches += launches_per_group;
    if (watch.seconds() > at_least_seconds && std::fabs(result.launch_us - before) <= steady * before) break;
  }
  return result;
}

}  // namespace ablate
