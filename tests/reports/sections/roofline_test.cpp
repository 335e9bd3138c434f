#include "reports/sections/roofline.h"

#include <algorithm>
#include <map>
#include <set>

#include "reports/plots/vega.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports::roofline_test {
namespace {

using nlohmann::ordered_json;

/// The made record with FLOPs: 64 a byte, under roofs of 1 TB/s and 40 TFLOP/s.
record with_flops(const std::filesystem::path& folder) {
  record r = read_record(counted_record(folder));
  r.ceilings["tensor_bf16_flops"] = {0, 40e12, "ceilings/mma"};
  r.ceilings["dram_copy_bytes"] = {0, 1e12, "ceilings/copy"};
  r.ceilings["dram_read_bytes"] = {0, 1.5e12, "ceilings/read"};
  for (measured_case& c : r.cases) c.work.flops = c.ceiling ? 0 : 64 * c.work.bytes;
  return r;
}

TEST(Roofline, CountedBytesStandUnderTheFastestRoofs) {
  const record r = with_flops(fresh_folder());
  const operation_view view(r, "scatter");
  const auto plots = roofline_plots(r, view);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].name, "scatter-roofline-cold-clean");
  const ordered_json& drawn = plots[0].specification;
  const ordered_json& roofs = drawn["layer"][0]["data"]["values"];
  ASSERT_EQ(roofs.size(), 4u);
  EXPECT_EQ(roofs[0]["roof"], "DRAM read 1.50 TB/s");
  EXPECT_DOUBLE_EQ(roofs[1]["x"].get<double>(), 40 / 1.5);  // the ridge
  EXPECT_EQ(roofs[2]["roof"], "tensor bf16 40.0 TFLOP/s");
  EXPECT_EQ(drawn["data"]["values"].size(), 41u);  // of 42 cases one has no counters
  const ordered_json& row = drawn["data"]["values"][0];
  for (const measured_case& c : r.cases)
    if (c.name == row["case"].get<std::string>()) {
      const double moved =
          *c.counters.value("dram__bytes_read.sum") + *c.counters.value("dram__bytes_write.sum");
      EXPECT_DOUBLE_EQ(row["intensity"].get<double>(), c.work.flops / moved);
      EXPECT_DOUBLE_EQ(row["flop_s"].get<double>(), c.work.flops / (c.time.median_us * 1e-6));
      EXPECT_DOUBLE_EQ(row["roof_pct"].get<double>(), 100 * row["flop_s"].get<double>() / 40e12);
    }
}

TEST(Roofline, RoofsAreThoseOfThePipe) {
  record r = with_flops(fresh_folder());
  r.ceilings["tensor_bf16_wgmma_flops"] = {0, 50e12, "ceilings/wgmma"};
  r.ceilings["fma_f32_flops"] = {0, 5e12, "ceilings/fma"};
  const auto names_of_roofs = [&](const std::string& pipe) {
    for (measured_case& c : r.cases) c.work.flop_pipe = pipe;
    std::set<std::string> out;
    for (const plot& p : roofline_plots(r, operation_view(r, "scatter")))
      for (const ordered_json& end : p.specification["layer"][0]["data"]["values"]) out.insert(end["roof"]);
    return out;
  };
  const std::set<std::string> fma = {"DRAM read 1.50 TB/s", "fma f32 5.00 TFLOP/s"};
  const std::set<std::string> tensor = {"DRAM read 1.50 TB/s", "tensor bf16 40.0 TFLOP/s",
                                        "tensor bf16 wgmma 50.0 TFLOP/s"};
  EXPECT_EQ(names_of_roofs("fma_f32"), fma);
  EXPECT_EQ(names_of_roofs("tensor_bf16"), tensor);
  EXPECT_EQ(names_of_roofs("").size(), 4u);  // as in records that name no pipe
  EXPECT_TRUE(names_of_roofs("fma_f64").empty());
}

