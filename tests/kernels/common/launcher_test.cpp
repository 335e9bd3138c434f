// What a launcher that only describes makes of reads and of libraries' work. It touches no GPU.
#include "kernels/common/kernel_launch.h"

#include <gtest/gtest.h>

#if ABLATE_HAS_CUDA

namespace ablate::launcher_test {
namespace {

TEST(DescribingLauncher, ReadsWhatItIsTold) {
  launcher plain = launcher::describing({}), with_libraries = launcher::describing_libraries({});
  const long* const nowhere = nullptr;
  EXPECT_EQ(plain.read(nowhere, 42l), 42);
  EXPECT_EQ(with_libraries.read(nowhere, 43l), 43);
  EXPECT_TRUE(plain.described().empty());
}

TEST(DescribingLauncher, EntersTheWorkOfALibraryByItsNameAndDoesNotDoIt) {
  launcher to = launcher::describing({});
  int done = 0;
  kernel_launch own;
  own.grid = {7, 1, 1};
  to.submit(own, nullptr);
  to.call("some::Sort", [&](CUstream_st*) { ++done; });
  to.submit(own, nullptr);
  EXPECT_EQ(done, 0);
  ASSERT_EQ(to.described().size(), 3u);
  EXPECT_EQ(to.described()[0].symbol, "");
  EXPECT_EQ(to.described()[0].grid.x, 7u);
  EXPECT_EQ(to.described()[1].symbol, "some::Sort");
  EXPECT_EQ(to.described()[2].symbol, "");
}

/// A profiler takes one launch after the other, of whichever stream, as they are asked for.
TEST(DescribingLauncher, TellsWhatIsLaunchedBesideItInTheOrderOfAllLaunches) {
  launcher to = launcher::describing({});
  launcher beside = to.beside();
  const auto submit = [](launcher& by, unsigned blocks) {
    kernel_launch launched;
    launched.grid = {blocks, 1, 1};
    by.submit(launched, nullptr);
  };
  submit(to, 1);
  beside.wait_for(to);
  submit(beside, 2);
  submit(to, 3);
  beside.call("some::Sort", [](CUstream_st*) {});
  to.wait_for(beside);
  submit(to, 4);
  ASSERT_EQ(to.described().size(), 5u);
  for (const unsigned i : {0u, 1u, 2u}) EXPECT_EQ(to.described()[i].grid.x, i + 1);
  EXPECT_EQ(to.described()[3].symbol, "some::Sort");
  EXPECT_EQ(to.described()[4].grid.x, 4u);
  EXPECT_TRUE(beside.described().empty());
}

TEST(DescribingLauncher, ALaunchOfNoBlocksIsNone) {
  launcher to = launcher::describing({});
  kernel_launch none;
  none.grid = {0, 1, 1};
  to.submit(none, nullptr);
  EXPECT_TRUE(to.described().empty());
}

}  // namespace
}  // namespace ablate::launcher_test

#endif
