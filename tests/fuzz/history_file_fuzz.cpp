#include "reports/history/trends.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate dev history trend` and `changes` do, with the file as the history.
void feed_history_file(const std::filesystem::path& file) {
  for (const char* beside : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(file.string() + beside);  // of the file before this one
  history::database from = history::database::open(file);
  from.records();
  std::vector<history::trend> trends;
  for (history::series& s : from.all_series()) trends.push_back(history::trend_of(std::move(s)));
  for (const history::trend& t : trends) history::trend_text(t);
  history::changes_text(trends);
  history::changes_json(trends).dump();
}

const registered history_file_target("history_file", feed_history_file);

}  // namespace
}  // namespace ablate::fuzz
