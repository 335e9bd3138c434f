#include "reports/record.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void read(const std::filesystem::path& file) { read_checked_record(file); }

const registered record_target("record", read);

}  // namespace
}  // namespace ablate::fuzz
