// scripts/rivals/gated_attention_torch.py on a made record and made measurements: neither PyTorch nor a GPU
// takes part.
#include <gmock/gmock.h>

#include "base/record/record.h"
#include "tests/reports/made_record.h"
#include "tests/scripts/rivals_test.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::gated_attention_torch_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string operation_of(const std::string& method) {
  return method == "dense" ? "dense_attention" : "gated_attention";
}

/// The made record's first workload as a layer of 1024 images.
ordered_json layer_case(const std::string& variant, const std::string& method, const std::string& lists,
                        const std::string& scores, double median_us) {
  ordered_json entry = reports::made_record()["benchmarks"][2];
  const std::string operation = operation_of(method);
  entry["operation"] = operation;
  entry["variant"] = variant;
  entry["switches"] = {{"core", "mma"}};
  entry["axes"] = {{"images", "1024"}, {"heads", "16"}};
  if (method == "dense")
    entry["axes"].update({{"rows", "all"}, {"scores", scores}});
  else
    entry["axes"].update({{"block", "16"}, {"selected", "32"}, {"lists", lists}, {"scores", scores}});
  std::string name = operation + "/" + variant + "/";
  for (const auto& [axis, value] : entry["axes"].items()) name += axis + "=" + value.get<std::string>() + "/";
  entry["name"] = entry["run_name"] = name + "@cold-clean";
  entry["input"] = {{"hash", "00000000000000aa"}, {"tokens", 1032192}, {"attending_rows", 16515072}};
  entry["time_us"]["samples"] = {median_us};
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) entry["time_us"][key] = median_us;
  return entry;
}

ordered_json layer_record() {
  ordered_json made = reports::made_record();
  ordered_json benchmarks = {made["benchmarks"][0], made["benchmarks"][1]};
  benchmarks.push_back(layer_case("threshold", "sparse", "chosen", "scene", 60e3));
  benchmarks.push_back(layer_case("given_lists", "sparse", "given", "scene", 50e3));
  benchmarks.push_back(layer_case("threshold", "sparse", "chosen", "ascending", 90e3));
  benchmarks.push_back(layer_case("mma", "dense", "chosen", "scene", 8e6));
  made["benchmarks"] = benchmarks;
  made["unmeasured"] = ordered_json::array();
  made["context"]["ablate"]["operations"] = {{"gated_attention",
                                              {{"description", "a layer"},
                                               {"baseline", "threshold"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"threshold", "C2"}, {"given_lists", "C0"}}}}},
                                             {"dense_attention",
                                              {{"description", "a dense layer"},
                                               {"baseline", "mma"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"mma", "D"}}}}}};
  return made;
}

ordered_json measurement(const std::string& variant, const std::string& method) {
  ordered_json shape = {{"method", method}, {"scores", "scene"}, {"tokens", 1032192}, {"heads", 16}};
  if (method == "dense")
    shape["queries"] = 1032192;
  else
    shape.update({{"block", 16}, {"rows", 64512}, {"selected", 32}});
  return {{"operation", operation_of(method)}, {"variant", variant}, {"shape", shape}};
}
ordered_json timed(ordered_json of, double median_us) {
  of.update({{"status", "ok"},
             {"samples_us", {median_us + 5, median_us - 5, median_us}},
             {"warmup_launches", 2},
             {"stopped_by", "time"},
             {"max_error", 0.002}});
  return of;
}
ordered_json without_time(ordered_json of, const std::string& status, const std::string& reason) {
  of.update({{"status", status}, {"reason", reason}});
  return of;
}

/// cuDNN did a part of the queries, the layer could not be compiled, and flex_attention was wrong.
ordered_json made_measurements() {
  ordered_json in_part = timed(measurement("cudnn", "dense"), 9e6);
  in_part["share_of_work"] = 0.03125;
  return {
      {"software", {{"torch", "2.11.0"}, {"cudnn", "9.19.0"}, {"cuda", "13.0"}}},
      {"device", {{"name", "Imaginary GPU"}, {"uuid", "none"}}},
      {"date", "2026-11-20T12:00:00+00:00"},
      {"measurements",
       {in_part,
        without_time(measurement("flash_attention_2", "dense"), "not_applicable", "No available kernel"),
        timed(measurement("torch_eager", "sparse"), 9e5),
        without_time(measurement("torch_compiled", "sparse"), "failed", "Failed to find C compiler"),
        without_time(measurement("torch_flex", "sparse"), "wrong", "before timing: head 0, block 0: off")}}};
}

class GatedAttentionTorch : public test_support::rivals_test {
 protected:
  GatedAttentionTorch() : rivals_test("gated_attention_torch.py") {}

  test_support::program_result add(const ordered_json& measured,
                                   const std::vector<std::string>& options = {}) const {
    return rivals_test::add(layer_record(), measured, options);
  }
};

std::vector<std::string> names_of(const ordered_json& entries) {
  std::vector<std::string> out;
  for (const ordered_json& entry : entries) {
    const std::string variant = entry["variant"].get<std::string>();
    const std::string operation = entry["operation"].get<std::string>();
    out.push_back(operation.ends_with("attention")
                      ? variant + " " + operation.substr(0, operation.find('_')) + " " +
                            entry["axes"]["scores"].get<std::string>()
                      : variant);
  }
  return out;
}

