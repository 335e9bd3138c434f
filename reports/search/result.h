#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/search/imported.h"
#include "reports/search/strategy.h"

namespace ablate::search {

/// What a search was asked, beside what it found.
struct request {
  std::string operation;
  named_words axes;
  std::string cache_state;
  std::string strategy;  ///< halving or random
  std::uint64_t seed;
  double budget_s;
};

/// A search that ended.
struct result {
  request asked;
  const space* of;
  outcome found;
  std::optional<std::size_t> baseline;
  double spent_s;
  std::size_t replayed;  ///< measurements that the journal had
  std::string device, date, program_version;
  std::string record;  ///< the folder
  std::optional<imported_times> imported;
};

}  // namespace ablate::search
