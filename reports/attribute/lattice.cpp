#include "reports/attribute/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/bad_input.h"
#include "reports/views/rivals.h"

namespace ablate::attribute {
namespace {

using namespace reports;

constexpr const char* off = "off";

std::string value_of(const named_words& values, const std::string& name) {
  const std::string* found = find_word(values, name);
  return found ? *found : off;
}

void set(named_words& values, const std::string& name, const std::string& value) {
  std::erase_if(values, [&](const auto& one) { return one.first == name; });
  if (value != off) values.emplace_back(name, value);
}

bool are_same(const named_words& a, const named_words& b) {
  const auto holds = [](const named_words& all, const named_words& of) {
    return std::all_of(of.begin(), of.end(),
                       [&](const auto& entry) { return value_of(all, entry.first) == entry.second; });
  };
  return holds(a, b) && holds(b, a);
}

/// Without what is off.
named_words stated(const measured_case& c, const switch_space* space) {
  const auto known = space ? space->values_of(c.variant) : std::nullopt;
  named_words out = known.value_or(c.switches);
  std::erase_if(out, [](const auto& entry) { return entry.second == off; });
  return out;
}

/// Where they differ, in the order in which the two state their switches.
std::vector<switch_change> changes_between(const named_words& from, const named_words& to) {
  std::vector<switch_change> out;
  for (const named_words* stated : {&from, &to})
    for (const auto& entry : *stated) {
      const std::string& name = entry.first;
      const std::string a = value_of(from, name), b = value_of(to, name);
      const bool is_there =
          std::any_of(out.begin(), out.end(), [&](const switch_change& c) { return c.name == name; });
      if (a != b && !is_there) out.push_back({name, a, b});
    }
  return out;
}

/// What is asked of a space, of one that declares nothing too.
class declared {
 public:
  explicit declared(const switch_space* space) : space_(space) {}

  bool has_meaning(const std::string& name, const named_words& values) const {
    return !space_ || space_->has_meaning(name, values);
  }
  /// Takes out what means nothing beside the rest, and then what meant something only beside that.
  void drop_meaningless(named_words& values) const {
    for (bool dropped = true; dropped;) {
      const auto without = std::find_if(values.begin(), values.end(),
                                        [&](const auto& entry) { return !has_meaning(entry.first, values); });
      dropped = without != values.end();
      if (dropped) values.erase(without);
    }
  }

