#include "harness/inputs/files/pcd_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text/bad_input.h"
#include "harness/inputs/files/lzf.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/capability.h"
#include "tests/support/temporary_directory.h"

namespace ablate::pcd_file_test {
namespace {

using test_support::bytes_of;
using test_support::read_file_points;
using test_support::read_with;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string three_fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";

std::string header(const std::string& fields, std::uint64_t points, const std::string& encoding) {
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n{}WIDTH {}\nHEIGHT 1\nVIEWPOINT 9 8 7 1 0 0 "
      "0\n"
      "POINTS {}\nDATA {}\n",
      fields, points, points, encoding);
}

/// Packed as liblzf would if nothing repeated: runs of at most 32 bytes as they are.
std::string literally_packed(const std::string& bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 32) {
    const std::string run = bytes.substr(at, 32);
    out += static_cast<char>(run.size() - 1) + run;
  }
  return out;
}

std::string packed(const std::string& columns) {
  const std::string bytes = literally_packed(columns);
  return bytes_of(static_cast<std::uint32_t>(bytes.size())) +
         bytes_of(static_cast<std::uint32_t>(columns.size())) + bytes;
}

class PcdFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const { return folder_.write("cloud.pcd", text); }
  std::vector<float> read(const std::string& text, std::int64_t requested = 0) const {
    return read_with(open_pcd, file(text), requested);
  }
  void expect_refused(const std::string& text, const std::string& place, const std::string& expected) const {
    const auto path = file(text);
    EXPECT_THAT([&] { read_with(open_pcd, path); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr("cloud.pcd: " + place), HasSubstr(expected))))
        << text;
  }

  test_support::temporary_directory folder_;
};

/// The same three points among other fields, of other types, in every encoding.
const std::string many_fields =
    "FIELDS intensity z normal x label y _\nSIZE 4 8 4 4 2 4 1\nTYPE F F F F U I U\nCOUNT 1 1 3 1 1 1 4\n";
