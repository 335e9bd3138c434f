#include "reports/quotes/document.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "reports/quotes/marked_text.h"
#include "reports/quotes/rounding.h"
#include "tests/reports/made_claims.h"

namespace ablate::reports::quotes_document_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A document beside a folder that holds the record of made_cases().
class Quotes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(written("quoted_record.json", "{}")).parent_path() / "quoted";
    std::filesystem::create_directories(folder_ / "made");
    ordered_json record = made_record();
    record["benchmarks"] = made_cases();
    record["unmeasured"] = ordered_json::array();
    write("made/record.json", record.dump());
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  quoted_document read(const std::string& text, const std::string& defaults = "") const {
    quote_sources sources;
    return read_quotes(
        "# T\n\n<!--quotes records=. record=made operation=scatter " + defaults + "-->\n\n" + text,
        folder_ / "document.md", sources);
  }

  /// "LINE: WHAT", lines counted from the text's first.
  std::vector<std::string> faults(const std::string& text, const std::string& defaults = "") const {
    std::vector<std::string> out;
    for (const auto& [line, says] : read(text, defaults).faults)
      out.push_back(std::to_string(static_cast<int>(line) - 4) + ": " + says);
    return out;
  }

  /// What the mark's figure is.
  std::string figure(const std::string& mark, const std::string& shown = "0") const {
    const quoted_document out = read("x <!--q " + mark + "-->" + shown + "\n");
    if (out.marks.size() == 1) return out.marks.front().expected;
    return out.faults.empty() ? "nothing" : out.faults.front().says;
  }

  std::filesystem::path folder_;
};

TEST_F(Quotes, AMarkHoldsTheNumberBehindIt) {
  EXPECT_THAT(faults("Takes <!--q direct layout=rows #3-->8.00 us, <!--q ^ / packed .1-->4.0\ntimes.\n"),
              IsEmpty());
  const std::string wrong =
      "Takes <!--q direct layout=rows #3-->8.01 us, <!--q ^ / packed .1-->4.1\ntimes.\n";
  EXPECT_THAT(faults(wrong), ElementsAre(HasSubstr("1: found 8.01, expected 8.00: "),
                                         HasSubstr("1: found 4.1, expected 4.0: ")));
  EXPECT_THAT(read(wrong).text, HasSubstr("-->8.00 us, <!--q ^ / packed .1-->4.0\ntimes."));
  EXPECT_THAT(faults("<!--q direct layout=rows #3-->µs\n"), ElementsAre("1: no number follows the mark"));
  EXPECT_THAT(faults("<!--q direct layout=rows #3-->-8.00\n"),
              ElementsAre(HasSubstr("found -8.00, expected 8.00")));
  EXPECT_THAT(
      faults(
          "It is <!--q direct layout=rows minus packed #1 -->6, and <!--q packed minus direct layout=rows #1 -->-6.\n",
          "layout=rows"),
      IsEmpty());
}

TEST_F(Quotes, EveryRoundingKeepsTheWholePart) {
  EXPECT_EQ(rounded_number(9.75, "#2"), "9.8");
  EXPECT_EQ(rounded_number(9.96, "#2"), "10");
  EXPECT_EQ(rounded_number(9876, "#3"), "9876");
  EXPECT_EQ(rounded_number(128002, "#3"), "128 002");
  EXPECT_EQ(rounded_number(-1128002.5, ".1"), "-1 128 002.5");
  EXPECT_EQ(rounded_number(0.008, "#1"), "0.008");
  EXPECT_EQ(rounded_number(1, ".2"), "1.00");
  EXPECT_EQ(rounded_number(0, "#3"), "0");
}