TEST(Roofline, CasesStandAgainstTheFastestRoofOfTheirOwnPipe) {
  record r = with_flops(fresh_folder());
  r.ceilings["tensor_bf16_wgmma_flops"] = {0, 50e12, "ceilings/wgmma"};
  r.ceilings["fma_f32_flops"] = {0, 5e12, "ceilings/fma"};
  for (measured_case& c : r.cases) {
    c.work.flops *= 100;       // where rates of FLOPs bind
    c.time.median_us *= 1000;  // below the roofs: a share above 100 % is not drawn
    c.work.flop_pipe = c.variant == "direct" ? "fma_f32" : c.variant == "merged" ? "tensor_bf16" : "fma_f64";
  }
  const auto plots = roofline_plots(r, operation_view(r, "scatter"));
  ASSERT_EQ(plots.size(), 1u);
  std::set<std::string> drawn;
  for (const ordered_json& row : plots[0].specification["data"]["values"]) {
    drawn.insert(row["variant"]);
    EXPECT_DOUBLE_EQ(row["roof_pct"].get<double>(),
                     100 * row["flop_s"].get<double>() / (row["variant"] == "direct" ? 5e12 : 50e12));
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"direct", "merged"}));  // no ceiling for the third
}

TEST(Roofline, DeclaredBytesStandInWhereNoneWereCounted) {
  record r = with_flops(fresh_folder());
  for (measured_case& c : r.cases) c.counters.values.clear();
  const auto plots = roofline_plots(r, operation_view(r, "scatter"));
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].specification["data"]["values"].size(), 42u);
  EXPECT_DOUBLE_EQ(plots[0].specification["data"]["values"][0]["intensity"].get<double>(), 64);
  EXPECT_NE(plots[0].specification["title"].dump().find("the declared ones are used"), std::string::npos);
}

/// Counters of the made record's cases, where `has`, and their ceilings.
record with_levels(const std::filesystem::path& folder, bool (*has)(const measured_case&)) {
  record r = with_flops(folder);
  r.ceilings["l2_bytes"] = {0, 5e12, "ceilings/read_l2"};
  r.device["multiprocessors"] = 100;
  for (measured_case& c : r.cases)
    if (c.counters.any() && has(c))
      for (const auto& [name, value] : {std::pair{"lts__t_sectors_srcunit_tex.sum", 1000.0},
                                        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 500.0},
                                        {"sm__cycles_elapsed.avg.per_second", 1.5e9}}) {
        std::erase_if(c.counters.values, [&](const auto& of) { return of.first == name; });
        c.counters.values.emplace_back(name, written_number(value));
      }
  return r;
}

TEST(Roofline, EachLevelOfMemoryHasACeilingAndAMark) {
  const record r = with_levels(fresh_folder(), [](const measured_case& c) { return c.variant == "merged"; });
  const auto plots = roofline_plots(r, operation_view(r, "scatter"));
  ASSERT_EQ(plots.size(), 1u);
  const ordered_json& panels = plots[0].specification["concat"];
  ASSERT_EQ(panels.size(), 3u);
  const auto slope_of = [&](std::size_t panel) {
    const ordered_json& end = panels[panel]["layer"][0]["data"]["values"][0];
    return end["y"].get<double>() / end["x"].get<double>();
  };
  EXPECT_DOUBLE_EQ(slope_of(0), 1.5e12);
  EXPECT_DOUBLE_EQ(slope_of(1), 5e12);
  EXPECT_DOUBLE_EQ(slope_of(2), 128 * 100 * 1.5e9) << "bytes a clock and multiprocessor";
  EXPECT_EQ(panels[1]["layer"][0]["data"]["values"][0]["roof"], "L2 5.00 TB/s");
  std::map<std::string, std::size_t> marks;
  for (const ordered_json& row : plots[0].specification["data"]["values"]) {
    ++marks[row["level"].get<std::string>()];
    const auto c = std::find_if(r.cases.begin(), r.cases.end(),
                                [&](const auto& one) { return one.name == row["case"].get<std::string>(); });
    if (row["level"] == "L2") {
      EXPECT_DOUBLE_EQ(row["intensity"].get<double>(), c->work.flops / (1000.0 * 32));
    }
    if (row["level"] == "shared memory") {
      EXPECT_DOUBLE_EQ(row["intensity"].get<double>(), c->work.flops / (500.0 * 128));
    }
  }
  EXPECT_EQ(marks["DRAM"], 41u);
  EXPECT_EQ(marks["L2"], 14u) << "of the variant that has the counter";
  EXPECT_EQ(marks["shared memory"], 14u);
  // A level's panel draws its own marks.
  EXPECT_EQ(panels[1]["layer"].back()["transform"][0]["filter"], "datum.level === 'L2'");
}

