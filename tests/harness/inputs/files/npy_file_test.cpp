#include "harness/inputs/files/npy_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/text/bad_input.h"
#include "harness/inputs/files/point_file.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/temporary_directory.h"

namespace ablate::npy_file_test {
namespace {

using test_support::bytes_of;
using test_support::read_file_points;
using test_support::read_with;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// As NumPy writes it: the dictionary padded with blanks to whole 64 bytes.
std::string npy(std::string dictionary, int version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  dictionary += std::string(63 - (before + dictionary.size()) % 64, ' ') + "\n";
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) text += static_cast<char>(dictionary.size() >> 8 * i & 0xff);
  return text + dictionary;
}

std::string array(const std::string& descr, const std::string& shape, const char* fortran_order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran_order, shape);
}

template <class T>
std::string counting(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{0});
  return {reinterpret_cast<const char*>(values.data()), count * sizeof(T)};
}

class NpyFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const { return folder_.write("cloud.npy", text); }
  std::vector<float> read(const std::string& text, std::int64_t requested = 0) const {
    return read_with(open_npy, file(text), requested);
  }
  void expect_refused(const std::string& text, const std::string& place, const std::string& expected) const {
    const auto path = file(text);
    const auto message = AllOf(HasSubstr("cloud.npy: " + place), HasSubstr(expected));
    EXPECT_THAT([&] { points_to_read(path, open_npy(path).count, 0); }, ThrowsMessage<bad_input>(message));
  }

  test_support::temporary_directory folder_;
};

TEST_F(NpyFile, GivesTheFirstThreeColumns) {
  EXPECT_EQ(read(npy(array("<f4", "(2, 3)")) + counting<float>(6)), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read(npy(array("<f4", "(2, 5)")) + counting<float>(10)), (std::vector<float>{0, 1, 2, 5, 6, 7}));
  EXPECT_EQ(read(npy(array("<f8", "(2, 4)")) + counting<double>(8)), (std::vector<float>{0, 1, 2, 4, 5, 6}));
}

TEST_F(NpyFile, EveryVersionAndSpellingOfTheHeaderIsRead) {
  const std::string data = counting<float>(3);
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read(npy(array("<f4", "(1, 3)"), version) + data), (std::vector<float>{0, 1, 2})) << version;
  EXPECT_EQ(read(npy("{\"shape\":(1,3,),\"fortran_order\":False,\"descr\":\"<f4\"}") + data),
            (std::vector<float>{0, 1, 2}));
}

TEST_F(NpyFile, ARequestForFewerPointsGivesTheFirstAndForMoreIsRefused) {
  const std::string text = npy(array("<f4", "(3, 3)")) + counting<float>(9);
  EXPECT_EQ(read(text, 2), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  const auto path = file(text);
  EXPECT_THAT([&] { count_file_points(path, 4, 4); },
              ThrowsMessage<bad_input>(HasSubstr("expected 4 points or more, the file holds 3")));
}

TEST_F(NpyFile, AFileLongerThanOnePieceIsReadWhole) {
  const auto xyz = read(npy(array("<f8", "(100001, 4)")) + counting<double>(400004));
  ASSERT_EQ(xyz.size(), 300003u);
  for (std::size_t i = 0; i < 100001; ++i) ASSERT_EQ(xyz[3 * i + 2], static_cast<float>(4 * i + 2));
}

TEST_F(NpyFile, TheLibrarysReaderTakesItByTheEndOfItsName) {
  const auto path = file(npy(array("<f4", "(2, 3)")) + counting<float>(6));
  EXPECT_EQ(count_file_points(path, 4, 0), 2);
  EXPECT_EQ(read_file_points(path, 4, 1), (std::vector<float>{0, 1, 2}));
}

template <class T>
std::string six(const std::array<double, 6>& values, bool is_big_endian) {
  std::string out;
  for (const double value : values) out += bytes_of(static_cast<T>(value), is_big_endian);
  return out;
}

TEST_F(NpyFile, EveryTypeOfNumberIsReadInEitherEndianness) {
  constexpr std::array<double, 6> values = {1, 2, 3, 4, 5, 100};
  const std::vector<float> expected(values.begin(), values.end());
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? ">" : "<";
    const auto read_as = [&](const char* type, const std::string& data) {
      return read(npy(array(order + type, "(2, 3)")) + data);
    };
    EXPECT_EQ(read_as("f8", six<double>(values, is_big)), expected);
    EXPECT_EQ(read_as("f4", six<float>(values, is_big)), expected);
    EXPECT_EQ(read_as("i8", six<std::int64_t>(values, is_big)), expected);
    EXPECT_EQ(read_as("i4", six<std::int32_t>(values, is_big)), expected);
    EXPECT_EQ(read_as("i2", six<std::int16_t>(values, is_big)), expected);
    EXPECT_EQ(read_as("u8", six<std::uint64_t>(values, is_big)), expected);
    EXPECT_EQ(read_as("u4", six<std::uint32_t>(values, is_big)), expected);
    EXPECT_EQ(read_as("u2", six<std::uint16_t>(values, is_big)), expected);
  }
  EXPECT_EQ(read(npy(array("|u1", "(2, 3)")) + six<std::uint8_t>(values, false)), expected);
  EXPECT_EQ(read(npy(array("|i1", "(2, 3)")) + "\xff\x80\x7f\x01\x02\x03"),
            (std::vector<float>{-1, -128, 127, 1, 2, 3}));
  EXPECT_EQ(read(npy(array("<i4", "(1, 3)")) + bytes_of(-5) + bytes_of(-2147483647) + bytes_of(7)),
            (std::vector<float>{-5, -2147483648.f, 7}));
}