TEST_F(Quotes, FiguresOfSeveralCasesStateHowManyAndTheirMedian) {
  const std::string over = "merged,packed / direct ";
  EXPECT_EQ(figure(over + "min .2 n=4 median=1.25"), "0.25");
  EXPECT_EQ(figure(over + "max %more .0 n=4 median=25"), "300");
  EXPECT_EQ(figure(over + "range .2 n=4 median=1.25", "1 to 2"), "0.25 to 4.00");
  EXPECT_EQ(figure(over + "median .2"), "1.25");
  EXPECT_EQ(figure(over + "count<=1 #1"), "2");
  EXPECT_EQ(figure(over + "min % .0 n=4 median=125"), "25");
  EXPECT_EQ(figure("packed layout=rows / direct %less .0"), "75");
  EXPECT_THAT(
      faults("<!--q " + over + "max .0-->4 and <!--q " + over + "range .2 n=3 median=2-->0.25 to\n4.00\n"),
      ElementsAre(HasSubstr("found n=nothing, expected n=4"),
                  HasSubstr("found median=nothing, expected median=1"), HasSubstr("found n=3, expected n=4"),
                  HasSubstr("found median=2, expected median=1.25")));
  EXPECT_THAT(read("<!--q " + over + "range .2 n=? median=?-->0 to 1\n").text,
              HasSubstr("range .2 n=4 median=1.25-->0.25 to 4.00\n"));
  EXPECT_THAT(faults("<!--q " + over + "range .2 n=4 median=1.25-->0.25, 4.00\n"),
              ElementsAre(HasSubstr("range: expected 'A to B'"), HasSubstr("no record backs 4.00")));
}

TEST_F(Quotes, WhatIsNotOneFigureIsRefused) {
  EXPECT_THAT(figure("direct #3"),
              HasSubstr("expected one case, or range, min, max, median or count; found 2: scatter/direct"));
  EXPECT_THAT(figure("absent #3"), HasSubstr("the record has no such case"));
  EXPECT_THAT(figure("direct layout=rows / absent #3"), HasSubstr("no case to divide it by"));
  EXPECT_THAT(figure("direct layout=rows value=counters.values.absent #3"),
              HasSubstr("counters.values.absent"));
  EXPECT_THAT(figure("direct layout=rows #3 <=7.9"),
              HasSubstr("the figure is now 8, outside the bounds of its sentence"));
  EXPECT_THAT(figure("direct layout=rows #3 >=8.1"), HasSubstr("outside the bounds of its sentence"));
  EXPECT_THAT(figure("direct layout=rows"), HasSubstr("expected how to round"));
  EXPECT_THAT(figure("direct layout=rows record=absent #1"), HasSubstr("absent/record.json"));
  EXPECT_THAT(figure("^ #1"), HasSubstr("'^': this section has no mark before"));
  EXPECT_EQ(figure("direct layout=rows where=instrumented.hits>=250 #1"), "8");
  EXPECT_THAT(figure("direct layout=rows where=instrumented.hits>=251 #1"), HasSubstr("no such case"));
  EXPECT_EQ(figure("switch.merge=off layout=rows #1"), "8");
}

TEST_F(Quotes, DefaultsHoldToTheEndOfTheirSection) {
  EXPECT_THAT(
      faults(
          "## A\n\n<!--quotes layout=rows #2-->\n\nx <!--q direct-->8.0\n\n### B\n\nx <!--q packed-->2.0\n\n"
          "## C\n\nx <!--q packed-->2.0\n"),
      ElementsAre(HasSubstr("13: expected one case")));
  EXPECT_THAT(
      faults(
          "<!--quotes\n@us value=time_us.median\n@both layout=rows @us\n#2-->\n\nx <!--q @both direct-->8.0\n"),
      IsEmpty());
  EXPECT_THAT(faults("x <!--q direct layout=rows #1-->8\n\n## A\n\nx <!--q ^ packed-->2\n"),
              ElementsAre(HasSubstr("5: '^': this section has no mark before")));
  EXPECT_THAT(faults("<!--quotes ?!-->\n"), ElementsAre(HasSubstr("is not a word of a mark")));
}

