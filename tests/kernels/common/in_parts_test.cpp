#include "kernels/common/in_parts.h"

#include <gtest/gtest.h>

#include <atomic>

namespace ablate::in_parts_test {
namespace {

TEST(InParts, EachElementIsInOneOfThem) {
  for (const std::int64_t count : {0, 1, 7, 64, 1001})
    for (const std::int64_t at_least : {1, 10, 2000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      std::atomic<int> parts = 0;
      in_parts(count, at_least, [&](std::int64_t begin, std::int64_t end) {
        ++parts;
        EXPECT_TRUE(count < at_least || end - begin >= at_least) << count << " " << begin << " " << end;
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& times : seen) ASSERT_EQ(times, 1) << count << " by " << at_least;
      EXPECT_EQ(parts, std::clamp<std::int64_t>(count / at_least, 1, host_threads()));
    }
}

TEST(InParts, ThreadsAreNoMoreThanTheProcessMayUse) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(host_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(host_threads(), std::min(CPU_COUNT(&allowed), 8));
}

}  // namespace
}  // namespace ablate::in_parts_test
