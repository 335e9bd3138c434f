#include "base/record/record.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void feed_record(const std::filesystem::path& file) { read_checked_record(file); }

const registered record_target("record", feed_record);

}  // namespace
}  // namespace ablate::fuzz
