#include "harness/inputs/files/point_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/text/bad_input.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/temporary_directory.h"

namespace ablate::point_file_test {
namespace {

using test_support::read_file_points;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<float> counting(std::size_t floats) {
  std::vector<float> values(floats);
  std::iota(values.begin(), values.end(), 0.f);
  return values;
}

TEST(PointFile, TakesTheFirstThreeFloatsOfEveryRecord) {
  const test_support::temporary_directory folder;
  for (const int stride : {3, 4, 5, 9}) {
    const auto path = folder.write("points.bin", counting(10 * stride));
    const auto xyz = read_file_points(path, stride, 0);
    ASSERT_EQ(xyz.size(), 30u);
    for (int i = 0; i < 10; ++i)
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(xyz[3 * i + axis], static_cast<float>(i * stride + axis));
  }
}

TEST(PointFile, AFileLongerThanOnePieceIsReadWhole) {
  const test_support::temporary_directory folder;
  constexpr int points = 40001;
  const auto path = folder.write("points.bin", counting(points * 5));
  const auto xyz = read_file_points(path, 5, 0);
  ASSERT_EQ(xyz.size(), points * 3u);
  for (int i = 0; i < points; ++i) ASSERT_EQ(xyz[3 * i + 2], static_cast<float>(5 * i + 2));
}

TEST(PointFile, ARequestForFewerPointsGivesTheFirst) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("points.bin", counting(40));
  EXPECT_EQ(count_file_points(path, 4, 0), 10);
  EXPECT_EQ(count_file_points(path, 4, 2), 2);
  EXPECT_EQ(read_file_points(path, 4, 2), (std::vector<float>{0, 1, 2, 4, 5, 6}));
}

TEST(PointFile, ATruncatedFileIsRefusedWithItsNameAndPlace) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("cut.bin", std::vector<float>(250, 1.f));
  const auto message = AllOf(HasSubstr("cut.bin"), HasSubstr("byte 992"), HasSubstr("4 floats (16 bytes)"),
                             HasSubstr("after 8 bytes"));
  EXPECT_THAT([&] { count_file_points(path, 4, 0); }, ThrowsMessage<bad_input>(message));
  EXPECT_THAT([&] { read_file_points(path, 4, 1); }, ThrowsMessage<bad_input>(message));
}

TEST(PointFile, AFileOfAnotherStrideIsRefused) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("five.bin", counting(5 * 7));
  EXPECT_EQ(count_file_points(path, 5, 0), 7);
  EXPECT_THAT([&] { count_file_points(path, 4, 0); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("five.bin"), HasSubstr("another stride"))));
}

TEST(PointFile, CoordinatesThatNoMetersAreAreRefusedWithTheirRecord) {
  const test_support::temporary_directory folder;
  for (const float odd : {1e-40f, -1e-45f, 1.1e7f, -3e38f}) {
    std::vector<float> values(40, 1e7f);
    values[28] = odd;  // a reflectance may be anything
    values[3] = 1e30f;
    const auto path = folder.write("odd.bin", values);
    EXPECT_THAT([&] { read_file_points(path, 4, 0); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr("odd.bin: record 7: expected coordinates in meters"),
                                               HasSubstr(fmt::format("found x = {:g}", odd)))));
    EXPECT_EQ(read_file_points(path, 4, 7).size(), 21u) << "records ahead of it are what they are";
  }
}

TEST(PointFile, PointsThatAreNotFiniteAreKept) {
  const test_support::temporary_directory folder;
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const auto xyz =
      read_file_points(folder.write("holes.bin", std::vector<float>{nan, 0, -0.f, 1, 2, -infinity}), 3, 0);
  ASSERT_EQ(xyz.size(), 6u);
  EXPECT_TRUE(std::isnan(xyz[0]));
  EXPECT_EQ(xyz[5], -infinity);
}

TEST(PointFile, DoublesOrIntegersInARawFileAreRefused) {
  const test_support::temporary_directory folder;
  std::string doubles, integers;
  for (int i = 0; i < 64; ++i) {
    doubles += test_support::bytes_of(0.1 * i - 3);
    integers += test_support::bytes_of(37 * i + 5);
  }
  for (const std::string& data : {doubles, integers})
    EXPECT_THAT([&] { read_file_points(folder.write("scan.bin", data), 4, 0); },
                ThrowsMessage<bad_input>(HasSubstr("no raw float32 records of 4 floats")));
}

TEST(PointFile, RecordsOfNuscenesHaveFiveFloats) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("sweep.PCD.BIN", counting(40));
  EXPECT_EQ(count_file_points(path, 5, 0), 8);
  EXPECT_THAT(
      [&] { count_file_points(path, 4, 0); },
      ThrowsMessage<bad_input>(HasSubstr("expected the 5 floats per point that every .pcd.bin has, got 4")));
}

TEST(PointFile, AnEmptyFileIsRefused) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("empty.bin", "");
  EXPECT_THAT([&] { count_file_points(path, 4, 0); },
              ThrowsMessage<bad_input>(AllOf(HasSubstr("empty.bin"), HasSubstr("empty"))));
}

TEST(PointFile, AStrideBelowThreeIsRefused) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("points.bin", counting(12));
  for (const int stride : {2, 0, -1})
    EXPECT_THAT(
        [&] { count_file_points(path, stride, 0); },
        ThrowsMessage<bad_input>(AllOf(HasSubstr("points.bin"), HasSubstr("at least 3 floats per point"),
                                       HasSubstr(fmt::format("got {}", stride)))));
}

TEST(PointFile, MorePointsThanTheFileHoldsAreRefused) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("points.bin", counting(40));
  EXPECT_EQ(count_file_points(path, 4, 10), 10);
  EXPECT_THAT([&] { count_file_points(path, 4, 11); },
              ThrowsMessage<input_unfit>(
                  AllOf(HasSubstr("points.bin"), HasSubstr("11 points"), HasSubstr("holds 10"))));
}

TEST(PointFile, AFileBeyondWhat32BitsCountIsReadToItsEnd) {
  // Sparse: a disk holds the last record alone.
  constexpr int stride = 1 << 14;
  constexpr std::uint64_t record_bytes = sizeof(float) * stride,
                          records = (std::uint64_t{1} << 31) / record_bytes + 1;
  const test_support::temporary_directory folder;
  const auto path = folder.write("large.bin", "");
  std::filesystem::resize_file(path, records * record_bytes);
  const float last[] = {1, 2, 3};
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>((records - 1) * record_bytes))
      .write(reinterpret_cast<const char*>(last), sizeof last);
  const std::vector<float> xyz = read_file_points(path, stride, 0);
  ASSERT_EQ(xyz.size(), 3 * records);
  EXPECT_EQ(std::vector<float>(xyz.end() - 6, xyz.end()), (std::vector<float>{0, 0, 0, 1, 2, 3}));
  std::filesystem::resize_file(path, records * record_bytes + 4);
  EXPECT_THAT([&] { count_file_points(path, stride, 0); },
              ThrowsMessage<bad_input>(HasSubstr(fmt::format("byte {}", records * record_bytes))));
}

TEST(PointFile, ADataFileIsFoundInTheFirstDirectoryThatHoldsIt) {
  const test_support::temporary_directory first, second;
  second.write("scan.bin", counting(4));
  EXPECT_EQ(locate_point_file("scan", {"data:scan.bin"}, {first.path(), second.path()}),
            second.path() / "scan.bin");
  first.write("scan.bin", counting(4));
  EXPECT_EQ(locate_point_file("scan", {"data:scan.bin"}, {first.path(), second.path()}),
            first.path() / "scan.bin");
}

TEST(PointFile, APlainPathIsUsedAsItIs) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("scan.bin", counting(4));
  EXPECT_EQ(locate_point_file("scan", {path.string()}, {}), path);
}

TEST(PointFile, AMissingFileNamesEveryPlaceThatWasSearched) {
  const test_support::temporary_directory first, second;
  EXPECT_THAT(
      [&] {
        locate_point_file("kitti", {"data:scan.bin"}, {first.path(), second.path()});
      },
      ThrowsMessage<input_missing>(AllOf(HasSubstr("'kitti'"),
                                         HasSubstr((first.path() / "scan.bin").string()),
                                         HasSubstr((second.path() / "scan.bin").string()))));
  EXPECT_THAT([&] { locate_point_file("kitti", {(first.path() / "no.bin").string()}, {second.path()}); },
              ThrowsMessage<input_missing>(HasSubstr((first.path() / "no.bin").string())));
  EXPECT_THAT([&] { locate_point_file("kitti", {"data:scan.bin"}, {}); },
              ThrowsMessage<input_missing>(
                  AllOf(HasSubstr("scan.bin"), HasSubstr("--data"), HasSubstr("ABLATE_DATA"))));
}

TEST(PointFile, AFolderIsNoPointFile) {
  const test_support::temporary_directory folder;
  EXPECT_THROW(locate_point_file("scan", {folder.path().string()}, {}), input_missing);
}

}  // namespace
}  // namespace ablate::point_file_test
