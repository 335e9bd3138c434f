#include <gtest/gtest.h>

#include "harness/cli/doctor_checks.h"

namespace ablate::doctor_test {
namespace {

TEST(Doctor, EveryItemIsLookedAtAndWhatIsNotOkHasARemedyOfOneLine) {
  const std::vector<finding> findings = examine(this_machine({}));
  std::vector<std::string> items;
  for (const finding& f : findings) {
    items.push_back(f.item);
    EXPECT_EQ(f.remedy.empty(), f.found == finding::level::ok) << f.item;
    EXPECT_FALSE(f.detail.empty()) << f.item;
    EXPECT_EQ((f.detail + f.remedy).find('\n'), std::string::npos) << f.item;
  }
  EXPECT_EQ(items, doctor_items());
}

TEST(Doctor, DataDirectoriesAreChecked) {
  const auto data = [](const std::vector<std::filesystem::path>& directories) {
    for (const finding& f : examine(this_machine(directories)))
      if (f.item == "data") return f;
    return finding{};
  };
  EXPECT_EQ(data({}).found, finding::level::missing);
  EXPECT_EQ(data({"/"}).found, finding::level::ok);
  EXPECT_EQ(data({"/", "/no/such/place"}).found, finding::level::warn);
}

TEST(Doctor, TextHasALineForEachItem) {
  EXPECT_EQ(to_text({{"gpu", finding::level::missing, "no driver", "install it"},
                     {"node", finding::level::ok, "/bin/node", ""}}),
            "MISSING  gpu           no driver -> install it\n"
            "OK       node          /bin/node\n");
}

TEST(Doctor, JsonNamesStatusAndRemedy) {
  EXPECT_EQ(to_json(std::vector<finding>{{"gpu", finding::level::warn, "odd", "look"},
                                         {"node", finding::level::ok, "here", ""}})
                .dump(),
            R"({"findings":[{"item":"gpu","status":"WARN","detail":"odd","remedy":"look"},)"
            R"({"item":"node","status":"OK","detail":"here","remedy":null}]})");
}

TEST(Doctor, ReadsTheDriversProfilingPermission) {
  EXPECT_EQ(counters_are_restricted("ResmanDebugLevel: 1\nRmProfilingAdminOnly: 1\nOther: 0\n"), true);
  EXPECT_EQ(counters_are_restricted("RmProfilingAdminOnly: 0"), false);
  EXPECT_EQ(counters_are_restricted("NotRmProfilingAdminOnly: 1\n"), std::nullopt);
  EXPECT_EQ(counters_are_restricted("RmProfilingAdminOnly: maybe\n"), std::nullopt);
  EXPECT_EQ(counters_are_restricted(""), std::nullopt);
}

TEST(Doctor, ReadsTheCapabilityFromTheProcessStatus) {
  EXPECT_TRUE(has_sys_admin("Name:\tx\nCapEff:\t000001ffffffffff\n"));
  EXPECT_TRUE(has_sys_admin("CapEff:\t0000000000200000\n"));
  EXPECT_FALSE(has_sys_admin("CapEff:\t00000000a80425fb\n"));
  EXPECT_FALSE(has_sys_admin("CapEff:\tnonsense\n"));
  EXPECT_FALSE(has_sys_admin(""));
}

/// CUDA_VISIBLE_DEVICES shows only the machine's third GPU, which NVML counts as 2.
TEST(Doctor, LooksAtTheGpuThatCudaShows) {
  std::vector<std::string> asked;
  machine here{
      .data_directories = {},
      .gpus = {{.index = 0, .name = "NVIDIA H100 80GB HBM3", .compute_capability = 90, .uuid = "GPU-3"}},
      .why_no_gpu = "",
      .open_nvml = [&](const std::string& device) {
        asked.push_back(device);
        nvml_functions none;
        none.init = [] { return 1; };
        return std::make_unique<nvml>(device, none);
      }};
  const std::vector<finding> findings = examine(here);
  EXPECT_EQ(asked, std::vector<std::string>(3, "GPU-3"));
  for (const finding& f : findings)
    if (f.item == "gpu") {
      EXPECT_EQ(f.detail, "0: NVIDIA H100 80GB HBM3 (GPU-3)");
    }
  here.gpus.clear();
  asked.clear();
  examine(here);
  EXPECT_EQ(asked, std::vector<std::string>(3, "0")) << "without CUDA, NVML's first one";
}

}  // namespace
}  // namespace ablate::doctor_test
