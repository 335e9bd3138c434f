// scripts/rivals/matmul_torch.py on a made record and made measurements, and the random numbers that it
// shares with the program: neither PyTorch nor a GPU takes part.
#include <gmock/gmock.h>

#include "base/record/record.h"
#include "harness/inputs/random.h"
#include "tests/reports/made_record.h"
#include "tests/scripts/rivals_test.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::matmul_torch_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string rivals = test_support::source_path("scripts/rivals");

/// The made record's first workload as a product, of the size of its axis and of this in fact.
ordered_json product_case(const std::string& size, int k) {
  ordered_json entry = reports::made_record()["benchmarks"][2];
  entry["operation"] = "matmul";
  entry["variant"] = "smem_register_block";
  entry["switches"] = {{"smem", "on"}};
  entry["axes"] = {{"size", size}, {"shape", "square"}};
  entry["name"] = entry["run_name"] = "matmul/smem_register_block/size=" + size + "/shape=square/@cold-clean";
  entry["input"] = {{"hash", "00000000000000aa"}, {"m", 256}, {"n", 256}, {"k", k}};
  return entry;
}

ordered_json product_record() {
  ordered_json made = reports::made_record();
  made["benchmarks"] = {made["benchmarks"][0], product_case("256", 256), product_case("100", 100)};
  made["unmeasured"] = ordered_json::array();
  made["context"]["ablate"]["operations"] = {{"matmul",
                                              {{"description", "products"},
                                               {"baseline", "naive"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"smem_register_block", "G2"}}}}}};
  return made;
}

ordered_json made_measurements() {
  return {{"software", {{"torch", "2.11.0"}, {"cuda", "13.0"}}},
          {"device", {{"name", "Imaginary GPU"}, {"uuid", "none"}}},
          {"date", "2026-11-20T12:00:00+00:00"},
          {"measurements",
           {{{"operation", "matmul"},
             {"variant", "cublas"},
             {"shape", {{"m", 256}, {"n", 256}, {"k", 256}}},
             {"status", "ok"},
             {"samples_us", {13.0, 12.0, 12.5}},
             {"warmup_launches", 11},
             {"stopped_by", "samples"},
             {"max_error", 2e-7}}}}};
}

class MatmulTorch : public test_support::rivals_test {
 protected:
  MatmulTorch() : rivals_test("matmul_torch.py") {}
};

TEST_F(MatmulTorch, CublasStandsBehindTheWorkloadOfItsShape) {
  const auto result = add(product_record(), made_measurements());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error, HasSubstr("1 cases have no rival: nothing of their shape was measured"));
  const ordered_json added = this->added();
  ASSERT_EQ(added["benchmarks"].size(), 4u);
  const ordered_json& rival = added["benchmarks"][2];
  EXPECT_EQ(rival["name"], "matmul/cublas/size=256/shape=square/@cold-clean");
  EXPECT_EQ(rival["time_us"]["median"], 12.5);
  EXPECT_EQ(rival["quality"]["relative_error"], 2e-7);
  EXPECT_EQ(rival["work"], added["benchmarks"][1]["work"]);
  const record r = read_record(folder_ / "record.json");
  ASSERT_EQ(r.rivals.size(), 1u);
  EXPECT_EQ(r.rivals[0].script, "scripts/rivals/matmul_torch.py");
  EXPECT_THAT(r.rivals[0].variants, ElementsAre("cublas"));
}

TEST_F(MatmulTorch, ARecordWithoutProductsIsRefused) {
  const auto result = add(reports::made_record(), made_measurements());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, HasSubstr("matmul_torch.py: "));
  EXPECT_THAT(result.error, HasSubstr("/benchmarks: expected cases of matmul in the cache state cold-clean"));
}

TEST_F(MatmulTorch, ItsRandomNumbersAreThoseOfTheProgram) {
  const std::string program = "import sys; sys.path.insert(0, '" + rivals +
                              "'); import bench_torch as b; start = b.start_of_stream(7, 'matmul a'); "
                              "print(*(b.mixed((start + i * b.STREAM_STEP) & b.WORD) for i in range(1, 4)))";
  const auto result = test_support::run_program({"python3", "-c", program}, {"PYTHONDONTWRITEBYTECODE=1"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  random_stream random(7, "matmul a");
  std::string expected;
  for (int i = 0; i < 3; ++i) expected += (i == 0 ? "" : " ") + std::to_string(random.next());
  EXPECT_EQ(result.out, expected + "\n");
}

}  // namespace
}  // namespace ablate::matmul_torch_test
