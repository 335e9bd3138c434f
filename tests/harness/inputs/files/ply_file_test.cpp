#include "harness/inputs/files/ply_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/inputs/files/point_file.h"
#include "reports/text/bad_input.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/temporary_directory.h"

namespace ablate::ply_file_test {
namespace {

using test_support::collected;
using test_support::read_file_points;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string header(const std::string& format, const std::string& elements) {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n";
}

const std::string three_floats = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
const std::string binary = "binary_little_endian";

class PlyFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const { return folder_.write("cloud.ply", text); }
  std::vector<float> read(const std::string& text, std::int64_t requested = 0) const {
    const auto path = file(text);
    const std::vector<float> xyz =
        collected([&](const point_visitor& to) { visit_ply_points(path, requested, to); });
    EXPECT_EQ(xyz.size(), 3 * static_cast<std::size_t>(count_ply_points(path, requested)));
    return xyz;
  }
  void expect_refused(const std::string& text, const std::string& place, const std::string& expected) const {
    const auto path = file(text);
    EXPECT_THAT(([&] { visit_ply_points(path, 0, [](const auto&) {}); }),
                ThrowsMessage<bad_input>(AllOf(HasSubstr("cloud.ply: " + place), HasSubstr(expected))))
        << text;
  }

  test_support::temporary_directory folder_;
};

TEST_F(PlyFile, TextGivesItsVertices) {
  EXPECT_EQ(read(header("ascii", three_floats) + "1 2 3\n-4.5 5e-1 +6\n7 8 9\n"),
            (std::vector<float>{1, 2, 3, -4.5, .5, 6, 7, 8, 9}));
}

TEST_F(PlyFile, BinaryGivesTheSame) {
  std::string data;
  for (int i = 1; i <= 9; ++i) data += bytes_of(static_cast<float>(i));
  EXPECT_EQ(read(header(binary, three_floats) + data), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(PlyFile, CoordinatesAreFoundByNameAmongOtherPropertiesAndElements) {
  const std::string elements =
      "comment made by a test\nobj_info none\nelement camera 2\nproperty double focus\nproperty uchar id\n"
      "element vertex 2\nproperty uchar red\nproperty double z\nproperty float32 x\nproperty short label\n"
      "property float64 y\nelement face 1\nproperty list uchar int vertex_indices\n";
  EXPECT_EQ(read(header("ascii", elements) + "0.5 1\n0.5 2\n255 3 1 -7 2\n0 6 4 8 5\n3 0 1 0\n"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  std::string data;
  for (int camera = 0; camera < 2; ++camera) data += bytes_of(0.5) + bytes_of(std::uint8_t{1});
  for (const float first : {1.f, 4.f})
    data += bytes_of(std::uint8_t{9}) + bytes_of(first + 2.0) + bytes_of(first) + bytes_of(std::int16_t{-7}) +
            bytes_of(first + 1.0);
  EXPECT_EQ(read(header(binary, elements) + data + "\x03 and a face"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(PlyFile, LinesMayEndAsOnOtherSystems) {
  EXPECT_EQ(read("ply\r\nformat ascii 1.0\r\nelement vertex 1\r\nproperty float x\r\nproperty float y\r\n"
                 "property float z\r\nend_header\r\n1 2 3\r\n"),
            (std::vector<float>{1, 2, 3}));
}

TEST_F(PlyFile, NumbersThatAreNoneAreKept) {
  const auto xyz = read(header("ascii", three_floats) + "nan inf -inf\n1e39 1e-46 0\n1 2 3\n");
  EXPECT_TRUE(std::isnan(xyz[0]));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(xyz[1], infinity);
  EXPECT_EQ(xyz[2], -infinity);
  EXPECT_EQ(xyz[3], infinity) << "beyond float32";
  EXPECT_EQ(xyz[4], 0);
}

TEST_F(PlyFile, ARequestForFewerPointsGivesTheFirstAndForMoreIsRefused) {
  const std::string text = header("ascii", three_floats) + "1 2 3\n4 5 6\n7 8 9\n";
  EXPECT_EQ(read(text, 2), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const auto path = file(text);
  const auto message = HasSubstr("expected 4 points or more, the file holds 3");
  EXPECT_THAT(([&] { visit_ply_points(path, 4, [](const auto&) {}); }), ThrowsMessage<bad_input>(message));
  EXPECT_THAT([&] { count_ply_points(path, 4); }, ThrowsMessage<bad_input>(message));
}

TEST_F(PlyFile, AFileLongerThanOnePieceIsReadWhole) {
  constexpr int points = 200001;
  std::string data = header(binary,
                            "element vertex 200001\nproperty double x\nproperty double y\n"
                            "property double z\nproperty int id\n");
  for (int i = 0; i < points; ++i)
    data += bytes_of(i + .25) + bytes_of(i + .5) + bytes_of(i + .75) + bytes_of(i);
  const auto xyz = read(data);
  ASSERT_EQ(xyz.size(), 3u * points);
  for (int i = 0; i < points; ++i)
    ASSERT_EQ(xyz[3 * static_cast<std::size_t>(i) + 2], static_cast<float>(i + .75));
}

TEST_F(PlyFile, TheLibrarysReaderTakesItByTheEndOfItsName) {
  const auto path = file(header("ascii", three_floats) + "1 2 3\n4 5 6\n7 8 9\n");
  EXPECT_EQ(count_file_points(path, 4, 0), 3);
  EXPECT_EQ(read_file_points(path, 4, 1), (std::vector<float>{1, 2, 3}));
}

TEST_F(PlyFile, ABigEndianFileIsRefusedInAClearLine) {
  expect_refused(header("binary_big_endian", three_floats) + std::string(36, '\0'), "line 2",
                 "big-endian files are not read");
}

TEST_F(PlyFile, WhatIsNoPlyIsRefused) {
  expect_refused("", "", "the file is empty");
  expect_refused("solid cube\n", "line 1", "expected 'ply'");
  expect_refused("no line at all", "line 1", "before 'end_header'");
  expect_refused(std::string(100000, 'x'), "line 1", "within the first 65536 bytes");
  expect_refused("ply\nformat ascii 2.0\nend_header\n", "line 2", "found version 2.0");
  expect_refused("ply\nformat binary 1.0\nend_header\n", "line 2", "found 'binary'");
  expect_refused("ply\ncomment first\n", "line 2", "expected 'format ascii 1.0'");
  EXPECT_THROW(visit_ply_points(folder_.path() / "none.ply", 0, [](const auto&) {}), bad_input);
}

TEST_F(PlyFile, HeadersThatSayTooLittleAreRefused) {
  expect_refused("ply\nformat ascii 1.0\n" + three_floats, "line 7", "before 'end_header'");
  expect_refused(header("ascii", "element face 2\n"), "line 4", "expected an element 'vertex'");
  expect_refused(header("ascii", "element vertex 1\n"), "line 4", "found none");
  expect_refused(header("ascii", "element vertex 1\nproperty float x\nproperty float y\n"), "line 6",
                 "expected properties x, y and z of element 'vertex', found x, y");
  expect_refused(header("ascii", "element vertex 0\nproperty float x\nproperty float y\nproperty float z\n"),
                 "", "the file holds 0");
  for (const char* element : {"element vertex", "element vertex many", "element vertex -1",
                              "element vertex 3x", "element vertex 99999999999999999999"})
    expect_refused(header("ascii", std::string(element) + "\n"), "line 3", "expected 'element NAME COUNT'");
  expect_refused(header("ascii", "property float x\n"), "line 3",
                 "expected an element before its properties");
  expect_refused(header("ascii", "vertices 3\n"), "line 3", "found 'vertices'");
  expect_refused(header("ascii", "element vertex 1\nproperty float\n"), "line 4",
                 "expected 'property TYPE NAME'");
}

TEST_F(PlyFile, WrongTypesAreRefused) {
  expect_refused(header("ascii", "element vertex 1\nproperty float x\nproperty int y\nproperty float z\n"),
                 "line 7", "expected property y of element 'vertex' to be float or double, it is int");
  expect_refused(header("ascii", "element vertex 1\nproperty real x\n"), "line 4", "found 'real'");
  expect_refused(header("ascii", "element vertex 1\nproperty float x\nproperty float x\n"), "line 5",
                 "expected property 'x' of element 'vertex' once");
  expect_refused(header(binary, "element face 1\nproperty list uchar int v\n" + three_floats), "line 9",
                 "expected lists behind the vertices, element 'face' has one");
}

TEST_F(PlyFile, TruncatedFilesAreRefusedWithTheirPlace) {
  const std::string start = header(binary, three_floats);
  expect_refused(start + std::string(35, 'x'), "byte " + std::to_string(start.size()),
                 "expected 3 times 12 bytes of element 'vertex', the file ends after 35");
  EXPECT_THROW(count_ply_points(file(start + std::string(35, 'x')), 1), bad_input);
  expect_refused(header(binary, "element camera 9\nproperty double focus\n" + three_floats) + "few", "byte",
                 "of element 'camera'");
  expect_refused(header("ascii", three_floats) + "1 2 3\n4 5 6\n", "line 10",
                 "of which there are 3: truncated");
  expect_refused(header("ascii", three_floats), "line 8", "0 bytes are left: truncated");
  for (const char* count : {"18446744073709551615", "4611686018427387904"}) {
    const std::string elements =
        std::string("element vertex ") + count + "\nproperty float x\nproperty float y\nproperty float z\n";
    expect_refused(header(binary, elements) + "x", "byte", count);
    expect_refused(header("ascii", elements) + "1 2 3\n", "line 8", count);
  }
}

TEST_F(PlyFile, LinesThatAreNoVerticesAreRefusedWithTheirNumber) {
  expect_refused(header("ascii", three_floats) + "1 2 3\n4 5\n7 8 9\n", "line 9",
                 "expected a vertex of 3 numbers, found 2");
  expect_refused(header("ascii", three_floats) + "1 2 3\n4 five 6\n7 8 9\n", "line 9",
                 "expected a number for property y, found 'five'");
  expect_refused(header("ascii", three_floats) + "1 2 3\n4 5 6\n7 8 9,5\n", "line 10", "found '9,5'");
}

}  // namespace
}  // namespace ablate::ply_file_test
