// Kernels from files on a GPU, by the whole program.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/record/record.h"
#include "tests/harness/wrapped/built_files.h"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::wrapped_kernels_gpu_test {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

class WrappedKernels : public test_support::gpu_test {
 protected:
  /// out = x + y, with the variants that a test adds.
  static ordered_json add_json() {
    return ordered_json::parse(R"({
      "operation": "wrapped_add", "description": "out = x + y",
      "axes": [{"name": "elements", "minimum": 1, "maximum": 1073741824, "default": 1048576,
                "description": "elements"}],
      "arrays": [{"name": "x", "role": "input", "type": "f32", "count": "elements"},
                 {"name": "y", "role": "input", "type": "f32", "count": "elements"},
                 {"name": "out", "role": "output", "type": "f32", "count": "elements"}],
      "flops": "elements", "variants": []})");
  }

  static ordered_json variant(const std::string& name, const std::string& file, const std::string& entry) {
    return {{"name", name},
            {"code", wrapped_test::built_file("wrapped/" + file)},
            {"entry", entry},
            {"grid", "ceil_div(elements, 256)"},
            {"block", 256},
            {"arguments", {{{"array", "x"}}, {{"array", "y"}}, {{"array", "out"}}, {{"i32", "elements"}}}}};
  }

  /// The record of a run of all variants.
  record run(const ordered_json& json, int exit_code, const std::string& cache = R"(["cold-clean", "hot"])",
             long elements = 1 << 20) {
    const auto file = files_.write("add.json", json.dump());
    const auto suite = files_.write(
        "suite.json", R"({"name": "add", "description": "d", "counters": "core", "cases": [
            {"operation": "wrapped_add", "cache": )" +
                          cache + R"(, "axes": {"elements": )" + std::to_string(elements) + "}}]}");
    const auto out = files_.path() / "out";
    const auto ran = test_support::run_ablate({"wrap", file.string(), "run", suite.string(), "--device", "0",
                                               "--ceilings", "none", "--out", out.string()});
    EXPECT_EQ(ran.exit_code, exit_code) << ran.out << ran.error;
    return read_record(out / "record.json");
  }

  ordered_json json_of_record() const {
    return ordered_json::parse(test_support::slurp(files_.path() / "out" / "record.json"));
  }

  /// Status and reason of each variant that has no time.
  std::map<std::string, std::string> unmeasured() const {
    std::map<std::string, std::string> out;
    const ordered_json whole = json_of_record();
    for (const auto& entry : whole.at("unmeasured"))
      out[entry.at("variant")] =
          entry.at("status").get<std::string>() + ": " + entry.at("reason").get<std::string>();
    return out;
  }

  test_support::temporary_directory files_;
};

TEST_F(WrappedKernels, AreCheckedTimedAndCounted) {
  ordered_json json = add_json();
  json["variants"] = {variant("fatbin", "add.fatbin", "add"), variant("ptx", "add.ptx", "add"),
                      variant("by_four", "add.fatbin", "add_by_four")};
  json["variants"][2]["grid"] = "ceil_div(elements, 1024)";
  const record made = run(json, 0, R"(["cold-clean", "hot", "rotating"])");
  EXPECT_EQ(made.cases.size(), 9u);
  const ordered_json whole = json_of_record();
  for (const auto& entry : whole.at("benchmarks")) {
    EXPECT_EQ(entry.at("check").at("against"), "fatbin") << entry.at("name");
    EXPECT_EQ(entry.at("kernels").size(), 1u) << entry.at("name");
  }
  // Two files have a kernel of this name, so records tell them apart.
  const auto& kernels = whole.at("context").at("ablate").at("kernels");
  ASSERT_TRUE(kernels.contains("add@fatbin")) << kernels.dump();
  for (const auto& [architecture, facts] : kernels.at("add@fatbin").items())
    EXPECT_GT(facts.at("registers").get<int>(), 0) << architecture;
}

TEST_F(WrappedKernels, CostTheirCaseAloneWhereALaunchIsWrong) {
  ordered_json json = add_json();
  for (const char* name :
       {"plain", "too_large_a_block", "too_much_shared_memory", "one_element", "no_memory", "last"})
    json["variants"].push_back(
        variant(name, "add.fatbin", std::string(name) == "one_element" ? "add_but_one" : "add"));
  auto& variants = json["variants"];
  variants[1]["block"] = "elements / 512";
  variants[2]["dynamic_shared_bytes"] = 1 << 20;
  variants[4]["arguments"][2] = nullptr;  // the kernel faults
  const record made = run(json, 3, R"(["cold-clean"])");
  ASSERT_EQ(made.cases.size(), 2u);
  const auto found = unmeasured();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_THAT(found.at("too_large_a_block"), HasSubstr("failed: a block of 2048; expected 1 to 1024"));
  EXPECT_THAT(found.at("too_much_shared_memory"), HasSubstr("failed: "));
  EXPECT_THAT(found.at("one_element"), HasSubstr("wrong: "));
  EXPECT_THAT(found.at("one_element"), HasSubstr("out[524288]"));
  EXPECT_THAT(found.at("no_memory"), HasSubstr("failed: "));
}

