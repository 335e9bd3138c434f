#include "reports/plots/figures.h"

#include <gmock/gmock.h>

#include "base/text/bad_input.h"
#include "reports/report/report.h"
#include "tests/reports/counted_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::reports::figures_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> named(const std::vector<std::string>& all, const std::vector<std::string>& names) {
  std::vector<plot> plots;
  for (const std::string& name : all) plots.push_back({name, "", {}});
  std::vector<const plot*> pointers;
  for (const plot& p : plots) pointers.push_back(&p);
  std::vector<std::string> out;
  for (const plot* p : plots_named(pointers, names)) out.push_back(p->name);
  return out;
}

TEST(Figures, NamesMayHoldStars) {
  const std::vector<std::string> all = {"op-scaling-hot", "op-scaling-cold", "op-floor-hot"};
  EXPECT_EQ(named(all, {"all"}), all);
  EXPECT_THAT(named(all, {"op-floor-hot", "op-scaling-cold"}),
              ElementsAre("op-scaling-cold", "op-floor-hot"));
  EXPECT_THAT(named(all, {"*-hot"}), ElementsAre("op-scaling-hot", "op-floor-hot"));
  EXPECT_THAT(named(all, {"op-*-c*d"}), ElementsAre("op-scaling-cold"));
  EXPECT_THAT(named(all, {"*"}), ElementsAre("op-scaling-hot", "op-scaling-cold", "op-floor-hot"));
}

TEST(Figures, TheFirstUnknownNameIsFound) {
  const std::vector<plot> plots = {{"op-floor-hot", "", {}}, {"op-scaling-hot", "", {}}};
  const std::vector<const plot*> all = {&plots[0], &plots[1]};
  EXPECT_EQ(unknown_figure(all, {"all", "*-hot", "op-floor-hot"}), std::nullopt);
  EXPECT_EQ(unknown_figure(all, {"op-floor-hot", "*-cold", "op"}), "*-cold");
  EXPECT_EQ(unknown_figure({}, {"all"}), std::nullopt);
}

TEST(Figures, ANameThatIsNoneIsRefusedWithTheNearest) {
  EXPECT_THAT(
      [] { named({"op-scaling-hot"}, {"op-scalin-hot"}); },
      ThrowsMessage<bad_input>(HasSubstr("no figure 'op-scalin-hot' (did you mean 'op-scaling-hot'?)")));
  EXPECT_THROW(named({"op-scaling-hot"}, {"*-cold"}), bad_input);
}

TEST(Figures, AReportNamesItsPlots) {
  std::vector<std::string> names;
  for (const figure_name& figure : report_figures({made_record_path()})) names.push_back(figure.name);
  EXPECT_THAT(names, ElementsAre("scatter-scaling-cold-clean", "scatter-speedup-cold-clean",
                                 "scatter-waterfall-merged", "scatter-floor-cold-clean", "scatter-floor-hot",
                                 "scatter-merging", "noise", "device-state"));
}

/// Puts a shell script instead of a program.
void stand_in(const std::filesystem::path& program, const std::string& script) {
  std::filesystem::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::all);
}

TEST(Figures, AreDrawnAloneAndConvertedWhereAConverterIs) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  // Stands in for rsvg-convert: says what it was asked for.
  stand_in(out / "programs" / "rsvg-convert", "echo \"$@\" > \"$4\"");
  const environment path("PATH", (out / "programs").string() + ":" + std::getenv("PATH"));
  EXPECT_EQ(write_figures({made_record_path()}, {"scatter-merging"}, out / "figures").note, std::nullopt);
  EXPECT_TRUE(text_of(out / "figures" / "scatter-merging.svg").starts_with("<svg "));
  EXPECT_THAT(text_of(out / "figures" / "scatter-merging.pdf"), HasSubstr("--format pdf"));
  EXPECT_THAT(text_of(out / "figures" / "scatter-merging.png"), HasSubstr("--zoom 3.125"));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(out / "figures"))
    files.push_back(entry.path().filename().string());
  EXPECT_THAT(files, ::testing::UnorderedElementsAre("scatter-merging.vl.json", "scatter-merging.svg",
                                                     "scatter-merging.pdf", "scatter-merging.png"));
}

