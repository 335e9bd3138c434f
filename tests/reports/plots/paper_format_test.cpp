#include "reports/plots/paper_format.h"

#include <gmock/gmock.h>

#include "base/text/bad_input.h"
#include "reports/report/report.h"
#include "tests/reports/counted_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::paper_format_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr double in = 96;
constexpr const char* sweep = "scatter-scaling-rows-cold-clean";

TEST(PaperFormat, LengthsHaveTheUnitsOfPapers) {
  EXPECT_DOUBLE_EQ(width_px_of("--width", "3.4in"), 326.4);
  EXPECT_DOUBLE_EQ(width_px_of("--width", "86mm"), 86 / 25.4 * in);
  EXPECT_DOUBLE_EQ(width_px_of("--width", "8.6 cm"), 8.6 / 2.54 * in);
  EXPECT_DOUBLE_EQ(width_px_of("--width", "252pt"), 336);
  EXPECT_DOUBLE_EQ(width_px_of("--width", "400px"), 400);
  EXPECT_DOUBLE_EQ(font_size_px_of("--font-size", "9"), 12) << "points where there is no unit";
  EXPECT_DOUBLE_EQ(font_size_px_of("--font-size", "3mm"), 3 / 25.4 * in);
}

TEST(PaperFormat, WhatIsNoLengthIsRefusedWithTheNearestUnit) {
  const auto refuses = [](const char* text, const char* saying) {
    EXPECT_THAT([&] { width_px_of("--width", text); }, ThrowsMessage<bad_input>(HasSubstr(saying))) << text;
  };
  refuses("3.4im", "no unit 'im' (did you mean 'in'?)");
  refuses("3.4", "expected a unit after '3.4', as in '3.4in'");
  refuses("wide", "expected a length such as '3.4in', found 'wide'");
  refuses("-3in", "expected a length");
  refuses("inf in", "expected a");
  refuses("1mm", "expected a width from 1in to 40in, found '1mm'");
  EXPECT_THROW(font_size_px_of("--font-size", "1mi"), bad_input);
  EXPECT_THROW(font_size_px_of("--font-size", "500"), bad_input);
}

/// Each text of a drawing, with its tag.
std::vector<std::pair<std::string, std::string>> texts_of(const std::string& svg) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const std::size_t open = svg.find('>', at), close = svg.find("</text>", at);
    out.emplace_back(svg.substr(at, open - at), svg.substr(open + 1, close - open - 1));
  }
  return out;
}

std::string drawn(const paper_format& format, const std::vector<std::string>& variants = {},
                  const std::string& name = sweep) {
  const auto out = fresh_folder();
  report_options options;
  options.drawn = variants;
  const environment no_converter("PATH", [&] {
    std::filesystem::create_directories(out / "programs");
    std::filesystem::create_symlink(*process::find_program("node"), out / "programs" / "node");
    return (out / "programs").string();
  }());
  write_figures({counted_record(out)}, {name}, out / "figures", format, options);
  return text_of(out / "figures" / (name + ".svg"));
}

TEST(PaperFormat, AFigureHasTheWidthFontAndSizeAskedFor) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  for (const double width : {3.4 * in, 7 * in, 400.0}) {
    const std::string svg = drawn({width, "Crimson & Pro", 10, false});
    EXPECT_NE(svg.find(fmt::format(" width=\"{}\"", width)), std::string::npos) << svg.substr(0, 300);
    EXPECT_TRUE(svg.starts_with("<svg font-family=\"Crimson &amp; Pro\"")) << svg.substr(0, 100);
    EXPECT_EQ(svg.find("font-family", 10), std::string::npos) << "one font for all";
    for (const auto& [tag, text] : texts_of(svg)) EXPECT_THAT(tag, HasSubstr("font-size=\"10px\"")) << text;
    EXPECT_THAT(svg, Not(HasSubstr("time and throughput against")));
  }
}