TEST(Roofline, ALevelThatNothingCountedHasNoPanel) {
  record r = with_levels(fresh_folder(), [](const measured_case& c) { return c.variant == "merged"; });
  const auto levels = [&] {
    const ordered_json spec = roofline_plots(r, operation_view(r, "scatter")).at(0).specification;
    return spec.contains("concat") ? spec["concat"].size() : 1;
  };
  r.ceilings.erase("l2_bytes");
  EXPECT_EQ(levels(), 2u);
  for (measured_case& c : r.cases)
    std::erase_if(c.counters.values,
                  [](const auto& of) { return of.first.starts_with("l1tex__data_pipe_lsu"); });
  EXPECT_EQ(levels(), 1u);
}

TEST(Roofline, ThereIsNoneWithoutFlopsOrRoofs) {
  const auto folder = fresh_folder();
  record r = read_record(counted_record(folder));
  EXPECT_TRUE(roofline_plots(r, operation_view(r, "scatter")).empty());
  r = with_flops(folder);
  r.ceilings.erase("tensor_bf16_flops");
  EXPECT_TRUE(roofline_plots(r, operation_view(r, "scatter")).empty());
}

TEST(Roofline, OfManyVariantsTheFastestHaveColorsOfTheirOwn) {
  record r = with_flops(fresh_folder());
  for (const measured_case& c : std::vector<measured_case>(r.cases))
    for (int i = 0; i < 20 && c.variant == "sorted"; ++i) {
      measured_case& slower = r.cases.emplace_back(c);
      slower.variant = fmt::format("slower_{:02}", i);
      slower.name.replace(slower.name.find("sorted"), 6, slower.variant);
      slower.time.median_us *= 2;
    }
  const auto plots = roofline_plots(r, operation_view(r, "scatter"));
  ASSERT_EQ(plots.size(), 1u);
  std::set<std::string> groups;
  for (const ordered_json& row : plots[0].specification["data"]["values"]) {
    groups.insert(row["group"]);
    EXPECT_TRUE(row["group"] == row["variant"] || row["group"] == other_variants);
  }
  EXPECT_EQ(groups.size(), 17u);
  for (const char* told : {"direct", "merged", other_variants}) EXPECT_TRUE(groups.count(told)) << told;
}

TEST(Roofline, DeclaredWorkStandsBesideCounted) {
  const record r = read_record(counted_record(fresh_folder()));
  const table work = work_table(operation_view(r, "scatter"));
  ASSERT_EQ(work.lines.size(), 3u);
  EXPECT_EQ(work.lines[1].cells[0], "merged");
  EXPECT_EQ(work.lines[1].cells[2], "14");
  // 18 bytes of DRAM for each point, and for each of 8192 cells that are cleared, where 16 a point are
  // declared: with 2^17 points in the middle, with 2^14 at most. No FLOPs and no atomics are declared.
  EXPECT_EQ(work.lines[1].cells[5], "1.20");
  EXPECT_EQ(work.lines[1].cells[6], "1.69");
  EXPECT_EQ(work.header.size(), 7u);
  for (const table_line& line : work.lines) EXPECT_EQ(line.cells.size(), 7u);
}

}  // namespace
}  // namespace ablate::reports::roofline_test
