// sums[row] = sum of in[row][...]. Either a thread per row, with loads a row apart, or a warp per row, with
// neighboring loads. Should move: sectors per load request, from 32 to 4.
#include <ablate/ablate.h>

namespace rows {

template <int RowThreads>
__global__ void sums_of_rows(const float* in, float* sums, long long rows, long long columns) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long row = thread / RowThreads;
  if (row >= rows) return;  // whole warps where they work together
  float sum = 0;
  for (long long i = thread % RowThreads; i < columns; i += RowThreads) sum += in[row * columns + i];
  for (int apart = RowThreads / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
  if (thread % RowThreads == 0) sums[row] = sum;
}

void row_sums(ablate::launcher& to, const ablate::spans& a, const ablate::switches& s) {
  constexpr int threads = 256;
  const long rows = a.integer("rows"), columns = a.integer("columns");
  const bool is_warp = s.word("row") == "warp";
  ablate::launch(to, is_warp ? sums_of_rows<32> : sums_of_rows<1>,
                 dim3(ablate::blocks_for(rows * (is_warp ? 32 : 1), threads)), dim3(threads), 0,
                 a.in<float>("in").data(), a.out<float>("sums").data(), rows, columns);
}

ABLATE_LAUNCH_FUNCTION(row_sums);

}  // namespace rows
