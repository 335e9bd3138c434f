#include "base/text/text_file.h"
#include "reports/quotes/document.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

namespace fs = std::filesystem;

/// What the seeds name is beside the file.
void give(const fs::path& file, const char* name, const char* from) {
  fs::create_directories((file.parent_path() / name).parent_path());
  fs::copy_file(seed(from), file.parent_path() / name, fs::copy_options::skip_existing);
}

/// As `ablate dev quote --write` does, twice: what it writes is read again.
void feed_quoted_document(const fs::path& file) {
  give(file, "made/record.json", "record/whole.json");
  give(file, "claims.md", "ledger/claims");
  reports::quote_sources sources;
  const reports::quoted_document first = reports::read_quotes(reports::read_text_file(file), file, sources);
  reports::read_quotes(first.text, file, sources);
}

const registered quoted_document_target("quoted_document", feed_quoted_document);

}  // namespace
}  // namespace ablate::fuzz
