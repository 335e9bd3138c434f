// Powers of two of two numbers at once, as a pair of bf16, in 16-bit arithmetic and without the exponential
// unit. That unit has no form for pairs up to sm_90: ptxas makes two scalar operations of ex2.approx.f16x2
// and of ex2.approx.ftz.bf16x2. The FMA pipes have: HFMA2 computes two polynomials an instruction.
//   y = sat((128 − x) / 255)         one FMA, whose saturation keeps x in [−127, 128] for free and takes NaN,
//                                    which becomes 0, to the upper end
//   u = 511 + 2^-11 − 255 y          that is 256 + z + 2^-11, z = x + 127, a number between 256 and 512
//                                    whose 23 bits are z with 15 bits after the point: the eight before it
//                                    are the result's exponent, the next ten, rounded by the 2^-11, its
//                                    fraction F
//   r = 1024 + 128 (2^F − 1)         a polynomial of degree 3 in f16x2, of F − 503/1024: the last sum is
//                                    between 1024 and 2048, where f16 has no bits after the point, so it
//                                    rounds once, to a mantissa of bf16
//   exponent · 128 + r − 1024        the bits of the result, both halves in one addition
// 14 instructions a pair, packed, where two polynomials in fp32 with their clamps and the packing take 21.
// Error: F is rounded to 2^-11 (relative 3.4e-4), the polynomial is off by less than that, and the mantissa
// is rounded to 2^-8. All 1024 fractions computed: at most 4.08e-3 (the rounding of exact powers
// alone: 3.91e-3), 1.7e-3 rms, −1.5e-5 in the mean.
#pragma once

namespace ablate {

/// What the exponents of pairs share: x = s · c − subtracted.
struct exponent_pairs {
  float slope;  ///< −c / 255

  __device__ explicit exponent_pairs(float c) : slope(c * (-1 / 255.0f)) {}

  /// Of what is subtracted. Rounding it moves x by up to 2^-14 at 2^10; beyond that the powers of such a row
  /// are +∞, which shows in its sum.
  __device__ static float offset_of(float subtracted) {
    constexpr float most = 1024;
    return fabsf(subtracted) <= most ? fmaf(subtracted, 1 / 255.0f, 128 / 255.0f) : NAN;
  }

  /// 2^x of two scores, `low` in the lower half: 0 for x ≤ −127, +∞ for 128 and more and for NaN.
  __device__ unsigned powers_of(float low, float high, float offset) const {
    const unsigned a = place_of(low, offset), b = place_of(high, offset);
    const unsigned exponents = __byte_perm(a, b, 0x6521) & 0x7f807f80,
                   one_and_fractions = __byte_perm(a, b, 0x5410) >> 5 & 0x03ff03ff | 0x3c003c00;
    const unsigned at = sum_of(one_and_fractions, 0xbdf7bdf7);  // − 1 − 503/1024
    // 7.5, 42.5, 124.9375, 1076
    const unsigned r = product_and_sum(
        product_and_sum(product_and_sum(at, 0x47804780, 0x51505150), at, 0x57cf57cf), at, 0x64346434);
    return exponents + r - 0x64006400;
  }

 private:
  __device__ static unsigned sum_of(unsigned a, unsigned b) {
    unsigned sums;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sums) : "r"(a), "r"(b));
    return sums;
  }
  __device__ static unsigned product_and_sum(unsigned a, unsigned b, unsigned c) {
    unsigned sums;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sums) : "r"(a), "r"(b), "r"(c));
    return sums;
  }
  __device__ unsigned place_of(float s, float offset) const {
    float y;
    asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(s), "f"(slope), "f"(offset));
    return __float_as_uint(fmaf(y, -255.0f, 511.00048828125f));
  }
};

}  // namespace ablate
