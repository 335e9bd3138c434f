// scripts/rivals/backbone_torch.py on a made record and made measurements, and its models, layers and levels
// against those of kernels/network: neither PyTorch nor a GPU takes part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "kernels/backbone/networks.h"
#include "kernels/network/network.h"
#include "tests/reports/made_record.h"
#include "tests/scripts/rivals_test.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::backbone_torch_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string rivals = test_support::source_path("scripts/rivals");

ordered_json axes_of(const std::string& host) {
  return {{"model", "flash46"},
          {"points", "0"},
          {"batch", "1"},
          {"sizes", "equal"},
          {"distribution", "nuscenes"},
          {"points_as", "voxels"},
          {"order_by", "cut"},
          {"window", "4096"},
          {"bucket", "512"},
          {"head_width", "16"},
          {"host", host}};
}

std::string name_of(const std::string& variant, const ordered_json& axes) {
  std::string name = "backbone/" + variant;
  for (const auto& [axis, value] : axes.items()) name += "/" + axis + "=" + value.get<std::string>();
  return name + "/@cold-clean";
}

/// The made record's first workload as a pass that takes so long.
ordered_json pass(const std::string& host, const std::string& method, double median_us) {
  ordered_json entry = reports::made_record()["benchmarks"][2];
  entry["operation"] = "backbone";
  entry["variant"] = "fused";
  entry["switches"] = {{"layers", "wgmma"}};
  entry["axes"] = axes_of(host);
  entry["name"] = entry["run_name"] = name_of("fused", entry["axes"]);
  entry["input"] = {{"hash", "00000000000000aa"}, {"points", 23091}, {"parameters", 46655616}};
  entry["time_us"]["method"] = method;
  entry["time_us"]["samples"] = {median_us};
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) entry["time_us"][key] = median_us;
  return entry;
}

ordered_json backbone_record() {
  ordered_json made = reports::made_record();
  made["benchmarks"] = {made["benchmarks"][0], pass("absent", "events", 4700),
                        pass("published", "host_clock", 5400), pass("graph", "host_clock_graph", 4800)};
  made["unmeasured"] = ordered_json::array();
  made["context"]["ablate"]["operations"] = {{"backbone",
                                              {{"description", "a pass"},
                                               {"baseline", "library"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"fused", "own kernels"}}}}}};
  return made;
}

ordered_json measurement(const std::string& variant, const std::string& host, const std::string& method,
                         double us, const ordered_json& launches) {
  ordered_json shape = axes_of(host);
  shape.update({{"real", 23091}, {"parameters", 46655616}, {"hash", "00000000000000aa"}});
  ordered_json made = {
      {"operation", "backbone"},
      {"variant", variant},
      {"shape", shape},
      {"status", "ok"},
      {"samples_us", {us + 5, us - 5, us}},
      {"warmup_launches", 2},
      {"stopped_by", "time"},
      {"max_error", 0.02},
      {"figures", {{"out_error_of_bf16", 0.018}, {"launches", launches}, {"host_waits", 0}}}};
  if (method != "events") made["method"] = method;
  return made;
}

ordered_json made_measurements() {
  ordered_json failed = measurement("torch_compiled", "absent", "events", 1, 1);
  failed["status"] = "failed";
  failed["reason"] = "Failed to find C compiler";
  return {{"software", {{"torch", "2.11.0"}, {"cuda", "13.0"}}},
          {"device", {{"name", "Imaginary GPU"}, {"uuid", "none"}}},
          {"date", "2026-11-25T12:00:00+00:00"},
          {"measurements",
           {measurement("torch_tuned", "absent", "events", 9400, 480), failed,
            measurement("torch_tuned_graph", "absent", "events", 9000, 480),
            measurement("torch_graph", "absent", "events", 8000, nullptr),
            measurement("torch_published", "published", "host_clock", 14000, 1000),
            measurement("torch_tuned", "published", "host_clock", 10400, 480),
            measurement("torch_tuned_graph", "graph", "host_clock_graph", 9100, 480),
            measurement("torch_graph", "graph", "host_clock_graph", 8100, 250)}}};
}

class BackboneTorch : public test_support::rivals_test {
 protected:
  BackboneTorch() : rivals_test("backbone_torch.py") {}

  ordered_json added_whole() const {
    const auto result = add(backbone_record(), made_measurements());
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result.error, "") << "no case is without a rival's measurement";
    return added();
  }
};

