// Δ = the row sums of dO∘O, beside the log-sum-exp in base 2: what the backward pass needs of each query.
// Width / 8 lanes a row, 16 bytes of each tensor a lane; rows in the order of memory, so reads are
// contiguous. Should move: DRAM reads, O and dO once.
#include "kernels/window_attention_backward/row_sums.cuh"

namespace ablate::window_attention_backward {

constexpr int statistics_threads = 256;

template <int Width, statistics_order Order>
__global__ __launch_bounds__(statistics_threads) void sum_rows(view v) {
  constexpr int lanes = Width / 8;
  const long long at = static_cast<long long>(blockIdx.x) * (statistics_threads / lanes) +
                       static_cast<int>(threadIdx.x) / lanes;
  const bool is_there = at < v.batches * v.tokens * v.heads;
  const float delta = sum_row<Width>(v, at, is_there);
  if (!is_there || threadIdx.x % lanes != 0) return;
  // [batches][tokens][heads] to [batches][heads][tokens].
  const auto head = static_cast<int>(at % v.heads);
  const long long token = at / v.heads % v.tokens, batch = at / v.heads / v.tokens;
  store_statistics<Order>(v, v.place_of_row(static_cast<int>(batch), token, head), delta);
}

template <statistics_order Order>
void sum_all_rows(launcher& to, const problem& p) {
  const auto run = [&](void (*kernel)(view), int width) {
    const int rows = statistics_threads / (width / 8);
    launch(to, kernel, dim3(blocks_for(p.attention.batches * p.attention.tokens * p.attention.heads, rows)),
           dim3(statistics_threads), 0, view(p));
  };
  switch (p.attention.width) {
    case 16:
      run(sum_rows<16, Order>, 16);
      break;
    case 32:
      run(sum_rows<32, Order>, 32);
      break;
    case 64:
      run(sum_rows<64, Order>, 64);
      break;
    default:
      run(sum_rows<128, Order>, 128);
  }
}

void compute_row_statistics(launcher& to, const problem& p, statistics_order order) {
  if (order == statistics_order::rows)
    sum_all_rows<statistics_order::rows>(to, p);
  else
    sum_all_rows<statistics_order::quads>(to, p);
}

}  // namespace ablate::window_attention_backward
