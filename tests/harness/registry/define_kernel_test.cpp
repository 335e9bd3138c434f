#include "harness/registry/define_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "harness/registry/registry.h"
#include "kernels/common/poison.h"

namespace ablate::define_kernel_test {
namespace {

using testing::HasSubstr;

std::vector<kernel_array> arrays(const axis_values& at) {
  const long n = at.integer("elements");
  return {input_floats("x", n), scratch_of<std::int32_t>("used", n), output_of<float>("out", n, 1e-6),
          output_of<std::int64_t>("sum", 1)};
}

void doubled(const spans& a) {
  const auto x = a.in<float>("x");
  const auto out = a.out<float>("out");
  const auto used = a.out<std::int32_t>("used");
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = 2 * x[i];
    used[i] = 1;
  }
  a.out<std::int64_t>("sum")[0] = a.integer("elements");
}

void launch_nothing(launcher&, const spans&, const switches&) {}

kernel_definition made(const std::string& name) {
  return {.name = name,
          .description = "out = 2 x",
          .axes = {axis::of_integers("elements", 1, 100, 4, "elements")},
          .arrays = arrays,
          .flops = [](const axis_values& at) { return static_cast<double>(at.integer("elements")); },
          .baseline = "plain",
          .reference = doubled,
          .variants = {{"plain", launch_nothing, {}, "plain"}, {"other", launch_nothing, {}, "other"}}};
}

kernel_definition without_reference(const std::string& name) {
  kernel_definition d = made(name);
  d.reference = nullptr;
  return d;
}

const bool defined = define_kernel(made("made_kernel"));
const bool defined_without = define_kernel(without_reference("made_kernel_without_oracle"));

const axis_values four = {{"elements", "4"}};

class DefineKernel : public testing::Test {
 protected:
  const operation& op_ = *find_operation("made_kernel");
  const operation& without_ = *find_operation("made_kernel_without_oracle");
  input_library inputs_{1, {}, {}};

  std::array<float, 4> out_{};
  std::int64_t sum_ = 0;
  std::array<const std::byte*, 4> outputs() {
    return {nullptr, nullptr, reinterpret_cast<const std::byte*>(out_.data()),
            reinterpret_cast<const std::byte*>(&sum_)};
  }
  void compute(const workload& work) {
    const std::array<void*, 4> host = {nullptr, nullptr, out_.data(), &sum_};
    work.reference(host);
  }
};

TEST_F(DefineKernel, GivesEachArrayABufferOfItsRole) {
  const std::vector<buffer> all = op_.buffers(four, inputs_);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].role, buffer_role::input);
  EXPECT_EQ(all[1].role, buffer_role::scratch);
  EXPECT_EQ(all[2].role, buffer_role::output);
  EXPECT_EQ(all[2].reset, buffer_reset::poison);
  EXPECT_EQ(all[2].bytes, 16u);
  EXPECT_EQ(all[3].bytes, 8u);
}

TEST_F(DefineKernel, CountsWhatIsReadAndWrittenAsWork) {
  const workload work = op_.prepare(four, inputs_);
  EXPECT_EQ(work.work.bytes, 16 + 16 + 8);
  EXPECT_EQ(work.work.written_bytes, 16 + 8);
  EXPECT_EQ(work.work.flops, 4);
  ASSERT_EQ(work.contents.size(), 4u);
  EXPECT_EQ(work.contents[0].size(), 16u);
  EXPECT_TRUE(work.contents[1].empty());
  EXPECT_EQ(work.input.at("hash").get<std::string>().size(), 16u);
  EXPECT_NE(work.input, op_.prepare(four, input_library(2, {}, {})).input);
}

TEST_F(DefineKernel, AcceptsTheReferencesOutputs) {
  const workload work = op_.prepare(four, inputs_);
  compute(work);
  const check_result found = work.check(outputs());
  EXPECT_TRUE(found.ok) << found.message;
  EXPECT_EQ(found.accepted_error, 1e-6);
  EXPECT_TRUE(work.oracle_variant.empty());
  EXPECT_FALSE(work.learn);
}