TEST_F(WrappedKernels, ThatGiveAKeptOutputAgainAreWrongInEveryCacheState) {
  ordered_json json = add_json();
  json["variants"] = {variant("plain", "add.fatbin", "add"), variant("once", "add.fatbin", "add_once")};
  for (const char* cache : {R"(["cold-clean"])", R"(["hot"])", R"(["rotating"])"}) {
    const record made = run(json, 3, cache, 1 << 18);
    ASSERT_EQ(made.cases.size(), 1u) << cache;
    EXPECT_EQ(made.cases[0].variant, "plain");
    EXPECT_THAT(unmeasured().at("once"), HasSubstr("wrong: timed launches")) << cache;
    EXPECT_THAT(unmeasured().at("once"), HasSubstr("with a few elements of the inputs changed: out["))
        << cache;
    std::filesystem::remove_all(files_.path() / "out");
  }
}

TEST_F(WrappedKernels, WhoseInputsMustNotChangeCanKeepTheirOutput) {
  // The converse: the fault above is found by the change of inputs, and by nothing else.
  ordered_json json = add_json();
  for (auto& array : json["arrays"])
    if (array.at("role") == "input") array["change"] = false;
  json["variants"] = {variant("plain", "add.fatbin", "add"), variant("once", "add.fatbin", "add_once")};
  EXPECT_EQ(run(json, 0, R"(["cold-clean"])", 1 << 18).cases.size(), 2u);
}

TEST_F(WrappedKernels, OfTritonStandBesideCudas) {
  const int of_this_gpu = 10 * properties().major + properties().minor;
  if (compute_capability() < of_this_gpu)
    ABLATE_LACKS("triton", "Triton compiles for this GPU, and this build for an older one");
  const auto cache = files_.path() / "cache";
  const auto compiled = test_support::run_program(
      {"python3", test_support::source_path("tests/harness/wrapped/data/triton_add.py")},
      {"TRITON_CACHE_DIR=" + cache.string()});
  if (compiled.exit_code != 0) ABLATE_LACKS("triton", compiled.error);
  std::filesystem::path triton;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache))
    if (entry.path().filename() == "add_kernel.json") triton = entry.path();
  ASSERT_FALSE(triton.empty());

  ordered_json json = add_json(), other = variant("triton", "", "");
  for (const char* key : {"code", "entry", "block"}) other.erase(key);
  other["triton"] = triton.string();
  other["grid"] = "ceil_div(elements, 1024)";
  json["variants"] = {variant("cuda", "add.fatbin", "add"), other};
  json["baseline"] = "cuda";
  // Triton's code is for this GPU, and so the baseline's must be for no later one.
  const record made = run(json, 0, R"(["cold-clean"])", 1 << 26);
  ASSERT_EQ(made.cases.size(), 2u);
  std::map<std::string, double> dram_bytes;
  for (const auto& c : made.cases) {
    const auto read = c.counters.value("dram__bytes_read.sum"),
               written = c.counters.value("dram__bytes_write.sum");
    if (!read || !written) ABLATE_LACKS("counters", c.counters.reason);
    dram_bytes[c.variant] = *read + *written;
  }
  EXPECT_NEAR(dram_bytes.at("triton") / dram_bytes.at("cuda"), 1, 0.01);
  const ordered_json whole = json_of_record();
  EXPECT_TRUE(whole.at("context").at("ablate").at("kernels").contains("add_kernel"));
}

TEST_F(WrappedKernels, OfAPluginRunOnItsStream) {
  const auto suite = files_.write("suite.json", R"({"name": "copy", "description": "d", "cases": [
      {"operation": "plugin_copy", "axes": {"elements": 1000000}, "cache": ["cold-clean", "hot"]}]})");
  const auto ran = test_support::run_ablate({"wrap", wrapped_test::built_file("plugin.so"), "run",
                                             suite.string(), "--device", "0", "--ceilings", "none", "--out",
                                             (files_.path() / "out").string()});
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.error;
  EXPECT_EQ(read_record(files_.path() / "out" / "record.json").cases.size(), 2u);
  const auto found = unmeasured();
  EXPECT_THAT(found.at("all_but_one"), HasSubstr("wrong: "));
  EXPECT_THAT(found.at("all_but_one"), HasSubstr("out[999999]"));
  EXPECT_THAT(found.at("once"),
              HasSubstr("wrong: timed launches, with a few elements of the inputs changed: out["));
  EXPECT_THAT(found.at("none"),
              HasSubstr("failed: plugin_copy/none returned 3: no copy of 1000000 elements today"));
}

}  // namespace
}  // namespace ablate::wrapped_kernels_gpu_test
