#include "reports/quotes/document.h"

#include <stdexcept>
#include <string>

#include "reports/text/bad_input.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

namespace fs = std::filesystem;

/// As `ablate dev quote` does. Figures are of files that the quotes name, wherever they are.
void quote(const fs::path& document, const fs::path& quotes) try {
  reports::numbers_in(reports::quote_figures(document, quotes).bare);
} catch (const bad_input& refusal) {
  const std::string said = refusal.what();
  if (!said.starts_with("/"))
    throw std::logic_error("expected a refusal that begins with a file's name, found: " + said);
  throw bad_input(quotes.string(), "", said);
}

/// What the seeds name lies beside the file.
void give(const fs::path& file, const char* name, const char* from) {
  fs::create_directories((file.parent_path() / name).parent_path());
  fs::copy_file(seed(from), file.parent_path() / name, fs::copy_options::skip_existing);
}

void feed_quotes(const fs::path& file) {
  give(file, "made/record.json", "record/whole.json");
  quote(seed("quoted_document/document.md"), file);
}

void feed_quoted_document(const fs::path& file) {
  give(file, "made/record.json", "record/whole.json");
  give(file, "quotes.json", "quotes/every_kind.json");
  quote(file, file.parent_path() / "quotes.json");
}

const registered quotes_target("quotes", feed_quotes);
const registered quoted_document_target("quoted_document", feed_quoted_document);

}  // namespace
}  // namespace ablate::fuzz