TEST_F(Quotes, OtherFilesGiveNumbersToo) {
  write("other.json",
        R"({"gates": [{"pct": 0, "end": "PASS", "n": 28}, {"pct": 0, "end": "FAIL"}, {"pct": 3}]})");
  write("other.md", "| killed | 127 of 1 136 |\nword");
  EXPECT_EQ(figure("file=other.json at=/gates #1"), "3");
  EXPECT_EQ(figure("file=other.json in=/gates/0 at=/n scale=0.5 #1"), "14");
  EXPECT_EQ(figure("file=other.json at=/gates having=pct:0,end:FAIL #1"), "1");
  EXPECT_EQ(figure("file=other.md matching=\"of ([0-9 ]+) \" #1"), "1136");
  EXPECT_EQ(figure("at=/benchmarks #1"), "6") << "of the record";
  EXPECT_THAT(figure("file=other.json at=/gates/9 #1"), HasSubstr("has nothing at /gates/9"));
  EXPECT_THAT(figure("file=other.json at=gates #1"), HasSubstr("expected a JSON pointer"));
  EXPECT_THAT(figure("file=other.json at=/gates having=pct #1"), HasSubstr("expected NAME:VALUE"));
  EXPECT_THAT(figure("file=other.md matching=\"of none\" #1"), HasSubstr("nothing that matches"));
  EXPECT_THAT(figure("file=other.md matching=( #1"), HasSubstr("expected a regular expression"));
  EXPECT_THAT(figure("file=other.md matching=(word) #1"), HasSubstr("'word': expected a number"));
  EXPECT_THAT(figure("file=absent.md matching=(word) #1"), HasSubstr("absent.md"));
}

const std::string head =
    "| layout<!--q bold=lowest--> | merged<!--q merged #2--><!--q direct / merged .1--> | direct<!--q direct #2--> | "
    "absent<!--q absent #2--> |\n| --- | ---: | ---: | ---: |\n";

TEST_F(Quotes, ATablesMarksAreInItsHeaderAndItsFirstColumn) {
  const std::string right = head +
                            "| rows<!--q layout=rows--> | **4.0 (2.0x)** | 8.0 | – |\n"
                            "| columns<!--q layout=columns--> | 16 (0.5x) | **8.0** | – |\n\nAfter.\n";
  EXPECT_THAT(faults(right), IsEmpty());
  EXPECT_EQ(read(right).marks.size(), 6u);
  const std::string wrong = head +
                            "| rows<!--q layout=rows--> | 4.0 (2.1x) | **8.0** | 3 |\n"
                            "| columns<!--q layout=columns--> | 16 | **–** | – |\n"
                            "| 1000<!--q layout=absent--> | – | – | – |\n";
  EXPECT_THAT(faults(wrong), ElementsAre(HasSubstr("3: found 2.1, expected 2.0"),
                                         HasSubstr("3: found 3, expected –: the record has no such case"),
                                         HasSubstr("3: found 4.0 (2.1x), expected it bold"),
                                         HasSubstr("3: found **8.0**, expected it plain"),
                                         HasSubstr("4: found '**–**', expected a figure or –"),
                                         HasSubstr("4: found 16, expected it bold"),
                                         HasSubstr("4: found **–**, expected it plain"),
                                         HasSubstr("5: the record has none of this row's cases"),
                                         HasSubstr("5: no record backs 1000")));
  EXPECT_THAT(read(wrong).text, HasSubstr("| **4.0 (2.0x)** | 8.0 | 3 |\n"));
  const std::string twice =
      head +
      "| 1<!--q layout=rows--> | **4.0 (2.0x)** | 8.0 | – |\n"
      "| 1<!--q layout=columns--> | 16 (0.5x) | **8.0** | – |\n\n<!--not measured: labels\n| 1 |\n-->\n";
  EXPECT_THAT(faults(twice), ElementsAre("4: another row of figures has this label: 1"));
  EXPECT_THAT(faults(head + "| rows<!--q layout=rows--> | **4.0 (2.0x)** | – | – |"),
              ElementsAre(HasSubstr("3: found –, expected 8.0: the record has this case")));
  EXPECT_THAT(faults("| a | b<!--q direct #1--><!--q ^ / packed--> | c |\n| - | - | - |\n"
                     "| r<!--q layout=rows--> | 8 (4) | <!--q packed #1-->2 (<!--q ^ merged-->4) 7 |\n"),
              ElementsAre(HasSubstr("3: no record backs 7")));
  EXPECT_THAT(faults("| a | b<!--q matching=\"|\" #1--> |\n| - | - |\n"),
              ElementsAre(HasSubstr("a mark needs \\| for each |")));
}

