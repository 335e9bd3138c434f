#include "harness/runner/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ablate::work_queue_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

keyed_case bundled(std::size_t bundle, double seconds, long replica = 1, const std::string& specimen = "",
                   bool is_done = false) {
  keyed_case c;
  c.bundle = bundle;
  c.planned_seconds = seconds;
  c.replica = replica;
  c.specimen = specimen;
  c.is_done = is_done;
  return c;
}

keyed_case calibration(const std::string& specimen) {
  keyed_case c = bundled(99, 1, 1, specimen);
  c.spec.ceiling = "launch";
  return c;
}

/// The bundles that one device is given, until it gets none.
std::vector<std::size_t> all_for(work_queue& queue, const std::string& specimen) {
  std::vector<std::size_t> out;
  while (const auto package = queue.next(specimen)) out.push_back(queue.at(*package).bundle);
  return out;
}

TEST(WorkQueue, GivesTheLongestBundleFirstWholeAndOnce) {
  work_queue queue(bundle_packages({bundled(1, 1), bundled(2, 3), bundled(3, 2), bundled(1, 4)}));
  const auto first = queue.next("a");
  ASSERT_TRUE(first);
  EXPECT_THAT(queue.at(*first).pending, ElementsAre(0, 3)) << "1 + 4 s";
  EXPECT_EQ(queue.at(*queue.next("b")).bundle, 2u);
  EXPECT_EQ(queue.at(*queue.next("a")).bundle, 3u);
  EXPECT_FALSE(queue.next("a"));
  EXPECT_FALSE(queue.next("b"));
}

TEST(WorkQueue, BeginsWithTheCalibrationsOfTheDevice) {
  work_queue queue(bundle_packages({calibration("a"), bundled(1, 9), calibration("b"), bundled(2, 8)}));
  EXPECT_THAT(queue.at(*queue.next("b")).cases, ElementsAre(2));
  EXPECT_THAT(queue.at(*queue.next("a")).cases, ElementsAre(0));
  EXPECT_EQ(queue.at(*queue.next("b")).bundle, 1u);
}

TEST(WorkQueue, LeavesABegunBundleToTheDeviceThatBeganIt) {
  work_queue queue(bundle_packages({bundled(1, 1, 1, "a", true), bundled(1, 1, 1, "a"), bundled(2, 1)}));
  EXPECT_THAT(all_for(queue, "b"), ElementsAre(2));
  const auto rest = queue.next("a");
  ASSERT_TRUE(rest);
  EXPECT_THAT(queue.at(*rest).pending, ElementsAre(1));
}

TEST(WorkQueue, HasNothingToDoForBundlesThatAreDone) {
  work_queue queue(bundle_packages({bundled(1, 1, 1, "a", true)}));
  EXPECT_FALSE(queue.has_next("a"));
  EXPECT_TRUE(queue.is_empty());
}

TEST(WorkQueue, GivesNoDeviceTwoReplicasOfABundle) {
  work_queue queue(bundle_packages({bundled(1, 2), bundled(2, 1), bundled(1, 2, 2), bundled(2, 1, 2)}));
  EXPECT_THAT(all_for(queue, "a"), ElementsAre(1, 2));
  EXPECT_FALSE(queue.is_empty());
  EXPECT_THAT(all_for(queue, "b"), ElementsAre(1, 2));
  EXPECT_TRUE(queue.is_empty());
}

TEST(WorkQueue, RemembersWhichDeviceMeasuredAReplicaEarlier) {
  work_queue queue(bundle_packages({bundled(1, 2, 1, "a", true), bundled(1, 2, 2)}));
  EXPECT_FALSE(queue.has_next("a"));
  EXPECT_TRUE(queue.has_next("b"));
}

TEST(WorkQueue, TurnsWhatALostDeviceHadBegunOverToTheOthersWhole) {
  work_queue queue(bundle_packages({calibration("a"), bundled(1, 9, 1, "a", true), bundled(1, 9, 1, "a"),
                                    bundled(2, 5), bundled(2, 5), bundled(3, 1)}));
  EXPECT_EQ(queue.at(*queue.next("b")).bundle, 2u);
  const auto begun = queue.next("a");
  ASSERT_TRUE(begun);
  EXPECT_THAT(queue.at(*begun).cases, ElementsAre(0)) << "its calibration";
  EXPECT_THAT(queue.lose("a", begun), UnorderedElementsAre(1, 2)) << "the bundle that waited for it";
  const auto anew = queue.next("b");
  ASSERT_TRUE(anew);
  EXPECT_EQ(queue.at(*anew).bundle, 1u);
  EXPECT_THAT(queue.at(*anew).pending, ElementsAre(1, 2)) << "the case that was done, too";
  EXPECT_THAT(all_for(queue, "b"), ElementsAre(3));
  EXPECT_TRUE(queue.is_empty()) << "nobody else runs its calibration";
}

TEST(WorkQueue, ReturnsABundleThatIsUnderWay) {
  work_queue queue(bundle_packages({bundled(1, 9), bundled(1, 9), bundled(2, 5)}));
  const auto begun = queue.next("a");
  EXPECT_THAT(queue.lose("a", begun), ElementsAre(0, 1));
  EXPECT_THAT(all_for(queue, "b"), ElementsAre(1, 2)) << "first what has waited longest";
}

TEST(WorkQueue, OfOneDeviceIsTheRunInItsOrder) {
  work_queue queue(one_package({bundled(1, 1), bundled(2, 9), bundled(1, 1, 1, "a", true), bundled(2, 9)}));
  const auto all = queue.next("a");
  ASSERT_TRUE(all);
  EXPECT_THAT(queue.at(*all).pending, ElementsAre(0, 1, 3));
  EXPECT_THAT(queue.lose("a", all), IsEmpty()) << "there is no other";
}

}  // namespace
}  // namespace ablate::work_queue_test