TEST_F(GatedAttentionTorch, RivalsStandBehindTheWorkloadsOfTheirMethod) {
  const auto result = add(made_measurements());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, "") << "no case is without a rival's measurement";
  const ordered_json record = added();
  EXPECT_THAT(names_of(record["benchmarks"]),
              ElementsAre("copy", "empty", "threshold gated scene", "torch_eager gated scene",
                          "given_lists gated scene", "threshold gated ascending", "mma dense scene",
                          "cudnn dense scene"));
  EXPECT_THAT(
      names_of(record["unmeasured"]),
      ElementsAre("torch_compiled gated scene", "torch_flex gated scene", "flash_attention_2 dense scene"));
  EXPECT_EQ(record["unmeasured"][0]["reason"], "Failed to find C compiler");
  EXPECT_EQ(record["unmeasured"][1]["status"], "wrong");
}

TEST_F(GatedAttentionTorch, ATimeThatWasStretchedSaysSo) {
  ASSERT_EQ(add(made_measurements()).exit_code, 0);
  const ordered_json record = added();
  const ordered_json &sparse = record["benchmarks"][3], &dense = record["benchmarks"][7];
  EXPECT_EQ(dense["time_us"]["median"], 9e6);
  EXPECT_EQ(dense["quality"], ordered_json({{"relative_error", 0.002}, {"share_of_work", 0.03125}}));
  EXPECT_EQ(sparse["quality"], ordered_json({{"relative_error", 0.002}}));
}

TEST_F(GatedAttentionTorch, TheSchemaHolds) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  ASSERT_EQ(add(made_measurements()).exit_code, 0);
  const auto result =
      process::run({"node", (reports::renderer_directory() / "validate.mjs").string(),
                    (reports::renderer_directory() / "schema" / "record.schema.json").string(),
                    (folder_ / "record.json").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(GatedAttentionTorch, AClaimSetsTheSparseLayerAgainstADenseRival) {
  ASSERT_EQ(add(made_measurements()).exit_code, 0);
  const std::string claims =
      put("claims.json", {{"name", "n"},
                          {"description", "d"},
                          {"claims",
                           {{{"id", "c"},
                             {"source", {{"document", "d"}, {"section", "s"}}},
                             {"registered", "2026-01-01"},
                             {"statement", "t"},
                             {"quantity",
                              {{"value", "time_us.median"},
                               {"of", {{"operation", "dense_attention"}, {"rivals", "cudnn"}}},
                               {"over",
                                {{"operation", "gated_attention"},
                                 {"variants", "threshold"},
                                 {"axes", {{"scores", "scene"}}}}}}},
                             {"expectation", {{"at_least", 140}, {"at_most", 160}}},
                             {"holds_for", "every"}}}}})
          .string();
  const auto judged =
      test_support::run_ablate({"claims", (folder_ / "record.json").string(), "--claims", claims});
  EXPECT_EQ(judged.exit_code, 0) << judged.error;
  EXPECT_THAT(judged.out, HasSubstr("1 reproduced")) << judged.out;
}

/// The same layers trained.
ordered_json trained_record() {
  ordered_json made = layer_record();
  ordered_json benchmarks = {made["benchmarks"][0], made["benchmarks"][1]};
  for (ordered_json entry : {layer_case("hopper", "sparse", "chosen", "scene", 3e3),
                             layer_case("hopper_bulk", "dense", "chosen", "scene", 30e3)}) {
    const std::string operation = entry["operation"].get<std::string>() + "_backward";
    entry["operation"] = operation;
    for (const char* axis : {"lists", "rows"}) entry["axes"].erase(axis);
    entry["axes"]["region"] = "both";
    std::string name = operation + "/" + entry["variant"].get<std::string>() + "/";
    for (const auto& [axis, value] : entry["axes"].items())
      name += axis + "=" + value.get<std::string>() + "/";
    entry["name"] = entry["run_name"] = name + "@cold-clean";
    benchmarks.push_back(entry);
  }
  made["benchmarks"] = benchmarks;
  made["context"]["ablate"]["operations"] = {{"gated_attention_backward",
                                              {{"description", "a layer trained"},
                                               {"baseline", "hopper"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"hopper", "H"}}}}},
                                             {"dense_attention_backward",
                                              {{"description", "a dense layer trained"},
                                               {"baseline", "mma"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"hopper_bulk", "D"}}}}}};
  return made;
}

TEST_F(GatedAttentionTorch, RivalsThatAreTrainedStandBehindLayersThatAre) {
  ordered_json measured = made_measurements();
  for (ordered_json& of : measured["measurements"]) {
    of["operation"] = of["operation"].get<std::string>() + "_backward";
    of["shape"]["region"] = "both";
    of.erase("share_of_work");
    if (of["shape"]["method"] == "dense") {  // in the order in which the script asks
      of["shape"].erase("queries");
      of["shape"]["queries"] = 1032192;
    } else {
      for (const char* name : {"block", "rows", "selected"}) {
        const ordered_json value = of["shape"][name];
        of["shape"].erase(name);
        of["shape"][name] = value;
      }
    }
  }
  const auto result = rivals_test::add(trained_record(), measured, {"--trained"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const ordered_json record = added();
  std::vector<std::string> names;
  for (const ordered_json& entry : record["benchmarks"]) names.push_back(entry["variant"]);
  EXPECT_THAT(names, ElementsAre("copy", "empty", "hopper", "torch_eager", "hopper_bulk", "cudnn"));
  EXPECT_EQ(record["unmeasured"].size(), 3u);
}

TEST_F(GatedAttentionTorch, WorkloadsOfMoreImagesAreLeftOut) {
  const auto result = add(made_measurements(), {"--most-images", "512"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error,
              HasSubstr("/benchmarks: expected cases of gated_attention or dense_attention or "));
}

}  // namespace
}  // namespace ablate::gated_attention_torch_test
