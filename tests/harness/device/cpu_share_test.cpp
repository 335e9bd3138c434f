#include "harness/device/cpu_share.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <numeric>
#include <stdexcept>

#include "tests/support/temporary_directory.h"

namespace ablate::cpu_share_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A host of two sockets with four cores each and two threads a core: 0-3,8-11 and 4-7,12-15.
class CpuShare : public ::testing::Test {
 protected:
  CpuShare() {
    for (int cpu = 0; cpu < 16; ++cpu)
      write(fmt::format("devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu),
            fmt::format("{},{}", cpu % 8, cpu % 8 + 8));
    add_gpu("0000:1b:00.0", "0", "0-3,8-11");
    add_gpu("0000:3b:00.0", "0", "0-3,8-11");
    add_gpu("0000:9b:00.0", "1", "4-7,12-15");
    add_gpu("0000:00:05.0", "-1", "0-15");
    std::iota(all_.begin(), all_.end(), 0);
  }

  void write(const fs::path& file, const std::string& line) const {
    fs::create_directories((sys_.path() / file).parent_path());
    std::ofstream(sys_.path() / file) << line << '\n';
  }
  void add_gpu(const std::string& id, const std::string& node, const std::string& cpus) const {
    write("bus/pci/devices/" + id + "/numa_node", node);
    write("bus/pci/devices/" + id + "/local_cpulist", cpus);
  }

  std::vector<std::string> shares(const std::vector<std::string>& gpus) const {
    std::vector<std::string> out;
    for (const cpu_share& share : cpu_shares(gpus, all_, sys_.path())) {
      const auto bound = bound_cpus_of(share);
      out.push_back(bound ? std::to_string(bound->numa_node) + ": " + bound->list : "none");
    }
    return out;
  }

  test_support::temporary_directory sys_;
  std::vector<int> all_ = std::vector<int>(16);
};

TEST_F(CpuShare, DividesTheCoresOfANodeWithTheirThreads) {
  EXPECT_THAT(shares({"0000:1b:00.0", "0000:3b:00.0", "0000:9b:00.0"}),
              ElementsAre("0: 0-1,8-9", "0: 2-3,10-11", "1: 4-7,12-15"));
}

TEST_F(CpuShare, TakesNoMoreThanTheProcessMayUse) {
  all_ = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_THAT(shares({"0000:1b:00.0", "0000:9b:00.0"}), ElementsAre("0: 0-3", "1: 4-6"));
}

TEST_F(CpuShare, BindsToNoSingleCore) {
  all_ = {0, 1, 8, 9};
  EXPECT_THAT(shares({"0000:1b:00.0", "0000:3b:00.0"}), ElementsAre("none", "none"));
}

TEST_F(CpuShare, IsNoneWhereTheNodeIsUnknown) {
  EXPECT_THAT(shares({"0000:00:05.0", "0000:ff:00.0", ""}), ElementsAre("none", "none", "none"));
}

TEST_F(CpuShare, IsBoundTo) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  bind_to({});
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "no share";
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  bind_to({0, {first}});
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_EQ(CPU_COUNT(&after), 1);
  EXPECT_TRUE(CPU_ISSET(first, &after));
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(CpuList, IsReadAndWrittenAsLinuxDoes) {
  EXPECT_THAT(cpus_in("0-2,8"), ElementsAre(0, 1, 2, 8));
  EXPECT_EQ(cpu_list(cpus_in("0,1,2,8,10-11")), "0-2,8,10-11");
  EXPECT_THAT(cpu_list({}), IsEmpty());
  for (const char* wrong : {"", "-1", "1-", "a", "1,,2", "1 "})
    EXPECT_THROW(cpus_in(wrong), std::invalid_argument) << wrong;
}

}  // namespace
}  // namespace ablate::cpu_share_test