 private:
  const switch_space* space_;
};

/// The players that take away what the follower needs, or bring it: in the point where it means something, it
/// means nothing with the other value of one of these.
std::vector<std::string> leaders_of(const switch_change& of, const std::vector<switch_change>& players,
                                    const named_words& from, const named_words& to, const declared& space) {
  const bool is_of_the_second = of.from == off;
  std::vector<std::string> out;
  for (const switch_change& other : players) {
    named_words values = is_of_the_second ? to : from;
    set(values, other.name, is_of_the_second ? other.from : other.to);
    space.drop_meaningless(values);
    if (!find_word(values, of.name)) out.push_back(other.name);
  }
  return out;
}

const unmeasured_case* unmeasured_at(const record& r, const lattice& of, const std::string& variant) {
  const auto found = std::find_if(r.unmeasured.begin(), r.unmeasured.end(), [&](const unmeasured_case& c) {
    return c.operation == of.from->operation && c.variant == variant && c.axes == of.row->axes &&
           c.cache_state == of.row->cache_state;
  });
  return found == r.unmeasured.end() ? nullptr : &*found;
}

/// The case of this name, on the input of the others.
void find_by_name(const record& r, const operation_view& view, const lattice& of, lattice_point& to) {
  const measured_case* c = of.row->of(to.spelling);
  if (!c || rival_of(r, view.name, to.spelling)) return;
  if (same_input(*c, *of.from))
    to.measured = c;
  else
    to.missing = fmt::format("`{}` was measured on another input", c->variant);
}

/// The case with these switches.
void find_by_values(const record& r, const operation_view& view, const lattice& of, lattice_point& to) {
  for (const measured_case* c : own_cases(r, view, *of.row)) {
    if (!are_same(c->switches, to.values)) continue;
    if (!same_input(*c, *of.from)) {
      to.missing = fmt::format("`{}` was measured on another input", c->variant);
      continue;
    }
    if (to.measured) {
      to.missing = fmt::format("`{}` and `{}` have the same switches", to.measured->variant, c->variant);
      to.measured = nullptr;
      return;
    }
    to.measured = c;
    to.spelling = c->variant;
  }
}

/// Why the record has no time of a point that can be run; or why it cannot be run there.
void explain_missing(const record& r, const lattice& of, lattice_point& to) {
  const unmeasured_case* instead = unmeasured_at(r, of, to.spelling);
  if (!instead) return;
  if (instead->status == "not_applicable")
    to.forbidden = instead->reason;
  else
    to.missing = fmt::format("`{}` is {}: {}", to.spelling, instead->status, instead->reason);
}

lattice_point point_of(const record& r, const operation_view& view, const lattice& of, coalition players,
                       const switch_space* space) {
  const declared known(space);
  lattice_point out{of.from_values};
  for (const follower& f : of.followers)
    set(out.values, f.change.name, f.change.from == off ? f.change.to : f.change.from);
  for (std::size_t i = 0; i < of.players.size(); ++i)
    set(out.values, of.players[i].name, players >> i & 1 ? of.players[i].to : of.players[i].from);
  known.drop_meaningless(out.values);
  for (const switch_change& change : of.players)
    if (!known.has_meaning(change.name, out.values)) {
      out.forbidden = fmt::format("`{}` means nothing there", change.name);
      return out;
    }
  const switch_space::point declared =
      space ? space->point_at(out.values, *of.row) : switch_space::point{"", ""};
  out.spelling = declared.spelling;
  if (!out.spelling.empty()) find_by_name(r, view, of, out);
  if (!out.measured && out.missing.empty()) find_by_values(r, view, of, out);
  if (out.measured || !out.missing.empty() || !space) return out;
  if (out.spelling.empty())
    out.forbidden = declared.why_not;
  else
    explain_missing(r, of, out);
  return out;
}

}  // namespace

std::string lattice::after(std::size_t player) const {
  return players[player].name + "=" + players[player].to;
}

std::string lattice::before(std::size_t player) const {
  return players[player].name + "=" + players[player].from;
}

allowed_orders lattice::orders() const {
  std::vector<bool> allowed;
  for (const lattice_point& p : points) allowed.push_back(p.forbidden.empty());
  return {players.size(), allowed};
}

std::variant<lattice, no_lattice> lattice_of(const record& r, const operation_view& view,
                                             const comparable_cases& row, const std::string& from,
                                             const std::string& to, const switch_space* space) {
  for (const std::string& name : {from, to}) {
    if (!row.of(name)) return no_lattice{&row, fmt::format("`{}` was not measured there", name)};
    if (rival_of(r, view.name, name))
      throw bad_input(
          r.path.string(), "",
          fmt::format("'{}' is a rival, which has no switches; expected two of the operation's points",
                      name));
  }
  const measured_case &first = *row.of(from), &second = *row.of(to);
  lattice out{&row, &first, &second, stated(first, space), stated(second, space), {}, {}, {}};
  if (!same_input(*out.from, *out.to)) return no_lattice{&row, "the two were measured on different inputs"};
  const named_words &a = out.from_values, &b = out.to_values;
  const std::vector<switch_change> all = changes_between(a, b);
  const declared known(space);
  const auto is_player = [&](const switch_change& change) {
    return known.has_meaning(change.name, a) == known.has_meaning(change.name, b);
  };
  std::copy_if(all.begin(), all.end(), std::back_inserter(out.players), is_player);
  for (const switch_change& change : all)
    if (!is_player(change)) out.followers.push_back({change, leaders_of(change, out.players, a, b, known)});
  if (out.players.empty())
    throw bad_input(r.path.string(), "",
                    fmt::format("'{}' and '{}' differ in no switch; expected two points that do", from, to));
  if (out.players.size() > most_players)
    throw bad_input(r.path.string(), "",
                    fmt::format("'{}' and '{}' differ in {} switches; expected at most {}", from, to,
                                out.players.size(), most_players));
  const coalition last = (coalition{1} << out.players.size()) - 1;
  for (coalition s = 0; s <= last; ++s) {
    lattice_point& p = out.points.emplace_back(point_of(r, view, out, s, space));
    // The two themselves, whoever else has their switches.
    if (s == 0 || s == last) p = {(s == 0 ? a : b), s == 0 ? out.from : out.to, s == 0 ? from : to};
  }
  return out;
}

}  // namespace ablate::attribute
