#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace ablate {

/// Threads for host work: one for each processor that this process may use, being bound to its share of them
/// where several measure, but no more than memory keeps busy.
inline std::int64_t host_threads() {
  constexpr int most = 8;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::clamp(CPU_COUNT(&allowed), 1, most);
}

/// Calls `work(begin, end)` for consecutive parts of [0, count), each on a thread of its own where it has at
/// least so many elements. `work` must not throw, and what it does must not depend on the division.
template <class Work>
void in_parts(std::int64_t count, std::int64_t at_least, const Work& work) {
  const std::int64_t parts = std::clamp<std::int64_t>(count / at_least, 1, host_threads());
  const auto begin = [&](std::int64_t part) { return count / parts * part + std::min(part, count % parts); };
  std::vector<std::jthread> others;
  for (std::int64_t part = 1; part < parts; ++part) {
    try {
      others.emplace_back([&work, from = begin(part), to = begin(part + 1)] { work(from, to); });
    } catch (const std::system_error&) {  // no more threads may be had
      work(begin(part), begin(part + 1));
    }
  }
  work(begin(0), begin(1));
}

}  // namespace ablate
