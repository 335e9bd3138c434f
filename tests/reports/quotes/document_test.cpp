#include "reports/quotes/document.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "reports/quotes/quoted_figure.h"
#include "reports/text/text_file.h"
#include "tests/reports/made_claims.h"
#include "tests/support/paths.h"
#include "tests/support/refusal.h"

namespace ablate::reports::quotes_document_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A document, what it quotes, and a folder that holds the made record of made_cases().
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

  quoted_document quoted(const std::string& document, const std::string& quotes,
                         const std::string& not_measured = "[]") const {
    write("document.md", document);
    write("quotes.json", R"({"base": {"record": "made", "value": "time_us.median", "unit": "us",
                             "of": {"operation": "scatter"}}, "quotes": [)" +
                             quotes + R"(], "not_measured": )" + not_measured + "}");
    return quote_figures(folder_ / "document.md", folder_ / "quotes.json");
  }

  std::string refusal(const std::string& document, const std::string& quotes,
                      const std::string& not_measured = "[]") const {
    return test_support::refusal_from([&] { quoted(document, quotes, not_measured); });
  }

  std::filesystem::path folder_;
};

const std::string rows_direct = R"("of": {"variants": "direct", "axes": {"layout": "rows"}})";

std::string sentence(const std::string& text, const std::string& figures) {
  return R"({"text": ")" + text + R"(", "figures": {)" + figures + "}}";
}

TEST_F(Quotes, FiguresStandWhereTheTextSaysHoweverItsLinesBreak) {
  const std::string both = sentence("takes {us} us, {speedup} times",
                                    R"("us": {)" + rows_direct + R"(, "digits": 3}, "speedup": {)" +
                                        rows_direct + R"(, "over": {"variants": "packed"}, "decimals": 1})");
  const quoted_document out = quoted("Direct takes 7.13\nus, 12 345\n  times as long. 7.13 stays.\n", both);
  EXPECT_EQ(out.text, "Direct takes 8.00\nus, 4.0\n  times as long. 7.13 stays.\n");
  EXPECT_EQ(out.bare, "Direct takes #\nus, #\n  times as long. 7.13 stays.\n");
  const std::string broken = sentence("takes\\n {us} us", R"("us": {)" + rows_direct + R"(, "digits": 3})");
  EXPECT_EQ(quoted("Direct takes 7 us.\n", broken).text, "Direct takes 8.00 us.\n");
}

TEST_F(Quotes, EveryRoundingKeepsTheWholePart) {
  const auto rounded = [&](const std::string& scale, const std::string& rounding) {
    return quoted("0\n", sentence("{n}", R"("n": {)" + rows_direct + ", \"scale\": " + scale + ", " +
                                             rounding + "}"))
        .text;
  };
  EXPECT_EQ(rounded("1.21875", R"("digits": 2)"), "9.8\n");
  EXPECT_EQ(rounded("1.245", R"("digits": 2)"), "10\n") << "9.96";
  EXPECT_EQ(rounded("1234.5", R"("digits": 3)"), "9876\n");
  EXPECT_EQ(rounded("16000.25", R"("digits": 3)"), "128 002\n");
  EXPECT_EQ(rounded("0.001", R"("digits": 1)"), "0.008\n");
  EXPECT_EQ(rounded("0.125", R"("decimals": 2)"), "1.00\n");
}

TEST_F(Quotes, ExtremesCountsAndPercentagesOfASelection) {
  const std::string over = R"("of": {"variants": ["merged", "packed"]}, "over": {"variants": "direct"})";
  const auto one = [&](const std::string& how) {
    return quoted("7\n", sentence("{n}", R"("n": {)" + over + ", " + how + "}")).text;
  };
  EXPECT_EQ(one(R"("aggregate": "min", "decimals": 2)"), "0.25\n");
  EXPECT_EQ(one(R"("aggregate": "max", "as": "percent_more", "decimals": 0)"), "300\n");
  EXPECT_EQ(one(R"("aggregate": "min", "as": "percent_less", "decimals": 0)"), "75\n");
  EXPECT_EQ(one(R"("aggregate": "min", "as": "percent", "decimals": 0)"), "25\n");
  EXPECT_EQ(one(R"("aggregate": "count", "within": {"at_most": 1}, "digits": 1)"), "2\n");
}

TEST_F(Quotes, WhatIsNotOneFigureIsRefused) {
  const auto refused = [&](const std::string& figure) {
    return refusal("7\n", sentence("{n}", R"("n": {)" + figure + R"(, "digits": 3})"));
  };
  EXPECT_THAT(refused(R"("of": {"variants": "direct"})"),
              HasSubstr("/quotes/0/figures/n: expected one case or an aggregate, found 2: scatter/direct"));
  EXPECT_THAT(refused(R"("of": {"variants": "absent"})"), HasSubstr("the record has no such case"));
  EXPECT_THAT(refused(rows_direct + R"(, "over": {"variants": "absent"})"),
              HasSubstr("no case to divide it by"));
  EXPECT_THAT(refused(rows_direct + R"(, "value": "counters.values.absent")"),
              HasSubstr("counters.values.absent"));
  EXPECT_THAT(refused(rows_direct + R"(, "at_most": 7.9)"),
              HasSubstr("the figure is 8 now, outside of what its sentence says"));
  EXPECT_THAT(refused(rows_direct + R"(, "typo": 1)"), HasSubstr("typo"));
}

TEST_F(Quotes, AFigureOfAnotherFileIsRefusedWhereItIsNone) {
  write("other.json", R"({"counts": {"a": 7}, "word": "x7y"})");
  const auto refused = [&](const std::string& figure) {
    return refusal("7\n", sentence("{n}", R"("n": {"file": "other.json", )" + figure + R"(, "digits": 3})"));
  };
  EXPECT_THAT(refused(R"("matching": "(")"), HasSubstr("/matching: expected a regular expression"));
  EXPECT_THAT(refused(R"("matching": "\"(word)\"")"),
              HasSubstr("expected a group that is a number, found 'word'"));
  EXPECT_THAT(refused(R"("at": "counts")"), HasSubstr("/at: expected a JSON pointer"));
  EXPECT_THAT(refused(R"("at": "/counts/a", "decimals": 1e9)"), HasSubstr("/decimals: "));
}

TEST_F(Quotes, ATableMayEndTheDocumentWithoutALineBreak) {
  const std::string table = R"json({"table": "| layout | direct |",
    "rows": [{"label": "rows", "base": {"of": {"axes": {"layout": "rows"}}}}],
    "columns": [{"text": "{us}", "base": {"of": {"variants": "direct"}}, "figures": {"us": {"digits": 2}}}]})json";
  const std::string head = "| layout | direct |\n| --- | ---: |";
  EXPECT_EQ(quoted("\n" + head + "\n| old | 1 |", table).text, "\n" + head + "\n| rows | 8.0 |\n");
  EXPECT_EQ(quoted("\n" + head, table).text, "\n" + head + "\n| rows | 8.0 |\n");
}

TEST_F(Quotes, ATextMustStandInTheDocumentOnce) {
  const std::string quote = sentence("takes {us} us", R"("us": {)" + rows_direct + R"(, "digits": 3})");
  EXPECT_THAT(refusal("It takes long.\n", quote), HasSubstr("document.md does not have this text"));
  EXPECT_THAT(refusal("It takes 1 us. It takes 2 us.\n", quote), HasSubstr("has this text more than once"));
}

TEST_F(Quotes, TablesAreWrittenWhole) {
  const std::string table = R"json({"table": "| layout | merged |", "bold": "lowest",
    "rows": [{"label": "rows, 1000", "base": {"of": {"axes": {"layout": "rows"}}}},
             {"label": "columns", "base": {"of": {"axes": {"layout": "columns"}}}}],
    "columns": [
      {"text": "{us} ({speedup}x)", "base": {"of": {"variants": "merged"}},
       "figures": {"us": {"digits": 2}, "speedup": {"of": {"variants": "direct"}, "over": {"variants": "merged"},
                   "decimals": 1}}},
      {"text": "{us}", "base": {"of": {"variants": "direct"}}, "figures": {"us": {"digits": 2}}},
      {"text": "{us}", "base": {"of": {"variants": "absent"}}, "figures": {"us": {"digits": 2}}}]})json";
  const std::string head = "Before.\n\n| layout | merged | direct | absent |\n| --- | ---: | ---: | ---: |\n";
  const quoted_document out = quoted(head + "| old | 1 | 2 | 3 |\n| more | 1 | 2 | 3 |\n\nAfter.\n", table);
  EXPECT_EQ(
      out.text,
      head + "| rows, 1000 | **4.0 (2.0x)** | 8.0 | – |\n| columns | 16 (0.5x) | **8.0** | – |\n\nAfter.\n");
  EXPECT_THAT(numbers_in(out.bare), testing::SizeIs(1)) << "the label's own number";
}

TEST_F(Quotes, NumbersThatNothingHoldsAreFound) {
  const std::string quote = sentence("takes {us} us", R"("us": {)" + rows_direct + R"(, "digits": 3})");
  const std::string document =
      "It takes 8 us on an H200, sm_80, `1.5`, [3](4.md).\n\n```\n5\n```\n\n1 000 rows, 3.5 times,\nCMake "
      "3.25.";
  const auto left = [&](const std::string& not_measured) {
    std::vector<std::string> out;
    for (const auto& [line, number] : numbers_in(quoted(document, quote, not_measured).bare))
      out.push_back(std::to_string(line) + ": " + number);
    return out;
  };
  EXPECT_THAT(left("[]"), ElementsAre("1: 3", "7: 1 000", "7: 3.5", "8: 3.25"));
  EXPECT_THAT(left(R"(["[3]", "1 000 rows", "3.5 times", "CMake 3.25"])"), IsEmpty());
  EXPECT_THAT(refusal(document, quote, R"(["CMake 4"])"), HasSubstr("/not_measured/0: "));
}

TEST_F(Quotes, OtherFilesGiveNumbersToo) {
  write("other.json",
        R"({"gates": [{"pct": 0, "end": "PASS", "n": 28}, {"pct": 0, "end": "FAIL"}, {"pct": 3}]})");
  write("other.md", "| killed | 127 of 1 136 |\n");
  const auto one = [&](const std::string& figure) {
    return quoted("7\n", sentence("{n}", R"("n": {)" + figure + R"(, "digits": 1})")).text;
  };
  EXPECT_EQ(one(R"("file": "other.json", "at": "/gates")"), "3\n");
  EXPECT_EQ(one(R"("file": "other.json", "in": "/gates/0", "at": "/n")"), "28\n");
  EXPECT_EQ(one(R"("file": "other.json", "at": "/gates", "having": {"pct": 0, "end": "FAIL"})"), "1\n");
  EXPECT_EQ(one(R"("file": "other.md", "matching": "of ([0-9 ]+) ")"), "1136\n");
  const auto refused = [&](const std::string& figure) {
    return refusal("7\n", sentence("{n}", R"("n": {)" + figure + R"(, "digits": 1})"));
  };
  EXPECT_THAT(refused(R"("file": "other.json", "at": "/gates/9")"), HasSubstr("has nothing there"));
  EXPECT_THAT(refused(R"("file": "other.md", "matching": "of none")"), HasSubstr("has nothing that matches"));
}

TEST_F(Quotes, RecordsMayStandInAnotherFolder) {
  std::filesystem::create_directories(folder_ / "quotes");
  write("document.md", "It takes 1 us.\n");
  write("quotes/document.json",
        R"({"records": "..", "base": {"record": "made", "value": "time_us.median",
    "unit": "us", "of": {"operation": "scatter"}}, "quotes": [)" +
            sentence("takes {us} us", R"("us": {)" + rows_direct + R"(, "digits": 1})") +
            R"(], "not_measured": []})");
  EXPECT_EQ(quote_figures(folder_ / "document.md", folder_ / "quotes/document.json").text,
            "It takes 8 us.\n");
}

