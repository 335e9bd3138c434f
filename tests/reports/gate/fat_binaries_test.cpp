#include "reports/gate/fat_binaries.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/reports/gate/made_cubin.h"
#include "tests/support/run_program.h"

namespace ablate::gate::fat_binaries_test {
namespace {

using test_support::bytes_of;

std::string fat_binary(const std::string& content) {
  return bytes_of(std::uint32_t{0xba55ed50}) + bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{16}) +
         bytes_of(std::uint64_t{content.size()}) + content;
}

std::string made_elf(const std::string& name, const std::string& content) {
  return test_support::made_elf_file({{name, SHT_PROGBITS, 0, content}}, {});
}

TEST(FatBinaries, AreFoundOneAfterTheOtherWhateverLiesBetween) {
  const std::string one = fat_binary("eight bytes twice"), other = fat_binary("");
  const std::string padding(8 - one.size() % 8, '\0');
  const std::string elf = made_elf(".nv_fatbin", one + padding + std::string(8, '\0') + other);
  const auto found = fat_binaries(elf);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].substr(0, 33), one.substr(0, 33));
  EXPECT_EQ(found[1], other);
}

TEST(FatBinaries, AProgramWithoutTheSectionHasNone) {
  EXPECT_TRUE(fat_binaries(made_elf(".data", fat_binary("content"))).empty());
  EXPECT_TRUE(fat_binaries(made_elf(".nv_fatbin", "")).empty());
}

TEST(FatBinaries, WhatIsBrokenIsRefused) {
  EXPECT_THROW(fat_binaries(""), std::runtime_error);
  EXPECT_THROW(fat_binaries(std::string(200, 'x')), std::runtime_error);
  const std::string elf = made_elf(".nv_fatbin", fat_binary("content"));
  for (std::size_t size = 0; size < elf.size(); ++size)
    EXPECT_THROW(fat_binaries(elf.substr(0, size)), std::runtime_error) << size;
  std::string longer = fat_binary("content");
  longer[8] = 100;  // says that more follows than does
  EXPECT_THROW(fat_binaries(made_elf(".nv_fatbin", longer)), std::runtime_error);
}

TEST(FatBinaries, SizesThatWrapAroundAreRefused) {
  const auto with = [](std::uint16_t header_bytes, std::uint64_t bytes) {
    return made_elf(".nv_fatbin", bytes_of(std::uint32_t{0xba55ed50}) + bytes_of(std::uint16_t{1}) +
                                      bytes_of(header_bytes) + bytes_of(bytes) + std::string(16, 'x'));
  };
  EXPECT_THROW(fat_binaries(with(16, ~std::uint64_t{15})), std::runtime_error) << "16 more are none";
  EXPECT_THROW(fat_binaries(with(0, 0)), std::runtime_error) << "the next one would be this one";
  EXPECT_EQ(fat_binaries(with(16, 16)).size(), 1u);
}

TEST(FatBinaries, ThisProgramCanBeRead) {
  EXPECT_NO_THROW(fat_binaries(test_support::slurp("/proc/self/exe")));
}

}  // namespace
}  // namespace ablate::gate::fat_binaries_test
