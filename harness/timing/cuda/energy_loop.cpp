#include "harness/timing/energy_loop.cuh"

#include <array>
#include <chrono>
#include <thread>

#include "harness/device/cuda_check.cuh"
#include "harness/device/cuda_memory.cuh"
#include "harness/timing/stopwatch.h"

namespace ablate {
namespace {

/// Well below a step of the counter, which moves every 10 to 100 ms.
constexpr std::chrono::microseconds between_looks{500};

bool is_over(const event& end) {
  const cudaError_t status = cudaEventQuery(end);
  if (status != cudaErrorNotReady) ABLATE_CUDA_CHECK(status);
  cudaGetLastError();  // "not ready" is a valid answer here: clear the error
  return status == cudaSuccess;
}

}  // namespace

std::optional<metered_loop> meter_rounds(const std::function<void()>& enqueue_round, cudaStream_t stream,
                                         const std::function<std::optional<double>()>& joules,
                                         const energy_rule& rule) {
  energy_meter meter(rule);
  const event begin, end;
  std::array<event, 2> over;
  const stopwatch watch;
  const auto enqueue = [&](std::size_t round) {
    enqueue_round();
    ABLATE_CUDA_CHECK(cudaEventRecord(over[round % 2], stream));
  };
  // What a round takes is taken from the rounds after clocks have settled.
  std::size_t round = 0, first = 0;
  enqueue(round++);
  while (!meter.enough() && !meter.time_is_up(watch.seconds())) {
    if (first == 0 && watch.seconds() >= rule.settle_s) {
      ABLATE_CUDA_CHECK(cudaEventRecord(begin, stream));
      first = round;
    }
    enqueue(round++);
    do {
      const auto read = joules();
      if (!read) {
        ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
        return std::nullopt;
      }
      meter.look(watch.seconds(), *read);
      std::this_thread::sleep_for(between_looks);
    } while (!is_over(over[round % 2]));
  }
  ABLATE_CUDA_CHECK(cudaEventRecord(end, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  const auto found = meter.found();
  if (!found || first == 0 || first == round) return std::nullopt;
  return metered_loop{*found, elapsed_us(begin, end) / static_cast<double>(round - first)};
}

std::optional<metered_power> meter_idle(const std::function<std::optional<double>()>& joules,
                                        const energy_rule& rule) {
  energy_meter meter(rule);
  const stopwatch watch;
  while (!meter.enough() && !meter.time_is_up(watch.seconds())) {
    const auto read = joules();
    if (!read) return std::nullopt;
    meter.look(watch.seconds(), *read);
    std::this_thread::sleep_for(between_looks);
  }
  return meter.found();
}

}  // namespace ablate
