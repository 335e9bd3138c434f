// A region that begins in the middle of the work: what goes ahead of it is done anew before every launch, and
// is neither timed nor counted.
#include <gtest/gtest.h>

#include <numeric>

#include "harness/counters/metric_groups.h"
#include "harness/registry/define.h"
#include "harness/runner/cuda_executor.cuh"
#include "kernels/common/launch.cuh"
#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::testing {

constexpr unsigned numbers = 100000;

/// Numbers are copied, then tripled in place; each thread that triples adds 1 to a counter.
struct tripling_problem {
  bool copies = true, triples = true;
  const unsigned* in = nullptr;
  unsigned* out = nullptr;
  unsigned* tripled = nullptr;
};

__global__ void copy_numbers(const unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < numbers) out[i] = in[i];
}

__global__ void triple_numbers(unsigned* out, unsigned* tripled) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= numbers) return;
  out[i] *= 3;
  atomicAdd(tripled, 1u);
}

void launch_tripling(launcher& to, const tripling_problem& p, const switches&) {
  const dim3 grid(blocks_for(numbers, 256)), block(256);
  if (p.copies) launch(to, copy_numbers, grid, block, 0, p.in, p.out);
  if (p.triples) launch(to, triple_numbers, grid, block, 0, p.out, p.tripled);
}

