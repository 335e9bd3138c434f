#pragma once

#include <bit>
#include <cstdint>

#include "kernels/common/bf16.h"
#include "oracles/backbone/reference.h"

namespace ablate::backbone {

/// Rounds the numbers of a pass. Draw 0 rounds the oracle's sums as they are. Each further draw emulates sums
/// in another order, as in variants, which differ in their last bits: it perturbs a number by up to 2^-17 of
/// itself before rounding. Some then round to the other neighbor, and what follows differs as between two
/// variants.
class rounder {
 public:
  rounder(rounding how, std::uint64_t draw) : how_(how), draw_(draw) {}

  double operator()(double x) const {
    if (how_ == rounding::none) return x;
    return static_cast<double>(float_of_bf16(bf16_of_float(static_cast<float>(moved(x)))));
  }

 private:
  double moved(double x) const {
    if (draw_ == 0) return x;
    std::uint64_t hash = (std::bit_cast<std::uint64_t>(x) + draw_) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    const double share = static_cast<double>(hash >> 40) * 0x1p-23 - 1;  // -1 to 1
    return x * (1 + 0x1p-17 * share);
  }

  rounding how_;
  std::uint64_t draw_;
};

}  // namespace ablate::backbone
