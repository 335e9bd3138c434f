#include "reports/gate/sass.h"

#include <gtest/gtest.h>

namespace ablate::gate::sass_test {
namespace {

constexpr std::string_view listing = R"(
Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit

	code for sm_90a
		Function : _Z1fv
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                          /* 0x00000a00ff017b82 */
                                                                                   /* 0x000fe20000000800 */
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;       /* 0x0000000402047981 */
                                                                                   /* 0x000fe20000000800 */
        /*0020*/                   LDG.E.LTC128B.64 R4, desc[UR4][R2.64] ;         /* 0x0000000402047981 */
        /*0030*/                   LDG.E R4, desc[UR4][R2.64] ;                    /* 0x0000000402047981 */
        /*0040*/                   STG.E.64 desc[UR4][R2.64], R4 ;                 /* 0x0000000402047981 */
        /*0050*/                   RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5 ;     /* 0x0000000402047981 */
        /*0060*/                   ATOMS.POPC.INC.32 RZ, [UR4] ;                   /* 0x0000000402047981 */
        /*0070*/                   REDUX.SUM UR6, R4 ;                             /* 0x0000000402047981 */
        /*0080*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24 ;  /* 0x0000000402047981 */
        /*0090*/                   MUFU.EX2 R5, R5 ;                               /* 0x0000000402047981 */
        /*00a0*/                   MUFU.RCP R5, R5 ;                               /* 0x0000000402047981 */
        /*00b0*/                   EXIT ;                                          /* 0x000000000000794d */
		..........

		Function : _Z1gv
        /*0000*/                   STL.128 [R1], R4 ;                              /* 0x0000000402047981 */
        /*0010*/                   LDL R4, [R1] ;                                  /* 0x0000000402047981 */
		..........

Fatbin elf code:
================
arch = sm_80

	code for sm_80
		Function : _Z1fv
        /*0000*/                   HMMA.16816.F32.BF16 R4, R4, R8, R12 ;           /* 0x0000000402047981 */
		..........

Fatbin elf code:
================
arch = sm_80

	code for sm_80
		Function : _Z1fv
        /*0000*/                   HMMA.16816.F32.BF16 R4, R4, R8, R12 ;           /* 0x0000000402047981 */)";

const counts f_on_hopper = {{"vector_loads_128", 1},    {"vector_load_bytes", 24},  {"vector_store_bytes", 8},
                            {"atomic_instructions", 2}, {"tensor_instructions", 1}, {"exponentials", 1}};

TEST(Sass, InstructionsAreCountedByKernelAndArchitecture) {
  sass_counter counter;
  counter.feed(listing);
  const auto& kernels = counter.kernels();
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels.at({"_Z1fv", "sm_90a"}), f_on_hopper);
  EXPECT_EQ(kernels.at({"_Z1gv", "sm_90a"}), (counts{{"local_memory_instructions", 2}}));
}

TEST(Sass, AKernelThatStandsInSeveralObjectsCountsOnce) {
  sass_counter counter;
  counter.feed(listing);
  EXPECT_EQ(counter.kernels().at({"_Z1fv", "sm_80"}), (counts{{"tensor_instructions", 1}}));
}

TEST(Sass, LinesMayBeCutAnywhere) {
  for (const std::size_t size : {1u, 7u, 100u}) {
    sass_counter counter;
    for (std::size_t at = 0; at < listing.size(); at += size) counter.feed(listing.substr(at, size));
    EXPECT_EQ(counter.kernels().size(), 3u);
    EXPECT_EQ(counter.kernels().at({"_Z1fv", "sm_90a"}), f_on_hopper) << size;
    EXPECT_EQ(counter.kernels().at({"_Z1fv", "sm_80"}).at("tensor_instructions"), 1) << size;
  }
}

TEST(Sass, TheLetterOfAnArchitectureStaysWhereTheCodeLeavesItOut) {
  sass_counter counter;
  counter.feed("arch = sm_90a\n\tcode for sm_90\n\t\tFunction : k\n");
  EXPECT_TRUE(counter.kernels().contains({"k", "sm_90a"}));
}

TEST(Sass, OtherTextHasNoKernels) {
  sass_counter counter;
  counter.feed("cuobjdump info: no device code\n/*0000*/ LDG.E.128 R4 ;\n/*");
  EXPECT_TRUE(counter.kernels().empty());
}

}  // namespace
}  // namespace ablate::gate::sass_test