TEST_F(Quotes, NumbersThatNothingHoldsAreFound) {
  const std::string text =
      "x <!--q direct layout=rows #1-->8 us on an H200, sm_80, `1.5`, [3](4.md).\n\n```\n5 <!--q-->\n```\n\n1 000 rows, 3.5 times,\n"
      "CMake 3.25. <!-- 9 -->\n\n";
  const auto left = faults(text);
  EXPECT_THAT(left, ElementsAre(HasSubstr("1: no record backs 3:"), HasSubstr("7: no record backs 1 000:"),
                                HasSubstr("7: no record backs 3.5:"), HasSubstr("8: no record backs 3.25:")));
  const std::string why = "<!--not measured: sizes\n[3]\n1 000 rows\n3.5 times, CMake 3.25\n";
  EXPECT_THAT(faults(text + why + "-->\n"), IsEmpty());
  EXPECT_THAT(faults(text + why + "CMake 4\n-->\n"),
              ElementsAre("14: the document does not have this text: CMake 4"));
  EXPECT_THAT(faults("<!--not measured\n-->\n"), ElementsAre(HasSubstr("expected <!--not measured: WHY")));
  EXPECT_THAT(faults("<!--q direct"), ElementsAre(HasSubstr("a comment without an end")));
}

TEST_F(Quotes, UpToIsTheMostOfSeveralCases) {
  EXPECT_THAT(faults("Up to <!--q direct layout=rows / packed #1-->4.\n"),
              ElementsAre(HasSubstr("1: 'up to' needs")));
  EXPECT_THAT(faults("up\nto **<!--q direct / packed #1 max n=2 median=2-->4**.\n"), IsEmpty());
  EXPECT_THAT(faults("down to <!--q direct / packed #1 max n=2 median=2-->4.\n"),
              ElementsAre(HasSubstr("'down to' needs")));
}

TEST_F(Quotes, AToBIsARangeOfCasesOrTwoThatAreNamed) {
  const std::string a = "x <!--q direct layout=rows / merged #1-->2", b = "<!--q ^ / packed #1";
  EXPECT_THAT(faults(a + "× to " + b + "-->4.\n"), ElementsAre(HasSubstr("1: 'A to B' needs")));
  EXPECT_THAT(faults(a + "–" + b + "-->4.\n"), ElementsAre(HasSubstr("1: 'A to B' needs")));
  EXPECT_THAT(faults(a + " to " + b + " named-->4.\n"), IsEmpty());
  EXPECT_THAT(faults(a + ", and to " + b + "-->4.\n"), IsEmpty());
  EXPECT_THAT(
      faults(
          "x <!--q direct / merged min #1 n=2 median=1-->0.5 to <!--q direct / packed max #1 n=2 median=2-->4.\n"),
      IsEmpty());
}

TEST_F(Quotes, FastestIsHeldAgainstEveryVariantOfTheRecord) {
  EXPECT_THAT(faults("A. The fastest takes <!--q packed layout=rows #1-->2 us.\n"),
              ElementsAre(HasSubstr("1: 'fastest' needs a mark")));
  EXPECT_THAT(faults("The fastest takes <!--q packed layout=rows #1 fastest-->2 us.\n"), IsEmpty());
  EXPECT_THAT(faults("The fastest is <!--q direct / packed layout=rows .1 fastest-->4.0 times as fast.\n",
                     "layout=rows"),
              IsEmpty());
  EXPECT_THAT(faults("The fastest takes <!--q layout=rows best=lowest #1-->2 us.\n"), IsEmpty());
  EXPECT_THAT(
      faults("The fastest takes <!--q merged layout=rows #1 fastest-->4 us.\n"),
      ElementsAre(HasSubstr(
          "merged is not the fastest (4 us): scatter/packed/items=1000/layout=rows/@cold-clean takes 2 us")));
  EXPECT_THAT(faults("<!--q packed layout=rows fastest-->The fastest is packed.\n"), IsEmpty());
  EXPECT_THAT(faults("<!--q packed fastest-->The fastest is packed.\n"),
              ElementsAre(HasSubstr("packed is not the fastest (32 us)")));
  EXPECT_THAT(faults("A grid that is z-fastest, and `fastest`.\n"), IsEmpty());
  EXPECT_THAT(faults("Which is fastest?\n\n<!--not measured: a question\nWhich is fastest\n-->\n"),
              IsEmpty());
}

