#include "base/record/selection.h"

#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// As the words after `ablate best RECORD`, and as `--filter` where they are no regular expression.
void feed_selection(const std::filesystem::path& file) {
  static const std::vector<case_words> cases = all_case_words(read_record(seed("record/whole.json")));
  const std::string text = test_support::slurp(file);
  const selection chosen(selection_words(text), cases, file.string());
  for (const case_words& c : cases) chosen.selects(c);
  chosen.why_none(cases);
  if (!case_filter::is_selection(text)) return;
  const case_filter filter(text, cases, file.string());
  for (const case_words& c : cases) filter.holds(c);
}

const registered selection_target("selection", feed_selection);

}  // namespace
}  // namespace ablate::fuzz
