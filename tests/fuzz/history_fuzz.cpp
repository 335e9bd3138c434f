#include "reports/history/trends.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate dev history add` does, then `trend` and `changes`, with the file as the record.
void feed_history(const std::filesystem::path& file) {
  history::database into = history::database::open_for_adding(":memory:");
  into.add(file);
  into.add(file);
  std::vector<history::trend> trends;
  for (history::series& s : into.all_series()) trends.push_back(history::trend_of(std::move(s)));
  for (const history::trend& t : trends) {
    history::trend_text(t);
    history::trend_plot(t).specification.dump();
  }
  history::changes_text(trends);
  history::changes_json(trends).dump();
}

const registered history_target("history", feed_history);

}  // namespace
}  // namespace ablate::fuzz