const std::vector<float> three_points = {1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_F(PcdFile, TextGivesItsPoints) {
  EXPECT_EQ(read(header(three_fields, 3, "ascii") + "1 2 3\n-4.5 5e-1 +6\n7 8 9\n"),
            (std::vector<float>{1, 2, 3, -4.5, .5, 6, 7, 8, 9}));
  EXPECT_EQ(read(header(many_fields, 3, "ascii") +
                 ".5 3 0 0 1 1 65535 2 0 0 0 0\n.5 6 0 0 1 4 0 5 0 0 0 0\n\n.5 9 0 0 1 7 0 8 0 0 0 0\n"),
            three_points);
}

TEST_F(PcdFile, BinaryGivesItsPoints) {
  std::string data;
  for (const float first : {1.f, 4.f, 7.f})
    data += bytes_of(.5f) + bytes_of(first + 2.) + std::string(12, 'n') + bytes_of(first) +
            bytes_of(std::uint16_t{3}) + bytes_of(static_cast<int>(first) + 1) + "pads";
  const std::string text = header(many_fields, 3, "binary") + data;
  EXPECT_EQ(read(text), three_points);
  EXPECT_EQ(read(text + "and more"), three_points);
  EXPECT_EQ(read(text, 1), (std::vector<float>{1, 2, 3}));
  expect_refused(text.substr(0, text.size() - 1), fmt::format("byte {}", text.size() - data.size()),
                 "expected 3 points of 38 bytes, the file ends after 113 bytes: truncated");
}

TEST_F(PcdFile, PackedGivesItsPoints) {
  if (!has_lzf()) ABLATE_LACKS("liblzf", "this build has no liblzf");
  std::string columns = std::string(12, 'i');
  for (const double z : {3., 6., 9.}) columns += bytes_of(z);
  columns += std::string(36, 'n');
  for (const float x : {1.f, 4.f, 7.f}) columns += bytes_of(x);
  columns += std::string(6, 'l');
  for (const int y : {2, 5, 8}) columns += bytes_of(y);
  columns += std::string(12, 'p');
  const std::string start = header(many_fields, 3, "binary_compressed"), data = packed(columns);
  EXPECT_EQ(read(start + data), three_points);
  EXPECT_EQ(read(start + data, 2), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(count_file_points(file(start + data), 4, 0), 3);

  for (const std::size_t bytes : {0, 3, 7})
    expect_refused(start + data.substr(0, bytes), fmt::format("byte {}", start.size() + bytes),
                   "expected the sizes of packed data, the file ends: truncated");
  expect_refused(start + data.substr(0, data.size() - 1), fmt::format("byte {}", start.size() + 8),
                 "the file ends after 117: truncated");
  std::string broken = data;
  broken[8] = '\xff';  // a reference to bytes ahead of the first
  expect_refused(start + broken, fmt::format("byte {}", start.size() + 8), "it is broken");
  const std::string other = bytes_of(std::uint32_t{118}) + bytes_of(std::uint32_t{115});
  expect_refused(start + other + data.substr(8), fmt::format("byte {}", start.size() + 4),
                 "expected 3 points of 38 bytes, found 115 unpacked bytes");
  // 4 GB that 100 bytes cannot hold are never allocated.
  expect_refused(header(three_fields, 357913941, "binary_compressed") + bytes_of(std::uint32_t{100}) +
                     bytes_of(std::uint32_t{4294967292}) + std::string(100, '\0'),
                 "byte", "expected at most 8800 unpacked bytes from 100 packed ones, found 4294967292");
}

TEST_F(PcdFile, PackedIsRefusedWithoutItsLibrary) {
  if (has_lzf()) ABLATE_LACKS("no_liblzf", "this build has liblzf");
  expect_refused(header(three_fields, 1, "binary_compressed") + packed(std::string(12, '\0')), "line 11",
                 "expected DATA ascii or binary: this build lacks liblzf");
}

TEST_F(PcdFile, CoordinatesMayBeOfAnyType) {
  const auto fields = [](const std::string& type, int size) {
    return fmt::format("FIELDS x y z\nSIZE {1} {1} {1}\nTYPE {0} {0} {0}\n", type, size);
  };
  const auto three = [](auto a, auto b, auto c) { return bytes_of(a) + bytes_of(b) + bytes_of(c); };
  const auto of = [&](const std::string& type, int size, const std::string& data) {
    return read(header(fields(type, size), 1, "binary") + data);
  };
  const std::vector<float> signed_ones = {-2, 3, 100}, unsigned_ones = {200, 3, 100};
  EXPECT_EQ(of("F", 4, three(-2.f, 3.f, 100.f)), signed_ones);
  EXPECT_EQ(of("F", 8, three(-2., 3., 100.)), signed_ones);
  EXPECT_EQ(of("I", 4, three(-2, 3, 100)), signed_ones);
  EXPECT_EQ(of("I", 8, three(std::int64_t{-2}, std::int64_t{3}, std::int64_t{100})), signed_ones);
  EXPECT_EQ(of("I", 2, three(std::int16_t{-2}, std::int16_t{3}, std::int16_t{100})), signed_ones);
  EXPECT_EQ(of("I", 1, "\xfe\x03\x64"), signed_ones);
  EXPECT_EQ(of("U", 4, three(200u, 3u, 100u)), unsigned_ones);
  EXPECT_EQ(of("U", 8, three(std::uint64_t{200}, std::uint64_t{3}, std::uint64_t{100})), unsigned_ones);
  EXPECT_EQ(of("U", 1, "\xc8\x03\x64"), unsigned_ones);
  for (const auto& [type, size] : {std::pair{"F", 1}, {"X", 4}, {"f", 4}})
    expect_refused(header(fields(type, size), 1, "binary") + std::string(24, '\0'), "line",
                   "to be one number");
}

TEST_F(PcdFile, DoublesKeepTheirDigits) {
  const auto path = file(header("FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n", 1, "ascii") +
                         "500000.123456 5400000.654321 120.5\n");
  open_pcd(path).visit(1, [](const std::array<double, 3>& point) {
    EXPECT_EQ(point, (std::array<double, 3>{500000.123456, 5400000.654321, 120.5}));
  });
}

TEST_F(PcdFile, PointsThatAreNotFiniteAreKept) {
  const auto xyz = read(header(three_fields, 3, "ascii") + "nan nan nan\n1 2 3\n-nan inf 0\n");
  ASSERT_EQ(xyz.size(), 9u);
  EXPECT_TRUE(std::isnan(xyz[0]));
  EXPECT_EQ(xyz[4], 2);
  EXPECT_TRUE(std::isnan(xyz[6]));
  EXPECT_EQ(xyz[7], std::numeric_limits<float>::infinity());
}

TEST_F(PcdFile, HeadersOfOtherVersionsAreRead) {
  EXPECT_EQ(read("VERSION .5\nCOLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 2 3\n"),
            (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(read("# first\n\n# second\r\nFIELDS x y z\r\nSIZE 4 4 4\r\nTYPE F F F\r\nWIDTH 1\r\nHEIGHT "
                 "2\r\nDATA ascii\r\n"
                 "1 2 3\r\n4 5 6\r\n"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(PcdFile, ARequestForMorePointsIsRefused) {
  const auto path = file(header(three_fields, 2, "ascii") + "1 2 3\n4 5 6\n");
  EXPECT_EQ(read_file_points(path, 4, 1), (std::vector<float>{1, 2, 3}));
  EXPECT_THAT([&] { count_file_points(path, 4, 3); },
              ThrowsMessage<bad_input>(HasSubstr("expected 3 points or more, the file holds 2")));
  expect_refused(header(three_fields, 0, "ascii"), "", "the file holds 0");
}

TEST_F(PcdFile, CountsThatDisagreeAreRefused) {
  const auto counts = [&](const std::string& lines) {
    return "VERSION 0.7\n" + three_fields + lines + "DATA ascii\n1 2 3\n4 5 6\n";
  };
  EXPECT_EQ(read(counts("WIDTH 2\nHEIGHT 1\nPOINTS 2\n")).size(), 6u);
  EXPECT_EQ(read(counts("WIDTH 1\nHEIGHT 2\n")).size(), 6u);
  expect_refused(counts("WIDTH 2\nHEIGHT 2\nPOINTS 2\n"), "line 9",
                 "expected as many POINTS as WIDTH times HEIGHT (2 times 2), found 2");
  expect_refused(counts("WIDTH 4294967296\nHEIGHT 4294967296\nPOINTS 0\n"), "line 9",
                 "(4294967296 times 4294967296)");
  expect_refused(counts("WIDTH 4294967296\nHEIGHT 4294967296\n"), "line 8", "more than can be");
  expect_refused(counts("HEIGHT 1\n"), "line 7", "expected WIDTH and HEIGHT, or POINTS, before DATA");
  for (const char* count : {"-1", "2.5", "many", "", "1 2", "99999999999999999999"})
    expect_refused(counts(fmt::format("POINTS {}\n", count)), "line 7", "expected POINTS to be a count");
}

TEST_F(PcdFile, HeadersThatSayTooLittleAreRefused) {
  expect_refused("", "", "the file is empty");
  expect_refused("VERSION 0.7\n" + three_fields, "line 6", "the file ends before 'DATA'");
  expect_refused(std::string(100000, '#'), "line 1", "expected 'DATA' within the first 65536 bytes");
  expect_refused("VERSION 0.7\nPOINTS 1\nDATA ascii\n1 2 3\n", "line 3", "expected FIELDS before DATA");
  expect_refused("FIELDS x y z\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 2 3\n", "line 4",
                 "expected SIZE before DATA");
  expect_refused("FIELDS x y z\nSIZE 4 4 4\nPOINTS 1\nDATA ascii\n1 2 3\n", "line 4",
                 "expected TYPE before DATA");
  expect_refused("FIELDS x y z\nCOLOR 1\n", "line 2", "found 'COLOR'");
  expect_refused("FIELDS x y z\nFIELDS x y z\n", "line 2", "expected FIELDS once");
  expect_refused(header(three_fields, 1, "zipped"), "line 11", "found 'zipped'");
  expect_refused(header(three_fields, 1, ""), "line 11",
                 "expected DATA to be ascii, binary or binary_compressed");
  const auto with = [](const std::string& fields) { return header(fields, 1, "ascii") + "1 2 3\n"; };
  expect_refused(with("FIELDS x y\nSIZE 4 4\nTYPE F F\n"), "line",
                 "expected FIELDS x, y and z once each, found x y");
  expect_refused(with("FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\n"), "line", "once each, found x y z x");
  expect_refused(with("FIELDS x y z\nSIZE 4 4\nTYPE F F F\n"), "line",
                 "expected SIZE to have a word for each of the 3 fields, found 2");
  expect_refused(with("FIELDS x y z\nSIZE 4 4 4\nTYPE F F\n"), "line",
                 "expected TYPE to have a word for each");
  expect_refused(with("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1\n"), "line",
                 "expected COUNT to have a word");
  for (const char* size : {"0", "3", "16", "-4", "four", "18446744073709551616"})
    expect_refused(with(fmt::format("FIELDS x y z\nSIZE 4 {} 4\nTYPE F F F\n", size)), "line",
                   fmt::format("expected SIZE of field y to be 1, 2, 4 or 8, found '{}'", size));
  for (const char* count : {"0", "-1", "18446744073709551615"})
    expect_refused(with(fmt::format("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 {}\n", count)), "line",
                   fmt::format("expected COUNT of field z to be 1 or more, found '{}'", count));
  expect_refused(with("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 2\n"), "line",
                 "expected field z to be one number, found TYPE F SIZE 4 COUNT 2");
}

TEST_F(PcdFile, CountsBeyondTheFileAreRefused) {
  for (const std::uint64_t points : {std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    expect_refused(header(three_fields, points, "binary") + "x", "byte", "truncated");
    expect_refused(header(three_fields, points, "ascii") + "1 2 3\n", "line 12", "truncated");
    if (has_lzf())
      expect_refused(header(three_fields, points, "binary_compressed") + packed(std::string(12, '\0')),
                     "byte", "found 12 unpacked bytes");
  }
  const std::string wide = "FIELDS x y z w\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 4294967296\n";
  expect_refused(header(wide, 1, "binary") + "x", "byte", "expected 1 points of 34359738380 bytes");
  expect_refused(header(wide, 1, "ascii") + "1 2 3\n", "line 12",
                 "expected a point of 4294967299 values, found 3");
}

TEST_F(PcdFile, LinesThatAreNoPointsAreRefusedWithTheirNumber) {
  expect_refused(header(three_fields, 3, "ascii") + "1 2 3\n4 5\n7 8 9\n", "line 13",
                 "expected a point of 3 values, found 2");
  expect_refused(header(three_fields, 3, "ascii") + "1 2 3\n4 five 6\n7 8 9\n", "line 13",
                 "expected a number for y, found 'five'");
  expect_refused(header(three_fields, 3, "ascii") + "1 2 3\n4 5 6\n", "line 14",
                 "expected a line for each of 3 points, found 2: truncated");
}

}  // namespace
}  // namespace ablate::pcd_file_test