TEST_F(DefineKernel, NamesTheFirstElementThatIsWrong) {
  const workload work = op_.prepare(four, inputs_);
  compute(work);
  out_[2] += 0.5f;
  EXPECT_THAT(work.check(outputs()).message, HasSubstr("out[2]: expected "));
  out_[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(work.check(outputs()).message, HasSubstr("found nan"));
  compute(work);
  ++sum_;
  EXPECT_EQ(work.check(outputs()).message, "sum[0]: expected 4, found 5");
}

TEST_F(DefineKernel, AcceptsWhatTheToleranceAllows) {
  const workload work = op_.prepare(four, inputs_);
  compute(work);
  out_[0] = std::nextafter(out_[0], 2.0f);
  const check_result found = work.check(outputs());
  EXPECT_TRUE(found.ok) << found.message;
  EXPECT_GT(found.max_error, 0);
}

TEST_F(DefineKernel, TakesTheBaselinesOutputsForTheAnswerWithoutAReference) {
  const workload work = without_.prepare(four, inputs_);
  EXPECT_FALSE(work.reference);
  EXPECT_EQ(work.oracle_variant, "plain");
  EXPECT_THAT(without_.description, HasSubstr("checked against its variant plain"));
  EXPECT_THROW(work.check(outputs()), std::logic_error);
  out_ = {1, 2, 3, 4};
  sum_ = 10;
  work.learn(outputs());
  EXPECT_TRUE(work.check(outputs()).ok);
  out_[3] = 5;
  EXPECT_EQ(work.check(outputs()).message, "out[3]: expected 4, found 5");
}

TEST_F(DefineKernel, RefusesABaselineThatWritesNothingAsTheAnswer) {
  const workload work = without_.prepare(four, inputs_);
  std::memset(&out_[1], poison_byte, sizeof out_[1]);
  try {
    work.learn(outputs());
    FAIL() << "an unwritten output was learnt";
  } catch (const std::runtime_error& why) {
    EXPECT_STREQ(why.what(), "the variant 'plain', which is the oracle, left out[1] unwritten");
  }
}

TEST(DefineKernelRefuses, WhatCannotBeRun) {
  const auto refused = [](kernel_definition d) -> std::string {
    try {
      define_kernel(std::move(d));
      return "accepted";
    } catch (const std::logic_error& why) {
      return why.what();
    }
  };
  kernel_definition d = made("refused");
  d.baseline = "none";
  EXPECT_THAT(refused(d), HasSubstr("is none of its variants"));
  d = made("refused");
  d.arrays = [](const axis_values&) { return std::vector{input_floats("x", 1)}; };
  EXPECT_THAT(refused(d), HasSubstr("no output"));
  d.arrays = [](const axis_values&) { return std::vector{input_floats("x", 1), output_of<float>("x", 1)}; };
  EXPECT_THAT(refused(d), HasSubstr("two arrays 'x'"));
  d = without_reference("refused");
  d.variants[0].limits.minimum_compute_capability = 90;
  EXPECT_THAT(refused(d), HasSubstr("the oracle"));
  EXPECT_EQ(find_operation("refused"), nullptr);
}

TEST(Spans, RefuseOtherNamesTypesAndWrites) {
  const spans a(spans::facts{{{"x", 2, sizeof(float), &typeid(float), false, false}}, {{"n", "2"}}});
  EXPECT_EQ(a.in<float>("x").size(), 2u);
  EXPECT_THROW(a.in<float>("y"), std::logic_error);
  EXPECT_THROW(a.in<int>("x"), std::logic_error);
  EXPECT_THROW(a.out<float>("x"), std::logic_error);
  EXPECT_EQ(a.integer("n"), 2);
  EXPECT_THROW(a.word("m"), std::logic_error);
}

}  // namespace
}  // namespace ablate::define_kernel_test
