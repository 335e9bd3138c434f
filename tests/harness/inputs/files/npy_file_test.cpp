#include "harness/inputs/files/npy_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "harness/inputs/files/point_file.h"
#include "reports/text/bad_input.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/temporary_directory.h"

namespace ablate::npy_file_test {
namespace {

using test_support::collected;
using test_support::read_file_points;
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
    const auto path = file(text);
    const std::vector<float> xyz =
        collected([&](const point_visitor& to) { visit_npy_points(path, requested, to); });
    EXPECT_EQ(xyz.size(), 3 * static_cast<std::size_t>(count_npy_points(path, requested)));
    return xyz;
  }
  void expect_refused(const std::string& text, const std::string& place, const std::string& expected) const {
    const auto path = file(text);
    const auto message = AllOf(HasSubstr("cloud.npy: " + place), HasSubstr(expected));
    EXPECT_THAT(([&] { visit_npy_points(path, 0, [](const auto&) {}); }), ThrowsMessage<bad_input>(message));
    EXPECT_THAT([&] { count_npy_points(path, 0); }, ThrowsMessage<bad_input>(message));
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
  EXPECT_THAT([&] { count_npy_points(path, 4); },
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

TEST_F(NpyFile, WrongTypesAreRefused) {
  const std::string data(1000, 'x');
  expect_refused(npy(array(">f4", "(2, 3)")) + data, "byte 10", "big-endian files are not read");
  for (const char* type : {"<i4", "<f2", "|u1", "<c8", "f4"})
    expect_refused(npy(array(type, "(2, 3)")) + data, "byte 10",
                   fmt::format("expected elements '<f4' or '<f8' (float32 or float64), found '{}'", type));
  expect_refused(npy("{'descr': [('x', '<f4'), ('y', '<f4'), ('z', '<f4')], 'fortran_order': False, 'shape': "
                     "(2,), }") +
                     data,
                 "byte 20", "not a structure of several");
  expect_refused(npy(array("<f4", "(2, 3)", "True")) + data, "byte 10", "expected C order");
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
  expect_refused(npy("{'descr': '<f4") + data, "byte", "expected one type of elements");
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
       {"(18446744073709551615, 3)", "(4611686018427387904, 4)", "(2, 18446744073709551615)"})
    expect_refused(npy(array("<f4", shape)) + counting<float>(6), "byte 128", "truncated");
}

}  // namespace
}  // namespace ablate::npy_file_test
