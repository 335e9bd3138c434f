#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// The key's bits in the order that sorts by bucket first: for a hash that divides, the key itself; for one
/// that takes the remainder, the remainder above the quotient.
__device__ inline unsigned ordered_key(const view& v, unsigned key) {
  if (v.bucket_shift > 0) return key;
  const int bucket_bits = 31 - __clz(v.buckets);
  return (key & (v.buckets - 1)) << (16 - bucket_bits) | key >> bucket_bits;
}

/// Points of an instance in bucket `bucket` where the buckets are full one after the other.
__device__ inline unsigned points_of_chunk(unsigned points, unsigned bucket, unsigned capacity) {
  const unsigned before = bucket * capacity;
  return points > before ? min(points - before, capacity) : 0;
}

/// Stores where each point of rank `rank` in its instance goes: bucket = rank / S, offset = rank mod S, and
/// its row.
__device__ inline void write_ranked(const view& v, int instance, unsigned begin, unsigned rank,
                                    unsigned point) {
  const unsigned bucket = rank / v.capacity;
  v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
  v.bucket_off[point] = rank - bucket * v.capacity;
  v.write_row(v.strided ? instance * v.buckets * v.capacity + rank : begin + rank, point);
}

/// Counts and ends of all buckets of all instances, shared among `threads` threads.
__device__ inline void write_chunk_counts(const view& v, unsigned thread, unsigned threads) {
  const unsigned all = static_cast<unsigned>(v.instances) * v.buckets;
  for (unsigned i = thread; i < all; i += threads) {
    const int instance = static_cast<int>(i / v.buckets);
    const unsigned bucket = i % v.buckets, points = v.end_of(instance) - v.begin_of(instance);
    v.bucket_count[i] = points_of_chunk(points, bucket, v.capacity);
    v.bucket_end[i] = min(points, (bucket + 1) * v.capacity);
  }
}

/// As pad_rows, from the chunks' counts in closed form: they may not be stored yet.
__device__ inline void pad_chunk_rows(const view& v, unsigned thread, unsigned threads) {
  const unsigned rows = v.rows();
  if (!v.strided) {
    for (unsigned row = v.points + thread; row < rows; row += threads) v.write_padding(row);
    return;
  }
  const unsigned places = static_cast<unsigned>(v.buckets) * v.capacity;
  for (int instance = 0; instance < v.instances; ++instance) {
    const unsigned points = v.end_of(instance) - v.begin_of(instance);
    for (unsigned place = points + thread; place < places; place += threads)
      v.write_padding(instance * places + place);
  }
}

}  // namespace ablate::psh_bucket
