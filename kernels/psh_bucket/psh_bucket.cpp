#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

int buckets_for(std::int64_t largest_instance, int capacity) {
  int buckets = 32;
  while (static_cast<std::int64_t>(buckets) * capacity < largest_instance) buckets *= 2;
  return buckets;
}

}  // namespace ablate::psh_bucket