TEST(Figures, AFontThatIsNotInstalledIsNamedWithTheOneInItsPlace) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  stand_in(out / "programs" / "rsvg-convert", "true");
  stand_in(out / "programs" / "fc-match", "printf 'Any Sans'");
  const environment path("PATH", (out / "programs").string() + ":" + std::getenv("PATH"));
  paper_format format;
  format.font = "No Such Serif";
  const auto note = write_figures({made_record_path()}, {"scatter-merging"}, out, format).note;
  ASSERT_TRUE(note);
  EXPECT_THAT(*note, HasSubstr("PDF and PNG have the font Any Sans in place of No Such Serif"));
  format.font = "Any Sans";
  EXPECT_EQ(write_figures({made_record_path()}, {"scatter-merging"}, out, format).note, std::nullopt);
}

TEST(Figures, ABrowserConvertsToo) {
  for (const char* package : {"vega-lite", "playwright-core"})
    if (const auto why = why_no_node(package); !why.empty()) ABLATE_LACKS("node", why);
  if (!find_browser()) ABLATE_LACKS("browser", "chromium is not installed (apt-get install chromium)");
  if (process::find_program("rsvg-convert"))
    ABLATE_LACKS("no_rsvg_convert", "rsvg-convert is there, so no browser is asked");
  const auto out = fresh_folder();
  EXPECT_EQ(write_figures({made_record_path()}, {"scatter-merging"}, out).note, std::nullopt);
  EXPECT_TRUE(text_of(out / "scatter-merging.pdf").starts_with("%PDF-"));
  const std::string png = text_of(out / "scatter-merging.png");
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  // Width in bytes 16 to 19: 3.125 times that of the SVG.
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(png[at]); };
  const int width = byte(16) << 24 | byte(17) << 16 | byte(18) << 8 | byte(19);
  const std::string svg = text_of(out / "scatter-merging.svg");
  const double drawn = std::stod(svg.substr(svg.find(" width=\"") + 8));
  EXPECT_NEAR(width, 3.125 * drawn, 4);
}

// In two columns' width and in one, where words have the widths that a browser gives them.
TEST(Figures, NoWordOfAPaperIsCutOffOrCoversAnything) {
  for (const char* package : {"vega-lite", "playwright-core"})
    if (const auto why = why_no_node(package); !why.empty()) ABLATE_LACKS("node", why);
  if (!find_browser()) ABLATE_LACKS("browser", "chromium is not installed (apt-get install chromium)");
  const auto out = fresh_folder();
  const auto record = counted_record(out);
  std::vector<std::string> command = {"node",
                                      test_support::source_path("tests/reports/plots/figures_browser.mjs"),
                                      renderer_directory().string(), find_browser()->string()};
  for (const char* width : {"3.4in", "7in"}) {
    paper_format format;
    format.width_px = width_px_of("--width", width);
    std::vector<std::string> names;
    for (const figure_name& figure : report_figures({record}))
      if (figure.name.find("timeline") == std::string::npos && figure.name != "device-state")
        names.push_back(figure.name);
    for (const drawn_figure& figure : write_figures({record}, names, out / width, format).figures)
      command.push_back(figure.path.string());
  }
  const process::result result = process::run(command);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Figures, WithoutAConverterALineSaysSo) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  const auto programs = out / "programs";  // node alone
  std::filesystem::create_directories(programs);
  std::filesystem::create_symlink(*process::find_program("node"), programs / "node");
  const environment path("PATH", programs.string());
  const auto missing = write_figures({made_record_path()}, {"scatter-merging"}, out).note;
  ASSERT_TRUE(missing);
  EXPECT_THAT(*missing, HasSubstr("No PDF or PNG"));
  EXPECT_TRUE(std::filesystem::exists(out / "scatter-merging.svg"));
}

TEST(Figures, WithoutNodeThereIsNone) {
  const auto out = fresh_folder();
  const environment nothing("PATH", (out / "nowhere").string());
  EXPECT_THAT([&] { write_figures({made_record_path()}, {"all"}, out); },
              ThrowsMessage<std::runtime_error>(HasSubstr("node is not installed")));
}

}  // namespace
}  // namespace ablate::reports::figures_test
