#include "harness/runner/worker_progress.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>
#include <new>
#include <stdexcept>

namespace ablate {

bool neighbor_board::want(load next) {
  load current = wanted;
  while (current != load::over)
    if (wanted.compare_exchange_weak(current, next)) return true;
  return false;
}

std::size_t shared_progress::bytes() const {
  static_assert(alignof(neighbor_board) <= alignof(worker_progress));
  return workers_ * sizeof(worker_progress) + sizeof(neighbor_board);
}

shared_progress::shared_progress(std::size_t workers) : workers_(workers) {
  void* const shared = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    throw std::runtime_error("no memory to share with the processes that run the cases");
  memory_ = static_cast<worker_progress*>(shared);
  for (std::size_t i = 0; i < workers; ++i) new (memory_ + i) worker_progress;
  board_ = new (memory_ + workers) neighbor_board;
}

shared_progress::~shared_progress() { munmap(memory_, bytes()); }

void worker_progress::add(const case_phases& spent) {
  for (std::size_t i = 0; i < case_phase_count; ++i)
    cases_ns[i] += static_cast<long long>(1e9 * spent[static_cast<case_phase>(i)]);
}

case_phases worker_progress::spent_on_cases() const {
  case_phases all;
  for (std::size_t i = 0; i < case_phase_count; ++i)
    all[static_cast<case_phase>(i)] = 1e-9 * static_cast<double>(cases_ns[i]);
  return all;
}

long long steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void phase_clock::spent_on(work_phase phase) {
  const long long now_ns = steady_ns();
  of_.spent_ns[static_cast<std::size_t>(phase)] += now_ns - since_ns_;
  since_ns_ = now_ns;
}

std::string phases_text(const worker_progress& of) {
  constexpr const char* names[work_phases] = {"start-up", "calibrations", "neighbors",
                                              "cases",    "waiting",      "finish"};
  std::string text;
  for (std::size_t i = 0; i < work_phases; ++i)
    text += fmt::format("{}{} {:.1f} s", i == 0 ? "" : ", ", names[i],
                        1e-9 * static_cast<double>(of.spent_ns[i]));
  return text;
}

int busy_neighbors(std::span<const worker_progress> all, std::size_t own, long long start_ns) {
  int busy = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == own || all[i].started_ns == 0) continue;
    const long long ended = all[i].ended_ns;
    busy += ended == 0 || ended >= start_ns ? 1 : 0;
  }
  return busy;
}

}  // namespace ablate
