// The oracle of whole passes: what must hold of them whatever their kernels.
#include "oracles/backbone/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/common/bf16.h"
#include "kernels/common/half.h"
#include "kernels/network/parts.h"
#include "oracles/psh_bucket/probes.h"
#include "tests/kernels/backbone/drawn.h"
#include "tests/kernels/backbone/flash_pass.h"

namespace ablate::backbone {
namespace {

flash_pass small_pass(const std::vector<std::uint32_t>& ends, layer_form form = layer_form::library) {
  return flash_pass(network_of(model_of("small"), ends, small_windows, form));
}

flash_pass block_pass(int channels, const scope& where, layer_form form = layer_form::library) {
  return flash_pass(
      network_of_block(lone_block(family::flash3d, channels, 16, where), 512, small_windows, form));
}

std::vector<double> numbers(const std::vector<std::uint16_t>& bits) {
  std::vector<double> all;
  for (const std::uint16_t b : bits) all.push_back(static_cast<double>(float_of_bf16(b)));
  return all;
}

TEST(BackboneReference, ABlockWithoutItsLastLayersIsTheIdentity) {
  flash_pass pass = block_pass(32, {1, 1});
  const block_layers& of = pass.steps->layers.encoder[0][0];
  EXPECT_GT(distance(pass.output(), numbers(pass.x)), 0.01);
  pass.clear(of.projection);
  pass.clear(of.second);
  EXPECT_EQ(pass.output(), numbers(pass.x));
  EXPECT_EQ(pass.output(rounding::bf16), numbers(pass.x));
}

TEST(BackboneReference, BothFormsAreOnePass) {
  flash_pass library = block_pass(32, {1, 1}), own = block_pass(32, {1, 1}, layer_form::own);
  EXPECT_LT(own.steps->steps.size(), library.steps->steps.size());
  EXPECT_LT(distance(own.output(), library.output()), 1e-12);
  flash_pass separate = block_pass(32, {1, 1}, layer_form::separate);
  EXPECT_LT(distance(separate.output(), library.output()), 1e-12);
}

/// Rows of one window do not see those of the other, wherever the windows are.
TEST(BackboneReference, AWindowSeesItself) {
  for (const scope& where : {scope{0, 1}, scope{1, 1}, scope{0, 2}}) {
    flash_pass pass = block_pass(32, where);
    const std::vector<double> before = pass.output();
    const std::size_t changed = pass.steps->windows[0] * 128u, elsewhere = pass.steps->windows[2] * 128u;
    pass.x[32 * changed] = bf16_of_float(5);
    const std::vector<double> after = pass.output();
    for (std::size_t row = elsewhere; row < elsewhere + 128; ++row)
      EXPECT_EQ(before[32 * row], after[32 * row]);
    EXPECT_NE(before[32 * (changed + 1)], after[32 * (changed + 1)]);
  }
}

/// By far more than rounding: the check end to end can tell.
TEST(BackboneReference, WhereWindowsLieMatters) {
  flash_pass shifted = block_pass(64, {1, 1}), straight = block_pass(64, {0, 1});
  const std::vector<double> exact = straight.output();
  EXPECT_GT(distance(shifted.output(), exact), 3 * distance(straight.output(rounding::bf16), exact));
}

/// One window of 256 and a short one of 128 rows, shifted by a bucket: the short one has the first bucket
/// alone, whose padding is a key or not.
TEST(BackboneReference, AShortWindowSeesItself) {
  for (const bool masks : {false, true}) {
    window_shape shape = small_windows;
    shape.align = alignment::bucket;
    shape.masks_padding = masks;
    flash_pass pass(
        network_of_block(lone_block(family::flash3d, 32, 16, {1, 1}), 384, shape, layer_form::library));
    EXPECT_THAT(pass.steps->windows, ::testing::ElementsAre(1, 2, 0));
    const std::vector<double> before = pass.output();
    pass.x[32 * 5] = bf16_of_float(5);
    const std::vector<double> after = pass.output();
    EXPECT_NE(before[32 * 127], after[32 * 127]);
    for (std::size_t row = 128; row < 384; ++row) EXPECT_EQ(before[32 * row], after[32 * row]) << row;
  }
}

TEST(BackboneReference, PaddingIsNoKeyWhereItIsMasked) {
  flash_pass pass = block_pass(32, {0, 1});
  network n = *pass.steps;
  n.shape.masks_padding = true;
  n.levels[0].real = 300;  // of 512 rows in two windows: the second one has 44 keys
  const problem p = pass.on_host();
  const std::vector<double> before = reference_output(p, n, rounding::none);
  pass.x[32 * 300] = bf16_of_float(5);
  std::vector<double> after = reference_output(p, n, rounding::none);
  for (std::size_t row = 0; row < 512; ++row)
    EXPECT_EQ(before[32 * row + 1] == after[32 * row + 1], row != 300) << row;
  pass.x[32 * 299] = bf16_of_float(5);
  after = reference_output(p, n, rounding::none);
  EXPECT_EQ(before[32 * 255 + 1], after[32 * 255 + 1]);
  EXPECT_NE(before[32 * 256 + 1], after[32 * 256 + 1]);
  n.levels[0].real = 200;  // the second window is padding alone, which attends to itself
  EXPECT_TRUE(
      std::ranges::all_of(reference_output(p, n, rounding::none), [](double x) { return std::isfinite(x); }));
}

/// Rows gathered along an order give the same result as rows stored in that order.
TEST(BackboneReference, GatheredWindowsAreThoseOfRowsInTheirOrder) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t slot = 0; slot < 512; ++slot) order.push_back(slot * 5 % 512);
  for (const family kind : {family::flash3d, family::ptv3}) {
    const model lone = lone_block(kind, 32, 16, {});
    flash_pass in_place(network_of_block(lone, 512, small_windows, layer_form::library)),
        gathered(network_of_block(lone, 512, small_windows, layer_form::library, order));
    for (std::size_t slot = 0; slot < 512; ++slot)
      std::copy_n(gathered.x.begin() + 32 * order[slot], 32,
                  in_place.x.begin() + static_cast<long>(32 * slot));
    const std::vector<double> there = gathered.output(), here = in_place.output();
    double apart = 0;
    for (std::size_t slot = 0; slot < 512; ++slot)
      for (std::size_t c = 0; c < 32; ++c)
        apart = std::max(apart, std::abs(there[32 * order[slot] + c] - here[32 * slot + c]));
    EXPECT_LT(apart, 1e-12);
  }
}

