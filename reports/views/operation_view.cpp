#include "reports/views/operation_view.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "base/record/input_marks.h"

namespace ablate::reports {
namespace {

// No page has room for more columns.
constexpr std::size_t max_axis_columns = 8;
// Figures of outputs that depend on the order of atomics vary by less than this between runs.
constexpr double same_quality = 0.05;

/// A mean signed error and what is accepted of it: right outputs have none, what is seen is the chance of
/// their roundings, and no variant is better for it.
bool is_bias(std::string_view figure) {
  return figure == "bias" || figure == "bias_accepted" || figure.ends_with("_bias") ||
         figure.ends_with("_bias_accepted");
}

std::optional<long> integer(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
void add_once(std::vector<T>& to, const T& value) {
  if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

named_words without(const named_words& words, const std::string& name) {
  named_words out = words;
  std::erase_if(out, [&](const auto& word) { return word.first == name; });
  return out;
}

}  // namespace

const measured_case* comparable_cases::of(const std::string& variant) const {
  const auto found = by_variant.find(variant);
  return found == by_variant.end() ? nullptr : found->second;
}

const std::string& comparable_cases::value(std::string_view axis) const {
  static const std::string none;
  const std::string* found = find_word(axes, axis);
  return found ? *found : none;
}

std::string comparable_cases::input_mark() const {
  for (const auto& [variant, c] : by_variant)
    if (std::string mark = reports::input_mark(*c); !mark.empty()) return mark;
  return "";
}

operation_view::operation_view(const record& from, std::string operation) : name(std::move(operation)) {
  for (const auto& facts : from.operations)
    if (facts.name == name) {
      description = facts.description;
      baseline = facts.baseline;
      axis_descriptions_ = facts.axes;
    }
  for (const measured_case& c : from.cases) {
    if (c.operation != name) continue;
    for (const auto& [axis, value] : c.axes) {
      add_once(axes, axis);
      add_once(values_[axis], value);
    }
    add_once(variants, c.variant);
    add_once(cache_states, c.cache_state);
    for (const auto& [figure, value] : c.quality)
      if (!is_bias(figure)) add_once(quality, figure);
    for (const auto& [figure, value] : c.counted) add_once(counted, figure);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const comparable_cases& r) {
      return r.cache_state == c.cache_state && r.method == c.time.method && r.axes == c.axes;
    });
    comparable_cases& in =
        row != rows.end() ? *row
                          : rows.emplace_back(comparable_cases{c.cache_state, c.time.method, c.axes, {}});
    in.by_variant.emplace(c.variant, &c);
  }
  const auto base = std::find(variants.begin(), variants.end(), baseline);
  if (base != variants.end())
    std::rotate(variants.begin(), base, base + 1);
  else if (!variants.empty())
    baseline = variants.front();
  drawn = variants;

  for (auto& [axis, found] : values_)
    if (is_integer(axis))
      std::sort(found.begin(), found.end(),
                [](const auto& a, const auto& b) { return *integer(a) < *integer(b); });
  for (const std::string& axis : axes)
    if (is_integer(axis) && varies(axis) && (!swept || values(axis).size() > values(*swept).size()))
      swept = axis;

  const auto order = [this](const comparable_cases& row) {
    std::vector<std::size_t> ranks = {static_cast<std::size_t>(
        std::find(cache_states.begin(), cache_states.end(), row.cache_state) - cache_states.begin())};
    // Keeps the sizes of one workload together.
    for (const std::string& axis : axes)
      if (axis != swept) ranks.push_back(rank(axis, row.value(axis)));
    if (swept) ranks.push_back(rank(*swept, row.value(*swept)));
    return ranks;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (const comparable_cases& row : rows)
    if (std::string mark = row.input_mark(); !mark.empty()) input_marks_.emplace(row.axes, std::move(mark));
}

std::size_t operation_view::rank(const std::string& axis, const std::string& value) const {
  const auto& all = values_.at(axis);
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), value) - all.begin());
}

