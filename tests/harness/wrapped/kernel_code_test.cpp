#include "harness/wrapped/kernel_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/harness/wrapped/built_files.h"
#include "tests/harness/wrapped/made_cubin.h"
#include "tests/support/capability.h"
#include "tests/support/refusal.h"

namespace ablate::wrapped {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wrapped_test::cubin_bytes;
using wrapped_test::made_cubin;

constexpr const char* ptx_text = R"(// .entry not_this(
.version 8.4
.target sm_80
.address_size 64
/* nor .entry this( */
.visible .entry scale(
	.param .u64 .ptr .global .align 16 scale_param_0,
	.param .align 4 .b8 scale_param_1[12],
	.param .f32 scale_param_2
)
.maxntid 128, 1, 1
{
	ret;
}
.entry nothing()
{
	ret;
}
)";

std::string kernel_code_refusal(const std::string& bytes) {
  return test_support::refusal_from([&] { parse_kernel_code(bytes, "code"); });
}

/// Bytes as a fatbin's part, and the parts as a fatbin.
std::string fatbin_part(std::uint16_t kind, const std::string& held) {
  using wrapped_test::object_bytes;
  return object_bytes(kind) + object_bytes(std::uint16_t{0x101}) + object_bytes(std::uint32_t{64}) +
         object_bytes(std::uint64_t{held.size()}) + std::string(48, '\0') + held;
}
std::string fatbin_bytes(const std::string& parts) {
  using wrapped_test::object_bytes;
  return object_bytes(0xba55ed50u) + object_bytes(std::uint16_t{1}) + object_bytes(std::uint16_t{16}) +
         object_bytes(std::uint64_t{parts.size()}) + parts;
}

TEST(KernelCode, ReadsACubinsKernel) {
  for (const bool is_new : {false, true}) {
    const kernel_code code = parse_kernel_code(
        cubin_bytes({.parameter_bytes = {8, 2, 4}, .capability = 90, .has_abi_of_cuda_13 = is_new}), "code");
    EXPECT_EQ(code.kind, code_kind::cubin);
    ASSERT_EQ(code.kernels.size(), 1u);
    const code_kernel& kernel = code.kernels[0];
    EXPECT_EQ(kernel.entry, "add");
    EXPECT_EQ(kernel.capability, 90);
    EXPECT_THAT(kernel.parameter_bytes, ElementsAre(8, 2, 4));
    ASSERT_TRUE(kernel.resources);
    EXPECT_EQ(kernel.resources->registers, 12);
    EXPECT_EQ(kernel.resources->static_shared_bytes, 256);
    EXPECT_EQ(code.least_capability(), 90);
  }
}

TEST(KernelCode, ReadsTheKernelsOfPtx) {
  const kernel_code code = parse_kernel_code(ptx_text, "code");
  EXPECT_EQ(code.kind, code_kind::ptx);
  EXPECT_THAT(code.entries(), ElementsAre("scale", "nothing"));
  EXPECT_THAT(code.kernels[0].parameter_bytes, ElementsAre(8, 12, 4));
  EXPECT_THAT(code.kernels[1].parameter_bytes, ElementsAre());
  EXPECT_EQ(code.kernels[0].capability, 80);
  EXPECT_FALSE(code.kernels[0].resources);
}

TEST(KernelCode, ReadsWhatAFatbinHoldsUncompressed) {
  const std::string both =
      fatbin_part(2, cubin_bytes({.capability = 80})) + fatbin_part(2, cubin_bytes({.capability = 90}));
  const kernel_code code = parse_kernel_code(fatbin_bytes(both), "code");
  EXPECT_EQ(code.kind, code_kind::fatbin);
  ASSERT_EQ(code.kernels.size(), 2u);
  EXPECT_THAT(code.entries(), ElementsAre("add"));
  EXPECT_EQ(code.kernels[1].capability, 90);
  EXPECT_FALSE(code.has_unread);
  EXPECT_TRUE(parse_kernel_code(fatbin_bytes(both + fatbin_part(1, "compressed")), "code").has_unread);
}

TEST(KernelCode, ReadsWhatNvccWrites) {
  if (!std::filesystem::exists(wrapped_test::built_file("wrapped/add.ptx")))
    ABLATE_LACKS("cuda", "built without CUDA");
  for (const char* name : {"add.sm_80.cubin", "add.sm_90a.cubin", "add.ptx", "add.fatbin"}) {
    const kernel_code code = read_kernel_code(wrapped_test::built_file(std::string("wrapped/") + name));
    EXPECT_THAT(code.entries(),
                testing::UnorderedElementsAre("add", "add_by_four", "add_but_one", "add_once", "mixed"))
        << name;
    EXPECT_EQ(code.kernels.size(), code.kind == code_kind::fatbin ? 10u : 5u) << name;
    EXPECT_EQ(code.least_capability(), std::string_view(name) == "add.sm_90a.cubin" ? 90 : 80) << name;
    for (const code_kernel& kernel : code.kernels) {
      if (kernel.entry == "mixed")
        EXPECT_THAT(kernel.parameter_bytes, ElementsAre(1, 8, 8, 2)) << name;
      else
        EXPECT_THAT(kernel.parameter_bytes, ElementsAre(8, 8, 8, 4)) << name;
      if (code.kind == code_kind::ptx) continue;
      ASSERT_TRUE(kernel.resources) << name;
      EXPECT_GT(kernel.resources->registers, 4) << name;
      EXPECT_EQ(kernel.resources->static_shared_bytes, kernel.entry == "add" ? 256 : 0)
          << name << kernel.entry;
    }
  }
}

TEST(KernelCode, RefusesWhatIsTruncatedAnywhere) {
  const std::string cubin = cubin_bytes({});
  // The names are last in the file.
  for (const std::size_t size : {std::size_t{20}, std::size_t{63}, std::size_t{100}, cubin.size() - 1})
    EXPECT_THAT(kernel_code_refusal(cubin.substr(0, size)), HasSubstr("truncated")) << size;
  const std::string fatbin = fatbin_bytes(fatbin_part(2, cubin));
  for (std::size_t size = 5; size < fatbin.size(); size += 97)
    EXPECT_NE(kernel_code_refusal(fatbin.substr(0, size)), "accepted") << size;
  EXPECT_THAT(kernel_code_refusal(std::string(ptx_text).substr(0, 200)), HasSubstr("truncated"));
}

TEST(KernelCode, RefusesOtherFiles) {
  EXPECT_THAT(kernel_code_refusal("hello"), HasSubstr("expected a cubin, a fatbin or PTX"));
  std::string host = cubin_bytes({});
  host[18] = 62;  // x86-64
  EXPECT_THAT(kernel_code_refusal(host),
              HasSubstr("byte 0: expected a 64-bit ELF file of NVIDIA machine code"));
  EXPECT_THAT(kernel_code_refusal(".version 8.4\n.target sm_80\n"), HasSubstr("at least one kernel"));
  EXPECT_THAT(kernel_code_refusal(".version 8.4\n.target gfx90a\n.entry a()\n"),
              HasSubstr("line 2: expected 'sm_' and a number, found 'gfx90a'"));
}

TEST(KernelCode, SurvivesEveryByteThatIsAnother) {
  const std::string whole = cubin_bytes({});
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string broken = whole;
      broken[i] = static_cast<char>(broken[i] ^ flip);
      kernel_code_refusal(broken);  // whatever it says: sanitizers see the rest
    }
}

}  // namespace
}  // namespace ablate::wrapped
