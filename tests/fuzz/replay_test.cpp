#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "tests/reports/made_record.h"
#include "tests/support/slurp.h"

// What scripts/fuzz.sh does for minutes with libFuzzer, done for a second without it: the targets on their
// seeds and on mutations of these that are the same in every run.

namespace ablate::fuzz::replay_test {
namespace {

constexpr std::size_t mutations_of_a_target = 300;
constexpr std::uint32_t max_changes = 4;

std::vector<std::filesystem::path> seeds_of(const target& of) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(seed(of.name))) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string mutated(std::string text, random_stream& random) {
  for (std::uint32_t changes = 1 + random.below(max_changes); changes > 0; --changes) {
    auto changed = random.below(4) > 0 ? with_a_node_changed(text, random) : std::optional<std::string>();
    text = changed ? std::move(*changed) : with_bytes_changed(text, random);
  }
  return text;
}

class Fuzz : public ::testing::TestWithParam<target> {
 protected:
  /// No plots are drawn: node would start for each input.
  const reports::environment no_renderer_{"ABLATE_REPORTS_DIR", "/nonexistent"};
};

TEST_P(Fuzz, ReadsItsSeeds) {
  for (const auto& path : seeds_of(GetParam())) {
    SCOPED_TRACE(path.string());
    EXPECT_EQ(feed(GetParam(), test_support::slurp(path)), outcome::read);
  }
}

TEST_P(Fuzz, ReadsOrRefusesMutationsOfItsSeeds) {
  const auto seeds = seeds_of(GetParam());
  for (std::size_t i = 0; i < mutations_of_a_target; ++i) {
    random_stream random(i, GetParam().name);
    const std::string bytes = mutated(test_support::slurp(seeds[i % seeds.size()]), random);
    try {
      feed(GetParam(), bytes);
    } catch (const std::exception& finding) {
      FAIL() << finding.what() << "\nby mutation " << i << ":\n" << bytes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, ::testing::ValuesIn(targets()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace ablate::fuzz::replay_test