TEST(PaperFormat, ATitleHasTwoLinesBelowItAtMost) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string svg = drawn({2.5 * in, "", std::nullopt, true});
  EXPECT_THAT(svg, HasSubstr("scatter: time and throughput"));
  const std::string subtitle = svg.substr(svg.find("Imaginary GPU") - 300);
  std::size_t lines = 0;
  for (const auto& [tag, text] : texts_of(svg))
    if (tag.find("fill=\"#444444\"") != std::string::npos)
      for (std::size_t at = text.find("<tspan"); at != std::string::npos; at = text.find("<tspan", at + 1))
        ++lines;
  EXPECT_EQ(lines, 2u) << subtitle;
}

TEST(PaperFormat, WhatDoesNotFitIsSaid) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  EXPECT_THAT(
      [] {
        drawn({1 * in, "", 20, false}, {}, "scatter-speedup-cold-clean");
      },
      ThrowsMessage<bad_input>(HasSubstr("scatter-speedup-cold-clean: does not fit into 1 in")));
}

TEST(PaperFormat, OnlyTheChosenVariantsAreShownInTheirColors) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string all = drawn({}), one = drawn({}, {"merged"});
  const auto words_of = [](const std::string& svg) {
    std::vector<std::string> out;
    for (const auto& [tag, text] : texts_of(svg))
      if (text == "direct" || text == "merged" || text == "sorted") out.push_back(text);
    return out;
  };
  EXPECT_THAT(words_of(all), ElementsAre("merged", "direct", "sorted"));
  EXPECT_THAT(words_of(one), ElementsAre("merged"));
  EXPECT_THAT(one, HasSubstr("#0072B2"));
  EXPECT_THAT(one, Not(HasSubstr("#D55E00")));
}

report_options choosing(const std::vector<std::string>& variants) {
  report_options out;
  out.drawn = variants;
  return out;
}

TEST(PaperFormat, NamesOfFiguresDoNotDependOnTheVariants) {
  const auto record = counted_record(fresh_folder());
  std::vector<std::string> all, chosen;
  for (const figure_name& f : report_figures({record})) all.push_back(f.name);
  for (const figure_name& f : report_figures({record}, choosing({"merged", "sorted"})))
    chosen.push_back(f.name);
  EXPECT_EQ(all, chosen);
}

TEST(PaperFormat, VariantsThatAFigureDoesNotShowAreRefused) {
  const auto out = fresh_folder();
  const auto record = counted_record(out);
  const auto refuses = [&](const std::string& name, const std::vector<std::string>& variants,
                           const char* saying) {
    EXPECT_THAT([&] { write_figures({record}, {name}, out, {}, choosing(variants)); },
                ThrowsMessage<bad_input>(HasSubstr(saying)));
  };
  refuses(sweep, {"mergd"}, "no variant 'mergd' (did you mean 'merged'?)");
  refuses("noise", {"merged"}, "figure 'noise' has no choice of variants");
  refuses("scatter-speedup-cold-clean", {"direct"},
          "figure 'scatter-speedup-cold-clean' shows none of direct");
  refuses("scatter-speedup-cold-clean", {"direct", "merged"}, "none of these figures shows variant 'direct'");
  refuses("scatter-speedup-cold-claen", {"merged"}, "(did you mean 'scatter-speedup-cold-clean'?)");
}

TEST(PaperFormat, ACaptionHasAllThatATitleSays) {
  const ordered_json spec = {
      {"title", {{"text", {"a", "b"}}, {"subtitle", {"GPU · hot", "usual: x=1", "note"}}}}};
  EXPECT_EQ(caption_of(spec), "a b. GPU · hot; usual: x=1; note.");
  EXPECT_EQ(caption_of({{"title", {{"text", "Why?"}, {"subtitle", {"GPU", "x=1", "note"}}}}}),
            "Why? GPU · x=1; note.");
}

}  // namespace
}  // namespace ablate::reports::paper_format_test
