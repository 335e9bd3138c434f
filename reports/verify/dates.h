#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace ablate::verify {

/// A record's date, "2026-11-27T16:03:12+00:00", in UTC; nothing for what is none.
std::optional<std::chrono::sys_seconds> parse_date(const std::string&);

}  // namespace ablate::verify