std::vector<std::string> operation_view::values(const std::string& axis) const {
  const auto found = values_.find(axis);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> operation_view::varying_axes() const {
  std::vector<std::string> out;
  for (const std::string& axis : axes)
    if (varies(axis)) out.push_back(axis);
  return out;
}

bool operation_view::has_many_axes() const { return varying_axes().size() > max_axis_columns; }

bool operation_view::stands_for_all(const std::string& axis, const std::string& value) const {
  const std::string* described = find_word(axis_descriptions_, axis);
  return value == "0" && described && described->find("all (or 0)") != described->npos;
}

bool operation_view::is_integer(const std::string& axis) const {
  const auto all = values(axis);
  return std::all_of(all.begin(), all.end(),
                     [](const std::string& value) { return integer(value).has_value(); });
}

std::string operation_view::axis_title(const std::string& axis) const {
  const std::string* described = find_word(axis_descriptions_, axis);
  return described && !described->empty() ? axis + " (" + *described + ")" : axis;
}

std::string operation_view::input_mark(const named_words& point) const {
  const auto mark = input_marks_.find(point);
  return mark == input_marks_.end() ? "" : mark->second;
}

std::optional<speed_up> operation_view::speed_up_of(const comparable_cases& row,
                                                    const std::string& variant) const {
  const measured_case* base = row.of(baseline);
  const measured_case* other = row.of(variant);
  if (variant == baseline || !base || !other) return std::nullopt;
  return speed_up_between(*base, *other);
}

speed_up operation_view::speed_up_between(const measured_case& base, const measured_case& other) const {
  return launches ? reports::speed_up_between(*launches, base, other)
                  : reports::speed_up_between(base, other);
}

bool operation_view::is_level(const measured_case& best, const measured_case& other) const {
  const speed_up over = speed_up_between(best, other);
  return over.launches > 1 ? over.includes_one() : other.time.ci95_low_us <= best.time.ci95_high_us;
}

bool operation_view::differs_in_quality(const comparable_cases& row, const std::string& variant) const {
  const measured_case* base = row.of(baseline);
  const measured_case* other = row.of(variant);
  return base && other && differ_in_quality(*base, *other);
}

bool operation_view::differ_in_quality(const measured_case& first, const measured_case& second) const {
  return reports::differ_in_quality(first.quality, second.quality);
}

bool differ_in_quality(const named_figures& first, const named_figures& second) {
  return std::any_of(first.begin(), first.end(), [&](const auto& figure) {
    const auto a = find_counter(first, figure.first), b = find_counter(second, figure.first);
    return a && b && std::abs(*a - *b) > same_quality * std::max(std::abs(*a), std::abs(*b));
  });
}

std::vector<scaling_group> operation_view::scaling_groups(std::size_t minimum_points) const {
  std::vector<std::string> along;
  if (swept) along.push_back(*swept);
  for (const std::string& axis : axes)
    if (is_integer(axis) && varies(axis) && axis != swept) along.push_back(axis);

  std::vector<scaling_group> out;
  for (const std::string& axis : along) {
    std::vector<scaling_group> groups;
    for (const comparable_cases& row : rows) {
      const named_words fixed = without(row.axes, axis);
      auto group = std::find_if(groups.begin(), groups.end(), [&](const scaling_group& g) {
        return g.cache_state == row.cache_state && g.method == row.method && g.fixed == fixed;
      });
      if (group == groups.end())
        group = groups.insert(groups.end(), {axis, row.cache_state, row.method, fixed, {}});
      group->points.push_back(&row);
    }
    for (scaling_group& group : groups) {
      if (group.points.size() < minimum_points) continue;
      std::stable_sort(group.points.begin(), group.points.end(), [&](const auto* a, const auto* b) {
        return rank(axis, a->value(axis)) < rank(axis, b->value(axis));
      });
      out.push_back(std::move(group));
    }
  }
  return out;
}

void operation_view::draw_only(const std::vector<std::string>& chosen) {
  std::erase_if(drawn, [&](const std::string& variant) { return !is_one_of(chosen, variant); });
}

bool is_one_of(const std::vector<std::string>& chosen, const std::string& variant) {
  const std::string name = variant.substr(0, variant.find(", "));
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const std::string& one) { return name == one || name.ends_with(": " + one); });
}

std::vector<operation_view> operation_views(const record& from) {
  std::vector<std::string> names;
  for (const measured_case& c : from.cases)
    if (!c.ceiling) add_once(names, c.operation);
  std::vector<operation_view> out;
  for (const std::string& name : names) out.emplace_back(from, name);
  return out;
}

std::vector<std::string> telling_axes(const operation_view& view, const std::vector<std::string>& axes,
                                      const std::vector<named_words>& points) {
  const auto distinct_points = [&](const std::vector<std::string>& by) {
    std::set<std::vector<std::string>> keys;
    for (const named_words& point : points) {
      std::vector<std::string> key;
      for (const std::string& axis : by) {
        const std::string* value = find_word(point, axis);
        key.push_back(value ? *value : "");
      }
      keys.insert(key);
    }
    return keys.size();
  };
  std::vector<std::string> out;
  for (const std::string& axis : axes)
    if (distinct_points({axis}) > 1) out.push_back(axis);
  for (std::size_t i = out.size(); i-- > 0;) {
    const auto settles = [&](const std::string& other) {
      return other != out[i] && !view.is_integer(other) &&
             distinct_points({other, out[i]}) == distinct_points({other});
    };
    if (!view.is_integer(out[i]) && std::any_of(out.begin(), out.end(), settles))
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

named_words usual_values(const operation_view& view, const std::vector<std::string>& axes) {
  named_words out;
  for (const std::string& axis : axes) {
    std::map<std::string, std::size_t> cases;
    for (const comparable_cases& row : view.rows) cases[row.value(axis)] += row.by_variant.size();
    std::string usual;
    std::size_t most = 0;
    for (const std::string& value : view.values(axis))
      if (cases[value] > most) {
        usual = value;
        most = cases[value];
      }
    out.emplace_back(axis, usual);
  }
  return out;
}

}  // namespace ablate::reports
