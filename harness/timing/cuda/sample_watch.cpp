#include "harness/timing/sample_watch.cuh"

namespace ablate {

sample_watch::sample_watch(const sampling& rule, const clock_wait* wait, int at_once, cudaStream_t stream,
                           const device_limits& limits)
    : rule_(rule), wait_(wait), stream_(stream) {
  if (!wait) return;
  stamps_.emplace(at_once, limits.multiprocessors);
  clock_.emplace(wait->power_cap_w, wait->longest_seconds);
}

void sample_watch::before(int sample) const {
  if (stamps_) stamps_->before(stream_, sample);
}

void sample_watch::after(int sample) const {
  if (stamps_) stamps_->after(stream_, sample);
}

void sample_watch::at_work() {
  constexpr double between_questions_s = 0.02;
  if (!wait_ || watch_.seconds() < ask_again_at_s_) return;
  load_ = wait_->load();
  ask_again_at_s_ = watch_.seconds() + between_questions_s;
}

bool sample_watch::enough(timed& taken) {
  if (clock_) return enough_at_steady_clock(taken);
  ordered_.add(std::span<const double>(taken.samples_us).subspan(ordered_.size()));
  const auto reason = ablate::enough(rule_, ordered_, watch_.seconds());
  if (reason) taken.stopped_by = *reason;
  return reason.has_value();
}

bool sample_watch::enough_at_steady_clock(timed& taken) {
  const double seconds = watch_.seconds();
  clock_->look(seconds, taken.samples_us.size(), stamps_->counted(stream_), load_);
  if (!clock_->settled()) return false;
  const std::vector<double> counting(
      taken.samples_us.begin() + static_cast<std::ptrdiff_t>(clock_->first_sample()), taken.samples_us.end());
  auto reason = ablate::enough(rule_, counting, seconds - clock_->first_seconds());
  if (!reason && clock_->time_is_up() && static_cast<int>(counting.size()) >= rule_.minimum_samples)
    reason = stop_reason::time;
  if (!reason) return false;
  taken.stopped_by = *reason;
  taken.samples_us = counting;
  taken.clock = clock_->found();
  return true;
}

}  // namespace ablate