TEST_F(BackboneTorch, FormsStandBehindWorkloadsWhoseHostPlaysTheirPart) {
  const ordered_json record = added_whole();
  std::vector<std::string> names;
  for (const ordered_json& entry : record["benchmarks"])
    names.push_back(entry["variant"].get<std::string>() + " " + entry["axes"].value("host", "") + " " +
                    entry["time_us"]["method"].get<std::string>());
  EXPECT_THAT(names,
              ElementsAre(HasSubstr("copy"), "fused absent events", "torch_tuned absent events",
                          "torch_tuned_graph absent events", "torch_graph absent events",
                          "fused published host_clock", "torch_published published host_clock",
                          "torch_tuned published host_clock", "fused graph host_clock_graph",
                          "torch_tuned_graph graph host_clock_graph", "torch_graph graph host_clock_graph"));
  EXPECT_EQ(record["unmeasured"][0]["reason"], "Failed to find C compiler");
  EXPECT_EQ(record["benchmarks"][2]["quality"]["launches"], 480);
  EXPECT_EQ(record["benchmarks"][2]["quality"]["relative_error"], 0.02);
  EXPECT_TRUE(record["benchmarks"][4]["quality"]["launches"].is_null());
  EXPECT_EQ(read_record(folder_ / "record.json").rivals[0].script, "scripts/rivals/backbone_torch.py");
}

TEST_F(BackboneTorch, TheSchemaHolds) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  added_whole();
  const auto result =
      process::run({"node", (reports::renderer_directory() / "validate.mjs").string(),
                    (reports::renderer_directory() / "schema" / "record.schema.json").string(),
                    (folder_ / "record.json").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(BackboneTorch, TheClaimsSetThemAgainstOurs) {
  added_whole();
  const auto judged = test_support::run_ablate({"claims", (folder_ / "record.json").string(), "--claims",
                                                test_support::source_path("suites/claims/backbone.json")});
  EXPECT_EQ(judged.exit_code, 0) << judged.error;
  // 8000 / 4700, 10400 / 4800
  for (const char* id :
       {"ablate-target-backbone-over-torch-23k", "ablate-target-backbone-over-torch-eager-23k"})
    EXPECT_THAT(judged.out, ::testing::ContainsRegex(std::string(id) + "[^\n]*reproduced")) << judged.out;
}

ordered_json layers_json(const backbone::layer_table& table, const backbone::weight_places& places) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < table.all.size(); ++i) {
    const backbone::layer& one = table.all[i];
    const backbone::layer_place& at = places.of[i];
    const char* const kind = one.kind == backbone::layer_kind::linear ? "linear"
                             : one.kind == backbone::layer_kind::norm ? "norm"
                                                                      : "batch_norm";
    const std::string folded = one.folded < 0 ? "" : table.all[static_cast<std::size_t>(one.folded)].name;
    all.push_back({one.name, kind, one.inputs, one.outputs, folded, at.matrix, at.bias, at.vectors});
  }
  return all;
}

/// Where the gradients of layers are, and how many elements there are.
ordered_json gradients_json(const backbone::layer_table& table) {
  const backbone::gradient_places places = backbone::gradient_places_of(table);
  ordered_json all = {places.elements};
  for (std::size_t i = 0; i < table.all.size(); ++i) {
    const backbone::gradient_place& at = places.of[i];
    const backbone::layer& one = table.all[i];
    if (one.kind == backbone::layer_kind::linear)
      all.push_back({at.matrix, at.vectors});
    else
      all.push_back({at.vectors, at.vectors + one.outputs});
  }
  return all;
}

/// What the script knows of a network, as it is here.
ordered_json network_json(const backbone::network& n) {
  ordered_json levels = ordered_json::array(), tables = ordered_json::array();
  for (const backbone::level& l : n.levels) levels.push_back({l.real, l.rows});
  for (const auto* stages : {&n.of.encoder, &n.of.decoder})
    for (std::size_t l = 0; l < stages->size(); ++l)
      for (const backbone::scope& where : (*stages)[l].blocks)
        tables.push_back(backbone::scope_table(n.levels[l].rows, n.shape, where));
  return {{"layers", layers_json(n.layers, n.weights)},
          {"elements", {n.weights.matrix_elements, n.weights.vector_elements}},
          {"levels", levels},
          {"tables", tables},
          {"index_bytes", n.index.bytes},
          {"gradients", gradients_json(n.layers)}};
}

const std::string prints_network = R"(
import json, sys
sys.path.insert(0, sys.argv[1])
import flash3d_layers as flash
model, points, window, bucket = flash.MODELS[sys.argv[2]], *map(int, sys.argv[3:])
layers = flash.layers_of(model)
places, matrices, vectors = flash.places_of(layers)
levels = flash.levels_of(points, window)
gradients, elements = flash.gradient_places(layers)
print(json.dumps({
    "layers": [[of.name, of.kind, of.inputs, of.outputs, of.folded, places[of.name].matrix, places[of.name].bias,
                places[of.name].vectors] for of in layers],
    "elements": [matrices, vectors],
    "levels": [[level.real, level.rows] for level in levels],
    "tables": [flash.scope_table(levels[level].rows, window, bucket, scope)
               for stages in (model.encoder, model.decoder) for level, stage in enumerate(stages) for scope in stage.scopes],
    "index_bytes": flash.index_places(levels)[1],
    "gradients": [elements, *([gradients[f"{of.name}.{part}"][0] for part in ("weight", "bias")] for of in layers)]}))
)";

