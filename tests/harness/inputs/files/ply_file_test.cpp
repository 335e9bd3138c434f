#include "harness/inputs/files/ply_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text/bad_input.h"
#include "harness/inputs/files/point_file.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/temporary_directory.h"

namespace ablate::ply_file_test {
namespace {

using test_support::bytes_of;
using test_support::read_file_points;
using test_support::read_with;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string header(const std::string& format, const std::string& elements) {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n";
}

const std::string three_floats = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
const std::string binary = "binary_little_endian";

class PlyFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const { return folder_.write("cloud.ply", text); }
  std::vector<float> read(const std::string& text, std::int64_t requested = 0) const {
    return read_with(open_ply, file(text), requested);
  }
  void expect_refused(const std::string& text, const std::string& place, const std::string& expected) const {
    const auto path = file(text);
    EXPECT_THAT([&] { read_with(open_ply, path); },
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
  EXPECT_THAT([&] { count_file_points(path, 4, 4); },
              ThrowsMessage<bad_input>(HasSubstr("expected 4 points or more, the file holds 3")));
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

TEST_F(PlyFile, BigEndianVerticesAreRead) {
  const std::string elements =
      "element camera 1\nproperty list uchar short sizes\nelement vertex 2\nproperty uchar red\n"
      "property float64 x\nproperty float y\nproperty int z\n";
  std::string data =
      bytes_of(std::uint8_t{2}) + bytes_of(std::int16_t{1}, true) + bytes_of(std::int16_t{2}, true);
  for (const int first : {1, 4})
    data += "r" + bytes_of(first + 0.5, true) + bytes_of(first + 1.f, true) + bytes_of(-first, true);
  EXPECT_EQ(read(header("binary_big_endian", elements) + data), (std::vector<float>{1.5, 2, -1, 4.5, 5, -4}));
}

TEST_F(PlyFile, CoordinatesMayBeOfAnyType) {
  const auto of_type = [&](const std::string& type, const std::string& data) {
    return read(header(binary, "element vertex 1\nproperty " + type + " x\nproperty " + type +
                                   " y\nproperty " + type + " z\n") +
                data);
  };
  const std::vector<float> signed_ones = {-2, 3, 100}, unsigned_ones = {200, 3, 100};
  for (const char* type : {"char", "int8"}) EXPECT_EQ(of_type(type, "\xfe\x03\x64"), signed_ones);
  for (const char* type : {"uchar", "uint8"}) EXPECT_EQ(of_type(type, "\xc8\x03\x64"), unsigned_ones);
  const auto three = [](auto a, auto b, auto c) { return bytes_of(a) + bytes_of(b) + bytes_of(c); };
  for (const char* type : {"short", "int16"})
    EXPECT_EQ(of_type(type, three(std::int16_t{-2}, std::int16_t{3}, std::int16_t{100})), signed_ones);
  for (const char* type : {"ushort", "uint16"})
    EXPECT_EQ(of_type(type, three(std::uint16_t{200}, std::uint16_t{3}, std::uint16_t{100})), unsigned_ones);
  for (const char* type : {"int", "int32"}) EXPECT_EQ(of_type(type, three(-2, 3, 100)), signed_ones);
  for (const char* type : {"uint", "uint32"}) EXPECT_EQ(of_type(type, three(200u, 3u, 100u)), unsigned_ones);
  for (const char* type : {"float", "float32"})
    EXPECT_EQ(of_type(type, three(-2.f, 3.f, 100.f)), signed_ones);
  for (const char* type : {"double", "float64"}) EXPECT_EQ(of_type(type, three(-2., 3., 100.)), signed_ones);
}

TEST_F(PlyFile, DoublesKeepTheirDigits) {
  const auto path =
      file(header("ascii", "element vertex 1\nproperty double x\nproperty double y\nproperty double z\n") +
           "500000.123456 5400000.654321 120.5\n");
  open_ply(path).visit(1, [](const std::array<double, 3>& point) {
    EXPECT_EQ(point, (std::array<double, 3>{500000.123456, 5400000.654321, 120.5}));
  });
}

TEST_F(PlyFile, ListsInVerticesAndBeforeThemAreSkipped) {
  const std::string elements =
      "element face 2\nproperty list uchar int corners\nproperty float area\n"
      "element vertex 2\nproperty list uchar double weights\nproperty float x\nproperty list int uchar tags\n"
      "property float y\nproperty float z\n";
  const std::vector<float> expected = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(read(header("ascii", elements) + "3 7 8 9 0.5\n0 1.5\n2 .1 .2 1 0 2 3\n0 4 3 7 7 7 5 6\n"),
            expected);
  std::string data = bytes_of(std::uint8_t{3}) + std::string(12, 'c') + bytes_of(.5f);
  data += bytes_of(std::uint8_t{0}) + bytes_of(1.5f);
  data += bytes_of(std::uint8_t{2}) + std::string(16, 'w') + bytes_of(1.f) + bytes_of(0) + bytes_of(2.f) +
          bytes_of(3.f);
  data += bytes_of(std::uint8_t{0}) + bytes_of(4.f) + bytes_of(5000) + std::string(5000, 't') +
          bytes_of(5.f) + bytes_of(6.f);
  EXPECT_EQ(read(header(binary, elements) + data), expected);
  EXPECT_EQ(read(header(binary, elements) + data, 1), (std::vector<float>{1, 2, 3}));
}

TEST_F(PlyFile, ListsOfImpossibleLengthsAreRefused) {
  const std::string before = "element face 1\nproperty list int double corners\n" + three_floats,
                    inside =
                        "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                        "property list int double tags\n";
  const std::string xyz = bytes_of(1.f) + bytes_of(2.f) + bytes_of(3.f);
  expect_refused(header(binary, before) + bytes_of(-1) + xyz + xyz + xyz, "byte",
                 "to have a length, found -1");
  expect_refused(header(binary, before) + bytes_of(0x7fffffff) + xyz, "byte", "truncated");
  expect_refused(header(binary, before) + bytes_of(10) + xyz, "byte", "truncated");
  expect_refused(header(binary, inside) + xyz + bytes_of(-5), "byte", "to have a length, found -5");
  expect_refused(header(binary, inside) + xyz + bytes_of(2) + "8 bytes.", "byte", "truncated");
  expect_refused(header("ascii", inside) + "1 2 3 9 .5\n", "line 9",
                 "to have a length that its line holds, found '9'");
  expect_refused(header("ascii", inside) + "1 2 3 -1 .5\n", "line 9", "found '-1'");
  expect_refused(header("ascii", inside) + "1 2 3 2 .5\n", "line 9",
                 "expected a vertex of 6 numbers, found 5");
  expect_refused(header("ascii", "element vertex 1\nproperty list float int v\n"), "line 4",
                 "expected an integer type for the length of a list, found 'float'");
  expect_refused(
      header("ascii", "element vertex 1\nproperty list uchar int x\nproperty float y\nproperty float z\n"),
      "line 7", "expected property x of element 'vertex' to be one number, it is a list");
}

TEST_F(PlyFile, WhatIsNoPlyIsRefused) {
  expect_refused("", "", "the file is empty");
  expect_refused("solid cube\n", "line 1", "expected 'ply'");
  expect_refused("no line at all", "line 1", "before 'end_header'");
  expect_refused(std::string(100000, 'x'), "line 1", "within the first 65536 bytes");
  expect_refused("ply\nformat ascii 2.0\nend_header\n", "line 2", "found version 2.0");
  expect_refused("ply\nformat binary 1.0\nend_header\n", "line 2", "found 'binary'");
  expect_refused("ply\ncomment first\n", "line 2", "expected 'format ascii 1.0'");
  EXPECT_THROW(open_ply(folder_.path() / "none.ply"), bad_input);
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
  expect_refused(header("ascii", "element vertex 1\nproperty real x\n"), "line 4", "found 'real'");
  expect_refused(header("ascii", "element vertex 1\nproperty float x\nproperty float x\n"), "line 5",
                 "expected property 'x' of element 'vertex' once");
}

TEST_F(PlyFile, TruncatedFilesAreRefusedWithTheirPlace) {
  const std::string start = header(binary, three_floats);
  expect_refused(start + std::string(35, 'x'), "byte " + std::to_string(start.size()),
                 "expected 3 times 12 bytes of element 'vertex', the file ends after 35");
  EXPECT_THROW(open_ply(file(start + std::string(35, 'x'))), bad_input);
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