TEST_F(NpyFile, HalvesAreReadExactly) {
  const std::vector<std::pair<std::uint16_t, float>> halves = {
      {0x3c00, 1},
      {0xc000, -2},
      {0x7bff, 65504},
      {0x0400, 0x1p-14f},
      {0x0001, 0x1p-24f},
      {0x8000, 0},
      {0x3555, 0.333251953125f},
      {0x7c00, std::numeric_limits<float>::infinity()},
      {0xfc00, -std::numeric_limits<float>::infinity()}};
  for (const bool is_big : {false, true}) {
    std::string data;
    std::vector<float> expected;
    for (const auto& [bits, value] : halves) {
      data += bytes_of(bits, is_big);
      expected.push_back(value);
    }
    EXPECT_EQ(read(npy(array(is_big ? ">f2" : "<f2", "(3, 3)")) + data), expected);
  }
  EXPECT_TRUE(std::isnan(read(npy(array("<f2", "(1, 3)")) + bytes_of(std::uint16_t{0x7e00}) + "abcd")[0]));
}

TEST_F(NpyFile, DoublesKeepTheirDigits) {
  const auto path = file(npy(array("<f8", "(1, 3)")) + bytes_of(500000.123456) + bytes_of(5400000.654321) +
                         bytes_of(120.5));
  open_npy(path).visit(1, [](const std::array<double, 3>& point) {
    EXPECT_EQ(point, (std::array<double, 3>{500000.123456, 5400000.654321, 120.5}));
  });
}

