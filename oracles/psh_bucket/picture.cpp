#include "oracles/psh_bucket/picture.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernels/common/half.h"

namespace ablate::psh_bucket {
namespace {

constexpr int shift = 4, stride = 2;

std::array<double, 3> position(const problem& p, std::int64_t i) {
  const std::uint16_t* c = p.coordinates + 3 * i;
  return {float_of_half(c[0]), float_of_half(c[1]), float_of_half(c[2])};
}

/// The point nearest to the centroid of points begin … end − 1.
std::int64_t middle_point(const problem& p, std::int64_t begin, std::int64_t end) {
  std::array<double, 3> center{};
  for (std::int64_t i = begin; i < end; ++i)
    for (int axis = 0; axis < 3; ++axis)
      center[axis] += position(p, i)[axis] / static_cast<double>(end - begin);
  std::int64_t nearest = begin;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::int64_t i = begin; i < end; ++i) {
    double squares = 0;
    for (int axis = 0; axis < 3; ++axis) squares += std::pow(position(p, i)[axis] - center[axis], 2);
    if (squares < smallest) smallest = squares, nearest = i;
  }
  return nearest;
}

double to_centimeter(double meters) { return std::round(100 * meters) / 100; }

}  // namespace

int swin_scope_of(int bucket, int offset, int buckets) {
  return (bucket - offset + buckets) % buckets / buckets_per_scope;
}

int strided_scope_of(int bucket, int stride) {
  const int chunk = bucket / (buckets_per_scope * stride);
  return chunk * stride + bucket % stride;
}

std::vector<drawn_point> picture_of(const problem& p, int most) {
  std::int64_t begin = 0, end = 0;
  for (int k = 0; k < p.instances && end == begin; ++k) begin = end, end = p.ends[k];
  if (begin == end) return {};

  const int middle = p.bucket_id[middle_point(p, begin, end)];
  const auto same_swin = [&](int bucket, int offset) {
    return swin_scope_of(bucket, offset, p.buckets) == swin_scope_of(middle, offset, p.buckets);
  };
  std::vector<drawn_point> drawn;
  const std::int64_t every = (end - begin + most - 1) / most;
  for (std::int64_t i = begin; i < end; i += every) {
    const auto [x, y, z] = position(p, i);
    const int bucket = p.bucket_id[i];
    drawn.push_back({to_centimeter(x), to_centimeter(y), bucket, same_swin(bucket, 0),
                     same_swin(bucket, shift),
                     strided_scope_of(bucket, stride) == strided_scope_of(middle, stride)});
  }
  return drawn;
}

}  // namespace ablate::psh_bucket