TEST_F(Quotes, LeadsFromASizeOnAreHeldAgainstEveryVariantOfTheRecord) {
  std::vector<ordered_json> cases;
  for (const auto& [items, direct, packed] : {std::tuple(1000, 1.0, 2.0), std::tuple(2000, 3.0, 2.0),
                                              std::tuple(4000, 2.0, 2.5), std::tuple(80000, 9.0, 2.5)})
    for (const auto& [variant, us] : {std::pair("direct", direct), std::pair("packed", packed)}) {
      cases.push_back(made_case(variant, "rows", {us, us, us}));
      cases.back()["axes"]["items"] = std::to_string(items);
      cases.back()["name"] =
          "scatter/" + std::string(variant) + "/items=" + std::to_string(items) + "/layout=rows/@cold-clean";
    }
  ordered_json record = made_record();
  record["benchmarks"] = cases;
  record["unmeasured"] = ordered_json::array();
  write("made/record.json", record.dump());
  EXPECT_THAT(faults("It leads from <!--q packed leads=items-->80 000 on.\n"), IsEmpty());
  EXPECT_THAT(faults("It leads at every size from <!--q packed leads=items-->2000 on.\n"),
              ElementsAre(HasSubstr("found 2000, expected 80 000")));
  EXPECT_THAT(faults("It leads from <!--q direct leads=items-->1000 on.\n"),
              ElementsAre(HasSubstr("does not lead at the largest size: scatter/packed")));
  EXPECT_THAT(faults("It leads from 1000 on.\n\n<!--not measured: sizes\n1000\n-->\n"),
              ElementsAre(HasSubstr("'leads from N on' needs")));
  EXPECT_THAT(figure("packed leads=size"), HasSubstr("the cases have no such axis"));
}

TEST_F(Quotes, RowsOfClaimsAreTheLedgers) {
  write(
      "claims.md",
      "| source | claims | refuted |\n| --- | ---: | ---: |\n| all | 2 | 1 |\n\n| suite | record |\n| --- | --- |\n"
      "| one | r.json |\n\n| [c-1](claims/list.md#c-1) | It is so. | h100 | refuted | 0.5 to 2 | at most 1 | - | one |\n");
  const std::string right =
      "| [c-1](results/claims/list.md#c-1) | It is so. | refuted | 0.5 to 2 | at most 1 |\n";
  const std::string wrong =
      "| [c-1](results/claims/list.md#c-1) | It is so. | refuted | 0.5 to 3 | at most 1 |\n";
  EXPECT_THAT(faults(right, "ledger=claims.md"), IsEmpty());
  EXPECT_THAT(faults(wrong, "ledger=claims.md"),
              testing::Contains(HasSubstr("1: found rows of claims that are not the ledger's")));
  EXPECT_THAT(read(wrong, "ledger=claims.md").text, HasSubstr(right));
  EXPECT_THAT(faults("| [c-9](results/claims/list.md#c-9) | x |\n", "ledger=claims.md"),
              testing::Contains(HasSubstr("the ledger has no claim 'c-9'")));
}

TEST(MarkedText, ShowsWhatIsNoComment) {
  EXPECT_EQ(without_comments("a <!--q x-->1 <!-- no\nmark -->b `<!--q-->` ``` c\n"),
            "a 1 b `<!--q-->` ``` c\n");
  EXPECT_TRUE(is_quoted("<!--not measured: a\nb\n-->"));
  EXPECT_FALSE(is_quoted("<!--queue--> <!-- q -->\n```\n<!--q-->\n```\n"));
}

}  // namespace
}  // namespace ablate::reports::quotes_document_test
