#include "harness/counters/metric_groups_file.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void feed_metric_groups(const std::filesystem::path& file) {
  for (const char* silicon : {"GH100", "GA100"}) read_metric_groups(file, silicon);
}

const registered metric_groups_target("metric_groups", feed_metric_groups);

}  // namespace
}  // namespace ablate::fuzz
