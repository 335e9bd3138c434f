#include "reports/verify/dates.h"

#include <cstdio>

namespace ablate::verify {

std::optional<std::chrono::sys_seconds> parse_date(const std::string& text) {
  int year = 0, hour = 0, minute = 0, second = 0, offset_hours = 0, offset_minutes = 0, read = 0;
  unsigned month = 0, day = 0;
  char sign = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%c%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &sign, &offset_hours, &offset_minutes, &read) != 9 ||
      static_cast<std::size_t>(read) != text.size() || (sign != '+' && sign != '-'))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::chrono::minutes offset = std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes);
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) - (sign == '+' ? offset : -offset);
}

}  // namespace ablate::verify
