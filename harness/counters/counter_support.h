#pragma once

#include <optional>
#include <span>
#include <string>

namespace ablate {

/// What CUPTI answers about one property of the platform (CUpti_Profiler_Support_Level).
enum class support_level { unknown, unsupported, disabled, supported };

struct support_answer {
  support_level level;
  const char* where;  ///< "on this architecture"
};

/// Why no counters can be read, by the first answer that forbids them; nothing where none does.
std::optional<std::string> why_no_counters(std::span<const support_answer>);

}  // namespace ablate
