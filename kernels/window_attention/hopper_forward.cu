// Forward attention on Hopper, one block shape a head width: see hopper_forward.cuh.
#include "kernels/window_attention/hopper_forward.cuh"

#include <algorithm>

#include "kernels/common/hopper/row_boxes.h"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/key_norms.cuh"

namespace ablate::window_attention {

using shape_16 = forward_shape<16, 4, 4, false, 32, 112>;
using shape_32 = forward_shape<32, 4, 4, false, 32, 112>;
using shape_64 = forward_shape<64, 3, 3, true, 32, 160>;
using shape_128 = forward_shape<128, 2, 2, true, 24, 240>;

constexpr std::int64_t shortest_window_by_turns = 2048;

__global__ void empty_list(unsigned* count) { *count = 0; }

namespace {

template <class Shape, class Options>
void run(launcher& to, const problem& p) {
  const view v(p, Shape::query_rows);
  const auto map_of = [&](const std::uint16_t* base, std::int64_t token_stride, unsigned rows) {
    return hopper::row_boxes(to, {base, p.batches, p.tokens, p.heads, p.width, token_stride}, rows);
  };
  const forward_maps maps = {
      map_of(p.q, p.qkv_stride(), rows_per_group), map_of(p.k, p.qkv_stride(), keys_per_tile),
      map_of(p.v, p.qkv_stride(), keys_per_tile), map_of(p.out, p.heads * p.width, rows_per_group)};
  const auto blocks = static_cast<unsigned>(
      std::min<long long>(v.query_tiles, static_cast<long long>(to.device().multiprocessors)));
  if (Options::form == softmax_form::bounded) measure_keys(to, p);
  launch(to, attend_on_hopper<Shape, Options>, dim3(blocks), dim3(Shape::threads),
         sizeof(forward_memory<Shape, Options::sums_by_product>) + 1024, maps, v);
}

/// The first launch puts query tiles on the list where its softmax overflowed, the second does them again.
template <class Shape, int SoftwareExp2, bool PingPong, bool SumsByProduct>
void run_from_first_tile(launcher& to, const problem& p) {
  launch(to, empty_list, dim3(1), dim3(1), 0, view(p, Shape::query_rows).again);
  run<Shape, forward_options<softmax_form::first_tile, SoftwareExp2, PingPong, SumsByProduct>>(to, p);
  run<Shape, forward_options<softmax_form::online, 0, false, false, true>>(to, p);
}

}  // namespace

void hopper_first_tile(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) switch (p.width) {
      case 16:
        run_from_first_tile<shape_16, 2, false, true>(to, p);
        break;
      case 32:
        run_from_first_tile<shape_32, 2, false, true>(to, p);
        break;
      case 64:
        // Taking turns pays once a window's loop is long against what stands before and behind it.
        if (p.window >= shortest_window_by_turns)
          run_from_first_tile<shape_64, 0, true, false>(to, p);
        else
          run_from_first_tile<shape_64, 0, false, false>(to, p);
        break;
      default:
        run_from_first_tile<shape_128, 0, true, false>(to, p);
    }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void attend_online_on_hopper(launcher& to, const problem& p) {
  using options = forward_options<softmax_form::online>;
  switch (p.width) {
    case 16:
      run<shape_16, options>(to, p);
      break;
    case 32:
      run<shape_32, options>(to, p);
      break;
    case 64:
      run<shape_64, options>(to, p);
      break;
    default:
      run<shape_128, options>(to, p);
  }
}

void hopper_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_online_on_hopper(to, p);
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void hopper_bounded(launcher& to, const problem& p, const switches&) {
  using plain = forward_options<softmax_form::bounded>;
  using mixed = forward_options<softmax_form::bounded, 4>;
  if (p.does(phase::attend)) switch (p.width) {
      case 16:
        run<shape_16, mixed>(to, p);
        break;
      case 32:
        run<shape_32, mixed>(to, p);
        break;
      case 64:
        run<shape_64, plain>(to, p);
        break;
      default:
        run<shape_128, plain>(to, p);
    }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention
