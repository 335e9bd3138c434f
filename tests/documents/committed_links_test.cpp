#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/slurp.h"

namespace ablate::committed_links_test {
namespace {

const std::filesystem::path source = test_support::source_path();

/// What git has of the tree, from its root; empty outside of a clone.
std::set<std::string> tracked_files() {
  if (!process::find_program("git")) return {};
  const auto listed = process::run({"git", "-c", "safe.directory=*", "-C", source.string(), "ls-files"});
  if (listed.exit_code != 0) return {};
  std::set<std::string> out;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) out.insert(line);
  return out;
}

/// The targets of a text's links, without those in fenced blocks and inline code, where brackets are no
/// links.
std::vector<std::string> links_in(const std::string& markdown) {
  std::vector<std::string> out;
  std::istringstream lines(markdown);
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced) continue;
    bool code = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '`') code = !code;
      if (code || line.compare(i, 2, "](") != 0) continue;
      const std::size_t end = line.find(')', i);
      const std::string target = line.substr(i + 2, end == std::string::npos ? end : end - i - 2);
      if (end != std::string::npos && target.find(' ') == std::string::npos) out.push_back(target);
    }
  }
  return out;
}

/// A heading's anchor as code hosts make it.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
      out += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      out += '-';
  }
  return out;
}

std::set<std::string> anchors_in(const std::string& markdown) {
  std::set<std::string> out;
  std::map<std::string, int> seen;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor = anchor_of(line.substr(line.find_first_not_of("# ")));
    const int before = seen[anchor]++;
    out.insert(before == 0 ? anchor : fmt::format("{}-{}", anchor, before));
  }
  return out;
}

/// Why a link of a file leads nowhere, or an empty text.
std::string why_broken(const std::set<std::string>& tracked, const std::string& file,
                       const std::string& link) {
  if (link.find("://") != std::string::npos || link.starts_with("mailto:")) return "";
  const std::string path = link.substr(0, link.find('#'));
  std::string target =
      path.empty() ? file : (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
  if (target.ends_with('/')) target.pop_back();
  const auto folder = tracked.lower_bound(target + "/");
  const bool is_folder = target == "." || (folder != tracked.end() && folder->starts_with(target + "/"));
  if (!tracked.contains(target)) return is_folder ? "" : "git has no such file";
  if (link.find('#') == std::string::npos || !target.ends_with(".md")) return "";
  const std::string anchor = link.substr(link.find('#') + 1);
  return anchors_in(test_support::slurp(source / target)).contains(anchor) ? ""
                                                                           : "that file has no such heading";
}

TEST(CommittedLinks, LeadToWhatIsCommitted) {
  const std::set<std::string> tracked = tracked_files();
  if (tracked.empty()) ABLATE_LACKS("clone", "not a clone: git does not know the tree");
  std::size_t links = 0;
  for (const std::string& file : tracked) {
    if (!file.ends_with(".md") || !std::filesystem::exists(source / file)) continue;
    for (const std::string& link : links_in(test_support::slurp(source / file))) {
      ++links;
      const std::string why = why_broken(tracked, file, link);
      EXPECT_EQ(why, "") << file << ": " << link;
    }
  }
  EXPECT_GT(links, 100u);
}

TEST(Links, ThatLeadNowhereAreFound) {
  const std::set<std::string> tracked = {"README.md", "docs/record.md", "docs/figures/a.svg"};
  EXPECT_EQ(why_broken(tracked, "docs/record.md", "figures/a.svg"), "");
  EXPECT_EQ(why_broken(tracked, "docs/record.md", "../docs/figures"), "");
  EXPECT_EQ(why_broken(tracked, "docs/record.md", "https://example.org"), "");
  EXPECT_EQ(why_broken(tracked, "docs/record.md", "plots/a.svg"), "git has no such file");
  EXPECT_EQ(why_broken(tracked, "README.md", "docs/record.md#no-such-heading"),
            "that file has no such heading");
  EXPECT_EQ(links_in("![a](b.svg) `[c](d)` [e](f.md#g)\n```\n[h](i)\n```\n"),
            (std::vector<std::string>{"b.svg", "f.md#g"}));
  EXPECT_EQ(anchor_of("From the journal, and from older records"), "from-the-journal-and-from-older-records");
}

// A summary is read on a code host: short, with the few pictures that it shows beside it.
TEST(CommittedSummaries, FitAPageAndShowSmallPictures) {
  std::size_t summaries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "results")) {
    if (entry.path().filename() != "summary.md" ||
        !std::filesystem::exists(entry.path().parent_path() / "record.json.xz"))
      continue;
    ++summaries;
    const std::string text = test_support::slurp(entry.path());
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 250) << entry.path();
    for (const std::string& link : links_in(text)) {
      if (!link.ends_with(".svg")) continue;
      const auto picture = entry.path().parent_path() / link;
      ASSERT_TRUE(std::filesystem::exists(picture)) << picture;
      EXPECT_LT(std::filesystem::file_size(picture), 60'000u) << picture;
    }
    EXPECT_NE(text.find("](answer.svg)"), std::string::npos) << entry.path() << ": no picture of the answer";
  }
  EXPECT_GE(summaries, 20u);
}

}  // namespace
}  // namespace ablate::committed_links_test