workload tripling_workload() {
  const auto in = std::make_shared<std::vector<unsigned>>(numbers);
  std::iota(in->begin(), in->end(), 1u);
  const auto value = [](const std::byte* bytes, std::size_t i) {
    return reinterpret_cast<const unsigned*>(bytes)[i];
  };
  workload w;
  w.contents = {std::as_bytes(std::span(*in)), {}, {}};
  w.check = [value](std::span<const std::byte* const> out) -> check_result {
    for (unsigned i = 0; i < numbers; ++i)
      if (value(out[1], i) != 3 * (i + 1)) return {false, "number " + std::to_string(i) + " differs", 1};
    if (value(out[2], 0) != numbers) return {false, "the counter differs", 1};
    return {.ok = true};
  };
  w.quality = [value](std::span<const std::byte* const> out) {
    return nlohmann::ordered_json{{"last_number", value(out[1], numbers - 1)}, {"undefined", nullptr}};
  };
  w.picture = [value](std::span<const std::byte* const> out) {
    return nlohmann::ordered_json{{"points", {{0.0, 0.0, value(out[1], 0)}}}};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  w.storage = in;
  return w;
}

const bool tripling_is_defined = define<tripling_problem>(
    {.name = "made_tripling",
     .description = "numbers copied, then tripled",
     .axes = {axis::of_words("timed", {"both", "triple"}, "what is timed")},
     .baseline = "two_kernels",
     .problem =
         [](const axis_values& at, const input_library&) {
           return tripling_problem{at.word("timed") == "both", true};
         },
     .buffers =
         [](const tripling_problem&) {
           return std::vector<buffer>{{"in", 4 * numbers, buffer_role::input},
                                      {"out", 4 * numbers, buffer_role::output, buffer_reset::poison},
                                      {"tripled", 4, buffer_role::output, buffer_reset::zeros}};
         },
     .attach =
         [](tripling_problem& p, std::span<void* const> addresses) {
           p.in = static_cast<const unsigned*>(addresses[0]);
           p.out = static_cast<unsigned*>(addresses[1]);
           p.tripled = static_cast<unsigned*>(addresses[2]);
         },
     .prepare = [](const tripling_problem&, const axis_values&,
                   const input_library&) { return tripling_workload(); },
     .ahead = [](const tripling_problem& p) -> std::optional<tripling_problem> {
       if (p.copies) return std::nullopt;
       return tripling_problem{true, false};
     },
     .variants = {{"two_kernels", launch_tripling, {}, "a kernel for each"}}});

namespace {

class Ahead : public gpu_test {
 protected:
  static suite_case timed(const std::string& what) {
    suite_case c;
    c.operation = find_operation("made_tripling");
    c.variant = &c.operation->variants.front();
    c.axes = {{"timed", what}};
    c.id = "made_tripling/two_kernels/timed=" + what + "/@cold-clean";
    return c;
  }

  measurement run(const suite_case& c, const profiling_request& wanted = {}) const {
    return make_cuda_executor(0, wanted)->run(c, c.operation->prepare(c.axes, inputs_), inputs_, rule_);
  }

  input_library inputs_{1, {}, {}};
  sampling rule_{.maximum_samples = 100};
};

TEST_F(Ahead, IsDoneBeforeEverySampleAndNamesNoKernel) {
  const measurement both = run(timed("both")), triple = run(timed("triple"));
  ASSERT_EQ(both.status, "ok") << both.reason;
  ASSERT_EQ(triple.status, "ok") << triple.reason;
  EXPECT_EQ(both.facts.at("kernels").size(), 2u);
  EXPECT_EQ(triple.facts.at("kernels").size(), 1u);
  EXPECT_LT(triple.facts.at("time_us").at("median"), both.facts.at("time_us").at("median"));
  EXPECT_EQ(triple.facts.at("quality").dump(),
            nlohmann::ordered_json({{"last_number", 3 * numbers}, {"undefined", nullptr}}).dump());
  EXPECT_FALSE(triple.facts.contains("picture"));
}

TEST_F(Ahead, APictureIsTakenWhereItIsWanted) {
  suite_case c = timed("triple");
  c.picture = true;
  const measurement m = run(c);
  ASSERT_EQ(m.status, "ok") << m.reason;
  EXPECT_EQ(m.facts.at("picture").at("points")[0][2], 3);
}

TEST_F(Ahead, EveryCountedPassFindsWhatItShould) {
  suite_case c = timed("triple");
  c.counters = "core,atomics";
  const measurement m = run(c, {.counters = true});
  ASSERT_EQ(m.status, "ok") << m.reason;
  const auto& counters = m.facts.at("counters");
  if (!counters.at("reason").is_null()) GTEST_SKIP() << counters.at("reason");
  EXPECT_EQ(counters.at("output"), "ok");
  EXPECT_EQ(counters.at("kernels").size(), 1u);
}

TEST_F(Ahead, ATimelineShowsOneLaunch) {
  suite_case c = timed("triple");
  c.timeline = true;
  const measurement m = run(c, {.timeline = true});
  ASSERT_EQ(m.status, "ok") << m.reason;
  if (!m.facts.contains("timeline")) GTEST_SKIP() << "PM sampling cannot be had here";
  ASSERT_FALSE(m.facts.at("timeline").is_null()) << m.facts.at("timeline_reason");
  EXPECT_EQ(m.facts.at("timeline").at("loops"), 1);
}

TEST_F(Ahead, IsDoneBeforeTheLaunchForAProfiler) {
  const suite_case c = timed("triple");
  const auto launched =
      make_cuda_executor(0, {})->launch_once(c, c.operation->prepare(c.axes, inputs_), inputs_);
  EXPECT_EQ(launched.at("output"), "ok");
  EXPECT_EQ(launched.at("kernels").size(), 1u);
}

TEST_F(Ahead, IsDoneBeforeEveryLaunchOfAVariantRun) {
  const operation& op = *find_operation("made_tripling");
  variant_run triple(op, {{"timed", "triple"}}, inputs_);
  const check_result result = triple.check(op.variants.front(), false, 3);
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(triple.quality().at("last_number"), 3 * numbers);
  EXPECT_EQ(triple.download()[0], nullptr);
  EXPECT_EQ(reinterpret_cast<const unsigned*>(triple.download()[1])[0], 3u);

  variant_run both(op, {{"timed", "both"}}, inputs_);
  EXPECT_TRUE(both.check(op.variants.front()).ok);
  EXPECT_FALSE(both.check(op.variants.front(), false, 2).ok) << "nothing is restored where nothing is ahead";
}

}  // namespace
}  // namespace ablate::testing
