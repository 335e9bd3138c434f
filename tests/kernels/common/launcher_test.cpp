// What a launcher that only describes makes of reads and of libraries' work. It touches no GPU.
#include "kernels/common/launcher.h"

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

TEST(DescribingLauncher, TellsWhatIsLaunchedBesideItInAnOrderInWhichItMayRun) {
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
  EXPECT_EQ(to.described().size(), 2u);
  to.wait_for(beside);
  submit(to, 4);
  ASSERT_EQ(to.described().size(), 4u);
  EXPECT_EQ(to.described()[1].grid.x, 3u);
  EXPECT_EQ(to.described()[2].grid.x, 2u);
  EXPECT_EQ(to.described()[3].grid.x, 4u);
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