TEST_F(BackboneTorch, ModelsLayersLevelsAndScopesAreOurs) {
  struct sizes {
    const char* model;
    std::uint32_t points;
    backbone::window_shape shape;
  };
  for (const sizes& of : {sizes{"flash19", 23091, {}}, sizes{"flash46", 92867, {}},
                          sizes{"flash129", 13981, {}}, sizes{"flash129_deep", 1, {}},
                          sizes{"flash46", 23091, {512, 1024}}, sizes{"small", 2000, {128, 256}}}) {
    const auto result = test_support::run_program(
        {"python3", "-c", prints_network, rivals, of.model, std::to_string(of.points),
         std::to_string(of.shape.window), std::to_string(of.shape.bucket)},
        {"PYTHONDONTWRITEBYTECODE=1"});
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const backbone::network n = backbone::network_of(backbone::model_of(of.model), {of.points}, of.shape,
                                                     backbone::layer_form::library);
    const ordered_json expected = network_json(n), found = ordered_json::parse(result.out);
    for (const auto& [key, value] : expected.items())
      EXPECT_TRUE(value == found.at(key)) << of.model << ": " << key;
  }
}

const std::string prints_ptv3 = R"(
import json, sys
sys.path.insert(0, sys.argv[1])
import flash3d_layers, ptv3_layers
model, window, rows, pairs = ptv3_layers.MODELS[sys.argv[2]], int(sys.argv[3]), *map(json.loads, sys.argv[4:])
layers = ptv3_layers.layers_of(model)
places, matrices, vectors = flash3d_layers.places_of(layers)
print(json.dumps({
    "layers": [[of.name, of.kind, of.inputs, of.outputs, of.folded, places[of.name].matrix, places[of.name].bias,
                places[of.name].vectors] for of in layers],
    "parameters": sum(of.parameters() for of in layers),
    "elements": [matrices, vectors],
    "levels": [[level.real, level.slots, level.pairs] for level in ptv3_layers.levels_of(rows, pairs, window)],
    "heads": [model.heads(stage.channels) for stage in (*model.encoder, *model.decoder)],
    "depths": [stage.depth for stage in (*model.encoder, *model.decoder)],
    "curves": model.curves}))
)";

ordered_json ptv3_json(const backbone::network& n) {
  ordered_json levels = ordered_json::array(), heads = ordered_json::array(), depths = ordered_json::array();
  for (const backbone::level& l : n.levels) levels.push_back({l.real, l.slots, l.pairs()});
  for (const auto* stages : {&n.of.encoder, &n.of.decoder})
    for (const backbone::stage& s : *stages) {
      heads.push_back(n.of.heads(s));
      depths.push_back(s.depth());
    }
  return {{"layers", layers_json(n.layers, n.weights)},
          {"parameters", n.layers.parameters()},
          {"elements", {n.weights.matrix_elements, n.weights.vector_elements}},
          {"levels", levels},
          {"heads", heads},
          {"depths", depths},
          {"curves", n.of.curves}};
}

TEST_F(BackboneTorch, Ptv3sModelsLayersAndLevelsAreOurs) {
  backbone::grid_levels grid;
  grid.depth = 10;
  grid.stem_list_ends = {9000};
  ordered_json rows = ordered_json::array(), pairs = ordered_json::array();
  for (const std::uint32_t voxels : {2500u, 1900u, 1100u, 1024u, 512u}) {
    std::vector<std::int64_t> list_ends(backbone::position_lists + 1);
    for (std::size_t q = 1; q < list_ends.size(); ++q) list_ends[q] = list_ends[q - 1] + 7 + voxels / 9;
    rows.push_back(voxels);
    pairs.push_back(list_ends.back());
    grid.of.push_back({{voxels}, list_ends});
  }
  const backbone::window_shape shape{128, 512};
  for (const char* model : {"ptv3", "ptv3_without_positions", "ptv3_one_order", "small_ptv3"}) {
    const auto result = test_support::run_program({"python3", "-c", prints_ptv3, rivals, model,
                                                   std::to_string(shape.window), rows.dump(), pairs.dump()},
                                                  {"PYTHONDONTWRITEBYTECODE=1"});
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const ordered_json found = ordered_json::parse(result.out),
                       expected = ptv3_json(backbone::network_of_ptv3(backbone::model_of(model), grid, shape,
                                                                      backbone::layer_form::library));
    for (const auto& [key, value] : expected.items())
      EXPECT_TRUE(value == found.at(key)) << model << ": " << key;
  }
}

}  // namespace
}  // namespace ablate::backbone_torch_test
