#include "harness/inputs/files/npz_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/capability.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"

namespace ablate::npz_file_test {
namespace {

using test_support::bytes_of;
using test_support::npy_of;
using test_support::read_file_points;
using test_support::read_with;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

enum packing : std::uint16_t { stored = 0, deflated = 8, with_bzip2 = 12 };

struct member {
  std::string name, bytes;
  packing how = stored;
  std::uint32_t size = 0;  ///< that the archive claims; 0: the true one
};

/// A zip archive. Deflated data are one block that is not compressed.
std::string zip_of(const std::vector<member>& members) {
  std::string text, directory;
  const auto u16 = [](std::size_t value) { return bytes_of(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::size_t value) { return bytes_of(static_cast<std::uint32_t>(value)); };
  for (const auto& [name, bytes, how, size] : members) {
    const std::string data =
        how == deflated ? "\x01" + u16(bytes.size()) + u16(~bytes.size()) + bytes : bytes;
    const std::string facts = u16(20) + u16(0) + u16(how) + u32(0) + u32(crc32_of(bytes)) + u32(data.size()) +
                              u32(size == 0 ? bytes.size() : size) + u16(name.size()) + u16(0);
    directory += "PK\1\2" + u16(20) + facts + u16(0) + u16(0) + u16(0) + u32(0) + u32(text.size()) + name;
    text += "PK\3\4" + facts + name + data;
  }
  return text + directory + "PK\5\6" + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) +
         u32(directory.size()) + u32(text.size()) + u16(0);
}

const std::string two_points = npy_of<float>({1, 2, 3, 4, 5, 6}), others = npy_of<double>({7, 8, 9});

class NpzFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_zip()) ABLATE_LACKS("libzip", "this build has no libzip");
  }
  std::filesystem::path file(const std::string& text) const { return folder_.write("cloud.npz", text); }
  std::vector<float> read(const std::string& text, std::int64_t requested = 0) const {
    return read_with(open_npz, file(text), requested);
  }
  void expect_refused(const std::string& text, const std::string& expected) const {
    const auto path = file(text);
    EXPECT_THAT([&] { read_with(open_npz, path); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr("cloud.npz: "), HasSubstr(expected))));
  }

  test_support::temporary_directory folder_;
};

TEST_F(NpzFile, ItsOnlyArrayIsRead) {
  for (const packing how : {stored, deflated}) {
    const std::string text = zip_of({{"xyz.npy", two_points, how}});
    EXPECT_EQ(read(text), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read(text, 1), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(count_file_points(file(text), 4, 0), 2);
    EXPECT_EQ(read_file_points(file(text), 4, 0), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
}

TEST_F(NpzFile, OfSeveralArraysTheOneNamedPointsIsRead) {
  EXPECT_EQ(read(zip_of({{"a.npy", others}, {"points.npy", two_points, deflated}, {"b.npy", others}})),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(zip_of({{"notes.txt", "x"}, {"a.npy", others}})), (std::vector<float>{7, 8, 9}));
}

TEST_F(NpzFile, ArraysInFortranOrderAreRead) {
  std::string turned = two_points;
  turned.replace(turned.find("False"), 5, "True ");
  EXPECT_EQ(read(zip_of({{"a.npy", turned, deflated}})), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST_F(NpzFile, WithoutOneArrayToTakeItIsRefusedWithTheNames) {
  expect_refused(zip_of({{"a.npy", others}, {"b.npy", others}}),
                 "expected an array named points, or only one array, found a.npy, b.npy");
  expect_refused(zip_of({{"archive/data.pkl", "x"}, {"archive/version", "3"}}),
                 "found archive/data.pkl, archive/version");
  expect_refused(zip_of({{"line\nbreak", "x"}}), "found line?break");
  expect_refused(zip_of({}), "found none");
  std::vector<member> many;
  for (int i = 0; i < 12; ++i) many.push_back({fmt::format("{}.npy", i), others});
  expect_refused(zip_of(many), "6.npy, 7.npy and 4 more");
}

TEST_F(NpzFile, WhatItsArrayIsNotIsRefusedAsAnNpyFileIs) {
  expect_refused(zip_of({{"a.npy", "no array at all"}}), "cloud.npz: a.npy: byte 0: expected '\\x93NUMPY'");
  expect_refused(zip_of({{"a.npy", two_points.substr(0, two_points.size() - 1), deflated}}),
                 "a.npy: byte 128: expected 2 times 12 bytes");
}

TEST_F(NpzFile, BrokenArchivesAreRefused) {
  const std::string whole = zip_of({{"a.npy", two_points, deflated}});
  for (std::size_t bytes = 4; bytes < whole.size(); bytes += 7)
    expect_refused(whole.substr(0, bytes), "expected");
  expect_refused(zip_of({{"a.npy", two_points, with_bzip2}}), "stored or deflated");
  expect_refused(zip_of({{"a.npy", two_points, deflated, 0xfffffff0}}),
                 "expected sizes that can be, found 4294967280");
  std::string damaged = whole;
  ++damaged[damaged.find(two_points) + two_points.size() - 1];
  expect_refused(damaged, "it is broken or truncated");
  std::string scrambled = whole;
  scrambled[scrambled.find(two_points) - 5] = '\x07';  // no kind of block
  expect_refused(scrambled, "it is broken or truncated");
}

TEST(NpzFileWithoutItsLibrary, IsRefused) {
  if (has_zip()) ABLATE_LACKS("no_libzip", "this build has libzip");
  const test_support::temporary_directory folder;
  EXPECT_THAT(
      [&] {
        count_file_points(folder.write("cloud.npz", zip_of({{"a.npy", two_points}})), 4, 0);
      },
      ThrowsMessage<bad_input>(HasSubstr("this build lacks libzip")));
}

}  // namespace
}  // namespace ablate::npz_file_test