TEST_F(NpyFile, FortranOrderIsRead) {
  EXPECT_EQ(read(npy(array("<f4", "(2, 3)", "True")) + counting<float>(6)),
            (std::vector<float>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(read(npy(array("<f8", "(3, 4)", "True")) + counting<double>(12), 2),
            (std::vector<float>{0, 3, 6, 1, 4, 7}));
  constexpr std::size_t points = 400001;  // several pieces
  const auto xyz = read(npy(array("<f4", "(400001, 4)", "True")) + counting<float>(4 * points));
  ASSERT_EQ(xyz.size(), 3 * points);
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      ASSERT_EQ(xyz[3 * i + axis], static_cast<float>(axis * points + i));
}

TEST_F(NpyFile, StructuresAreReadByTheNamesOfTheirFields) {
  const auto structure = [&](const std::string& fields, const char* shape) {
    return npy(fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': {}, }}", fields, shape));
  };
  std::string data;
  for (const float first : {1.f, 4.f})
    data += bytes_of(std::uint16_t{9}) + bytes_of(first + 2.) + "pad" + bytes_of(first) +
            bytes_of(std::int16_t(first + 1), true);
  const std::string fields = "('ring', '<u2'), ('z', '<f8'), ('', '|V3'), ('x', '<f4'), ('y', '>i2')";
  const std::vector<float> expected = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(read(structure(fields, "(2,)") + data), expected);
  EXPECT_EQ(read(structure(fields, "(1, 2)") + data), expected) << "an organized cloud";
  EXPECT_EQ(read(structure(fields + ",", "(2,)") + data, 1), (std::vector<float>{1, 2, 3}));

  const std::string six_more = counting<float>(6);
  EXPECT_EQ(
      read(structure(
               "(('position', 'x'), '<f4'), ('y','<f4'), ('z','<f4'), ('rgb', '|u1', (3,)), ('a', '|u1', ())",
               "(1,)") +
           six_more),
      (std::vector<float>{0, 1, 2}));
  expect_refused(structure("('x', '<f4'), ('y', '<f4')", "(2,)") + data, "byte 10",
                 "expected a structure with fields x, y and z, found x, y");
  expect_refused(structure("('x', '<f4'), ('y', '<f4'), ('z', '<U4')", "(2,)") + data, "byte 10",
                 "expected field z to be one integer or float ('<f4'), found 1 of '<U4'");
  expect_refused(structure("('x', '<f4'), ('y', '<f4'), ('z', '<f4', (2,))", "(2,)") + data, "byte 10",
                 "found 2 of '<f4'");
  expect_refused(structure("('p', [('x', '<f4')]), ('y', '<f4')", "(2,)") + data, "byte",
                 "expected the type of field 'p' ('<f4'), which is no structure itself");
  expect_refused(structure("('x', '<f4', (99999999, 99999999))", "(2,)") + data, "byte",
                 "expected a field of fewer values");
  expect_refused(structure(fields, "(4294967296, 4294967296)") + data, "byte 10", "expected fewer elements");
  expect_refused(structure(fields, "(4294967296, 4294967295)") + data, "byte", "truncated");
  expect_refused(structure(fields, "(3,)") + data, "byte",
                 "expected 3 times 19 bytes, the file ends after 38 bytes");
  expect_refused(structure("", "(3,)") + data, "byte", "found ''");
}

TEST_F(NpyFile, ATransposedArrayIsRefusedWithWhatTurnsIt) {
  expect_refused(npy(array("<f4", "(3, 17238)")) + counting<float>(3 * 17238), "byte 10",
                 "found (3, 17238): transpose it to (17238, 3)");
  expect_refused(npy(array("<f4", "(4, 65)")) + counting<float>(260), "byte 10", "transpose it to (65, 4)");
  expect_refused(npy(array("<f4", "(4, 65)", "True")) + counting<float>(260), "byte 10",
                 "transpose it to (65, 4)");
  expect_refused(npy(array("<f4", "(1000, 128)")) + counting<float>(128000), "byte 10",
                 "save the columns x, y, z alone");
  expect_refused(npy(array("<f4", "(2, 18446744073709551615)")), "byte 10", "save the columns x, y, z alone");
  EXPECT_EQ(read(npy(array("<f4", "(2, 64)")) + counting<float>(128)),
            (std::vector<float>{0, 1, 2, 64, 65, 66}));
}

TEST_F(NpyFile, WrongTypesAreRefused) {
  const std::string data(1000, 'x');
  for (const char* type : {"|b1", "<c8", "<U1", "|S4", "<M8[ns]", "<f1"})
    expect_refused(npy(array(type, "(2, 3)")) + data, "byte 10",
                   fmt::format("expected elements that are integers or floats ('<f4'), found '{}'", type));
  for (const char* type : {"f4", "|O", "<f", "<f99999999999999999999", "<f-4", ""})
    expect_refused(npy(array(type, "(2, 3)")) + data, "byte",
                   fmt::format("expected a type such as '<f4', found '{}'", type));
}

TEST_F(NpyFile, WrongShapesAreRefused) {
  const std::string data(1000, 'x');
  for (const char* shape : {"()", "(6,)", "(2, 2)", "(2, 3, 1)"})
    expect_refused(npy(array("<f4", shape)) + data, "byte 10", "expected a shape (points, 3 or more)");
  expect_refused(npy(array("<f4", "(0, 3)")), "", "the file holds 0");
}

TEST_F(NpyFile, BrokenHeadersAreRefused) {
  const std::string data(1000, 'x');
  expect_refused("", "", "the file is empty");
  expect_refused("PK\x03\x04" + data, "byte 0", "with which an .npy file begins");
  expect_refused(std::string("\x93NUMPY\x04\0", 8) + data, "byte 6", "version 1, 2 or 3, found 4");
  expect_refused(npy("{'descr': '<f4'}") + data, "byte 10", "expected the keys");
  expect_refused(npy("{'descr': '<f4', 'order': 'C'}") + data, "byte", "found 'order'");
  expect_refused(npy("{'descr': '<f4") + data, "byte", "expected a type of elements");
  expect_refused(npy("{'descr': [('x', '<f4')") + data, "byte", "expected ']'");
  expect_refused(npy("{'descr': [('x' '<f4')]") + data, "byte", "expected ','");
  expect_refused(npy("descr") + data, "byte 10", "expected '{'");
  expect_refused(npy("{'fortran_order': 0}") + data, "byte", "expected True or False");
  for (const char* shape : {"(-2, 3)", "(2 3)", "2", "(2, 3", "(99999999999999999999, 3)", "(2.5, 3)"})
    expect_refused(npy(array("<f4", shape)) + data, "byte", "expected");
}

TEST_F(NpyFile, TruncatedFilesAreRefusedWithTheirPlace) {
  const std::string whole = npy(array("<f4", "(2, 3)")) + counting<float>(6);
  expect_refused(whole.substr(0, whole.size() - 1), "byte 128", "the file ends after 23 bytes: truncated");
  for (const std::size_t bytes : {6, 7, 9, 10, 50})
    expect_refused(whole.substr(0, bytes), "byte " + std::to_string(bytes), "truncated");
  for (const char* shape :
       {"(18446744073709551615, 3)", "(4611686018427387904, 4)", "(6148914691236517206, 3)"})
    expect_refused(npy(array("<f4", shape)) + counting<float>(6), "byte 128", "truncated");
}

}  // namespace
}  // namespace ablate::npy_file_test
