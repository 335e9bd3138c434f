// Every variant of hash_avalanche against the oracle: each hash, several kinds of keys, sizes around a warp,
// a thread's keys and a block's; and the claims about splitmix.
#include "kernels/hash_avalanche/hash_avalanche.h"
#include "tests/support/axis_values.h"
#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::hash_avalanche_gpu_test {
namespace {

using test_support::text_of, test_support::variant_run;

const operation& avalanche() { return *find_operation("hash_avalanche"); }

class HashAvalancheOnGpu : public test_support::gpu_test {
 protected:
  void expect_right(const axis_values& at) {
    variant_run run(avalanche(), at, inputs_);
    for (const variant_facts& v : avalanche().variants) {
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << text_of(at) << ": " << result.message;
    }
  }

  input_library inputs_{3, {}, {}};
};

TEST_F(HashAvalancheOnGpu, EveryHashAndKey) {
  for (const std::string& hash : avalanche().axes[0].words)
    for (const char* keys : {"random", "lattice_16", "lidar_10cm", "room", "solid", "adversarial"})
      expect_right({{"hash", hash}, {"keys", keys}, {"samples", "5000"}});
}

TEST_F(HashAvalancheOnGpu, EverySize) {
  for (const char* samples : {"1", "31", "32", "33", "255", "256", "257", "1791", "1792", "1793", "100003"})
    expect_right({{"samples", samples}});
}

// As claimed (wcn-04-flips): every key bit flips every bit of the value for half of the keys (a million),
// within 0.01.
TEST_F(HashAvalancheOnGpu, SplitmixFlipsHalfOfTheBits) {
  for (const char* keys : {"random", "lattice_16"}) {
    variant_run run(avalanche(), {{"keys", keys}}, inputs_);
    for (const variant_facts& v : avalanche().variants) {
      const check_result result = run.check(v);
      ASSERT_TRUE(result.ok) << v.name << ": " << result.message;
      EXPECT_LE(run.quality().at("worst_deviation").get<double>(), 0.01) << v.name << ", " << keys;
    }
  }
}

}  // namespace
}  // namespace ablate::hash_avalanche_gpu_test
