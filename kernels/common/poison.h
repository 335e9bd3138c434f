#pragma once

#include <cstdint>

namespace ablate {

/// The byte with which the harness fills a variant's outputs: a check must notice it wherever it is left. As
/// fp64, fp32, bf16 and fp16 it makes numbers far below zero, which show in a sum (tiny ones pass for zero)
/// and in a minimum (which skips NaN), and are small enough for errors to stay finite. As an integer it is
/// huge or, if signed, below every row and count, but neither 0 nor −1, which mark empty entries.
constexpr int poison_byte = 0xE0;

/// Four such bytes.
constexpr std::uint32_t poison_word = 0x01010101u * poison_byte;

}  // namespace ablate