TEST_F(Quotes, RowsOfClaimsAreTheLedgers) {
  write("claims.md",
        "| source | claims | refuted |\n| --- | ---: | ---: |\n| all | 2 | 1 |\n\n| suite | record |\n| --- "
        "| --- |\n"
        "| one | r.json |\n\n"
        "| [c-1](claims/list.md#c-1) | It is so. | h100 | refuted | 0.5 to 2 | at most 1 | - | one |\n"
        "| [c-2](claims/list.md#c-2) | And so. | - | reproduced | 3 | 3 | - | one |\n");
  const std::string quote = R"({"ledger": "claims.md"})";
  const quoted_document out = quoted(
      "| source | claims |\n| --- | ---: |\n| a study | 7 |\n\n"
      "| [c-2](results/h200/claims/list.md#c-2) | Otherwise. | refuted | 4 | 3 |\n"
      "| [c-1](../../h200/claims/list.md#c-1) | From another folder. | refuted | 4 | 3 |\n"
      "| [claims](claims.md) | is no claim |\n\n"
      "After [c-1](results/h200/claims/list.md#c-1).\n",
      quote);
  EXPECT_EQ(out.text,
            "| source | claims | refuted |\n| --- | ---: | ---: |\n| all | 2 | 1 |\n\n"
            "| [c-2](results/h200/claims/list.md#c-2) | And so. | reproduced | 3 | 3 |\n"
            "| [c-1](../../h200/claims/list.md#c-1) | It is so. | refuted | 0.5 to 2 | at most 1 |\n"
            "| [claims](claims.md) | is no claim |\n\n"
            "After [c-1](results/h200/claims/list.md#c-1).\n");
  EXPECT_THAT(refusal("\n| [c-9](results/h200/claims/list.md#c-9) | x | y | z | 1 |\n", quote),
              HasSubstr("document.md: line 2: the ledger has no claim 'c-9'"));
}

/// The documents whose figures are held to records, each with its quotes: README.json is the README's,
/// findings.json that of the index of the findings, and every other that of docs/findings/NAME.md.
std::map<std::filesystem::path, std::filesystem::path> quoted_documents() {
  const std::filesystem::path root = test_support::source_path(), findings = root / "docs" / "findings";
  std::map<std::filesystem::path, std::filesystem::path> out;
  for (const auto& quotes : std::filesystem::directory_iterator(root / "results/h200/quotes")) {
    const std::string name = quotes.path().stem();
    out[name == "README"     ? root / "README.md"
        : name == "findings" ? findings / "README.md"
                             : findings / (name + ".md")] = quotes.path();
  }
  return out;
}

TEST(QuotedDocuments, HaveTheFiguresOfTheCommittedRecords) {
  for (const auto& [document, quotes] : quoted_documents()) {
    const quoted_document out = quote_figures(document, quotes);
    EXPECT_EQ(out.text, read_text_file(document))
        << "a figure is stale or wrong; `scripts/report_results.sh --claims` writes those of the records";
    for (const auto& [line, number] : numbers_in(out.bare))
      ADD_FAILURE() << document << ": line " << line << ": nothing holds " << number << " to a record; "
                    << quotes << " names each figure (docs/quotes.md)";
  }
}

TEST(QuotedDocuments, AreTheReadmeAndEveryFinding) {
  const auto held = quoted_documents();
  EXPECT_TRUE(held.contains(std::filesystem::path(test_support::source_path("README.md"))));
  for (const auto& page : std::filesystem::directory_iterator(test_support::source_path("docs/findings")))
    EXPECT_TRUE(held.contains(page.path())) << page.path() << " has no quotes in results/h200/quotes";
}

}  // namespace
}  // namespace ablate::reports::quotes_document_test