TEST(BackboneReference, PermutedPointsPermuteOutputs) {
  flash_pass pass = small_pass({300});
  const std::vector<double> straight = pass.output();
  for (std::size_t i = 0; i < 150; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      std::swap(pass.coordinates[3 * i + axis], pass.coordinates[3 * (299 - i) + axis]);
  std::vector<double> turned = pass.output();
  const std::size_t c = static_cast<std::size_t>(pass.steps->out_channels);
  for (std::size_t i = 0; i < 150; ++i)
    std::swap_ranges(turned.begin() + static_cast<std::ptrdiff_t>(i * c),
                     turned.begin() + static_cast<std::ptrdiff_t>((i + 1) * c),
                     turned.begin() + static_cast<std::ptrdiff_t>((299 - i) * c));
  EXPECT_LT(distance(turned, straight), 1e-2);
}

TEST(BackboneReference, RoundingMovesTheOutputLittle) {
  flash_pass pass = small_pass({120, 300});
  const std::vector<double> exact = pass.output();
  const double moved = distance(pass.output(rounding::bf16), exact);
  EXPECT_GT(moved, 1e-3);
  EXPECT_LT(moved, 3e-2);
}

TEST(BackboneIndex, IsRightAndItsFaultsAreFound) {
  for (const point_order order : {point_order::cut, point_order::psh}) {
    flash_pass pass = small_pass({120, 300});
    std::vector<std::int16_t> steps = psh_bucket::shuffled_probe_steps(1);
    problem p = pass.on_host();
    p.order = order;
    p.probe_steps = steps.data();
    make_index(p, *pass.steps);
    EXPECT_EQ(violated_index(p, *pass.steps), "");

    auto* const source = const_cast<std::uint32_t*>(source_of(p, *pass.steps));
    std::swap(source[0], source[200]);
    EXPECT_THAT(violated_index(p, *pass.steps), ::testing::HasSubstr("order: row 0 has point"));
    std::swap(source[0], source[200]);

    auto* const halves = const_cast<std::uint16_t*>(coordinates_of(p, *pass.steps, 2));
    halves[3] = static_cast<std::uint16_t>(halves[3] + 9);
    EXPECT_THAT(violated_index(p, *pass.steps), ::testing::HasSubstr("cluster.1: half_out[1]"));
  }
}

TEST(BackboneIndex, CutPointsAscendByKey) {
  flash_pass pass = small_pass({300});
  const problem p = pass.on_host();
  make_index(p, *pass.steps);
  auto* const source = const_cast<std::uint32_t*>(source_of(p, *pass.steps));
  auto* const halves = const_cast<std::uint16_t*>(coordinates_of(p, *pass.steps, 0));
  std::swap(source[0], source[299]);
  for (std::size_t axis = 0; axis < 3; ++axis) std::swap(halves[axis], halves[3 * 299 + axis]);
  EXPECT_THAT(violated_index(p, *pass.steps), ::testing::HasSubstr("of the key, behind cell"));
}

}  // namespace
}  // namespace ablate::backbone
