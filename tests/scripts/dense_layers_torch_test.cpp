// scripts/rivals/dense_layers_torch.py on a made record and made measurements: neither PyTorch nor a GPU
// takes part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/record/record.h"
#include "tests/reports/made_record.h"
#include "tests/scripts/rivals_test.h"
#include "tests/support/run_program.h"

namespace ablate::dense_layers_torch_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The made record's first workload as an MLP of so many rows.
ordered_json mlp_case(const std::string& rows) {
  ordered_json entry = reports::made_record()["benchmarks"][2];
  entry["operation"] = "mlp";
  entry["variant"] = "fused_mma";
  entry["switches"] = {{"core", "mma"}};
  entry["axes"] = {{"kind", "gelu"}, {"rows", rows}, {"channels", "128"}, {"region", "forward"}};
  entry["name"] = entry["run_name"] =
      "mlp/fused_mma/kind=gelu/rows=" + rows + "/channels=128/region=forward/@cold-clean";
  entry["input"] = {{"hash", "00000000000000aa"}, {"rows", 4096}};
  return entry;
}

ordered_json mlp_record() {
  ordered_json made = reports::made_record();
  made["benchmarks"] = {made["benchmarks"][0], mlp_case("4096"), mlp_case("24576")};
  made["unmeasured"] = ordered_json::array();
  made["context"]["ablate"]["operations"] = {{"mlp",
                                              {{"description", "two layers"},
                                               {"baseline", "library"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"fused_mma", "one launch"}}}}}};
  return made;
}

ordered_json made_measurements() {
  const ordered_json shape = {{"rows", 4096}, {"channels", 128}, {"kind", "gelu"}};
  return {{"software", {{"torch", "2.11.0"}, {"cuda", "13.0"}}},
          {"device", {{"name", "Imaginary GPU"}, {"uuid", "none"}}},
          {"date", "2026-11-20T12:00:00+00:00"},
          {"measurements",
           {{{"operation", "mlp"},
             {"variant", "torch_eager"},
             {"shape", shape},
             {"status", "ok"},
             {"samples_us", {43.0, 42.0, 42.5}},
             {"warmup_launches", 11},
             {"stopped_by", "samples"},
             {"max_error", 2e-3}},
            {{"operation", "mlp"},
             {"variant", "torch_compiled"},
             {"shape", shape},
             {"status", "failed"},
             {"reason", "Failed to find C compiler"}}}}};
}

class DenseLayersTorch : public test_support::rivals_test {
 protected:
  DenseLayersTorch() : rivals_test("dense_layers_torch.py") {}
};

TEST_F(DenseLayersTorch, RivalsStandBehindTheWorkloadOfTheirShape) {
  const auto result = add(mlp_record(), made_measurements());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error, HasSubstr("cases have no rival: nothing of their shape was measured"));
  const ordered_json added = this->added();
  ASSERT_EQ(added["benchmarks"].size(), 4u);
  const ordered_json& rival = added["benchmarks"][2];
  EXPECT_EQ(rival["name"], "mlp/torch_eager/kind=gelu/rows=4096/channels=128/region=forward/@cold-clean");
  EXPECT_EQ(rival["time_us"]["median"], 42.5);
  EXPECT_EQ(rival["quality"]["relative_error"], 2e-3);
  EXPECT_EQ(rival["work"], added["benchmarks"][1]["work"]);
  EXPECT_EQ(added["unmeasured"][0]["reason"], "Failed to find C compiler");
  const record r = read_record(folder_ / "record.json");
  ASSERT_EQ(r.rivals.size(), 1u);
  EXPECT_EQ(r.rivals[0].script, "scripts/rivals/dense_layers_torch.py");
  EXPECT_THAT(r.rivals[0].variants, ElementsAre("torch_eager", "torch_compiled"));
}

TEST_F(DenseLayersTorch, ARecordWithoutSuchLayersIsRefused) {
  ordered_json without = mlp_record();
  for (ordered_json& entry : without["benchmarks"]) entry["axes"]["region"] = "backward";
  const auto result = add(without, made_measurements());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.error,
      HasSubstr("/benchmarks: expected cases of row_norm or linear or mlp in the cache state cold-clean"));
}

}  // namespace
}  // namespace ablate::dense_layers_torch_test
