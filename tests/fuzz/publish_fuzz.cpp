#include "base/record/merge.h"
#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/redact.h"
#include "base/text/json_text.h"
#include "harness/cli/data_sheets.h"
#include "reports/verify/verify.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate dev record` does, with a file that is named twice.
void feed_merge(const std::filesystem::path& file) {
  const merge_input input = read_merge_input(reports::parse_record_as_written(file), file.string());
  whole_record(merged_record({input, input}, {}), true, file.string());
}

/// As `ablate dev verify` does, beside another record, and as `--redact` does.
void feed_verify(const std::filesystem::path& file) {
  static const verify::checked_record beside = verify::read(seed("record/whole.json"));
  const verify::verification found = verify::verify({verify::read(file)}, {beside}, all_that_is_known());
  verify::verification_text(found, 1);
  verify::verification_json(found).dump();
  reports::json_text(redacted(reports::parse_record_as_written(file)));
}

const registered merge_target("merge", feed_merge);
const registered verify_target("verify", feed_verify);

}  // namespace
}  // namespace ablate::fuzz
