#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace ablate::fuzz {
namespace {

using nlohmann::ordered_json;

constexpr int deepest = 64;  // the functions below recurse once per level

std::size_t below(std::size_t bound, random_stream& random) {
  return random.below(static_cast<std::uint32_t>(bound));
}

const auto& picked(const auto& from, random_stream& random) { return from[below(from.size(), random)]; }

/// A document's nodes, keys and strings.
struct contents {
  std::vector<ordered_json*> nodes;
  std::vector<std::string> words;

  explicit contents(ordered_json& root) { add(root); }

 private:
  void add(ordered_json& node) {
    nodes.push_back(&node);
    if (node.is_string()) words.push_back(node.get<std::string>());
    if (!node.is_structured()) return;
    for (auto& [key, child] : node.items()) {
      if (node.is_object()) words.push_back(key);
      add(child);
    }
  }
};

std::optional<ordered_json> parsed(std::string_view text) {
  int depth = 0, most = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  if (most > deepest) return std::nullopt;
  ordered_json out = ordered_json::parse(text, nullptr, false);
  return out.is_discarded() ? std::nullopt : std::optional(std::move(out));
}

ordered_json odd_value(const contents& of, random_stream& random) {
  static const std::vector<ordered_json> odd = {
      nullptr,
      true,
      false,
      "",
      "\n",
      "\u00e9",
      std::string("a\0b", 3),
      std::string(300, 'x'),
      0,
      -1,
      1,
      -0.0,
      0.5,
      1e-320,
      1e308,
      -1e308,
      1e19,
      std::int64_t{1} << 53,
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::uint64_t>::max(),
      ordered_json::array(),
      ordered_json::object(),
      ordered_json::array({ordered_json::object()}),
      ordered_json::object({{"", nullptr}}),
  };
  // A value from elsewhere is of the right kind, or nearly.
  return random.below(2) == 0 ? picked(odd, random) : *picked(of.nodes, random);
}

/// `from` with a member renamed, dropped or added. Ordered objects are rebuilt: they cannot rename a key.
ordered_json with_a_member_changed(const ordered_json& from, const contents& of, random_stream& random) {
  const std::size_t place = from.empty() ? 0 : below(from.size(), random);
  const std::uint32_t how = random.below(3);
  ordered_json out = ordered_json::object();
  std::size_t i = 0;
  for (const auto& [key, value] : from.items()) {
    const bool here = i++ == place;
    if (here && how == 0) continue;
    out[here && how == 1 && !of.words.empty() ? picked(of.words, random) : key] = value;
  }
  if (how == 2 && !of.words.empty()) out[picked(of.words, random)] = odd_value(of, random);
  return out;
}

void change_elements(ordered_json& of, const contents& all, random_stream& random) {
  const std::size_t place = of.empty() ? 0 : below(of.size(), random);
  switch (random.below(3)) {
    case 0:
      if (!of.empty()) of.erase(place);
      break;
    case 1:
      if (!of.empty()) of.push_back(ordered_json(of[place]));
      break;
    default:
      of.push_back(odd_value(all, random));
  }
}

void change_number(ordered_json& of, random_stream& random) {
  constexpr std::array factors = {-1.0, 0.5, 2.0, 1.0001, 1e3, 1e-3, 1e18, 1e300};
  of = of.get<double>() * picked(factors, random);
}

void change_text(ordered_json& of, const contents& all, random_stream& random) {
  auto text = of.get<std::string>();
  if (random.below(2) == 0 && !all.words.empty())
    text = picked(all.words, random);
  else
    text = with_bytes_changed(text, random);
  of = text;
}

void change_node(ordered_json& root, random_stream& random) {
  const contents all(root);
  ordered_json& node = *picked(all.nodes, random);
  ordered_json changed = node;
  if (random.below(3) == 0)
    changed = odd_value(all, random);
  else if (node.is_object())
    changed = with_a_member_changed(node, all, random);
  else if (node.is_array())
    change_elements(changed, all, random);
  else if (node.is_number())
    change_number(changed, random);
  else if (node.is_string())
    change_text(changed, all, random);
  else
    changed = odd_value(all, random);
  node = std::move(changed);
}

/// Writes strings cut inside a character with the replacement character.
std::string written(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Start and length of a random line.
std::pair<std::size_t, std::size_t> some_line(std::string_view text, random_stream& random) {
  const std::size_t at = text.empty() ? 0 : below(text.size(), random);
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  return {begin, std::min(text.find('\n', begin), text.size()) - begin};
}

}  // namespace

std::optional<std::string> with_a_node_changed(std::string_view text, random_stream& random) {
  if (auto whole = parsed(text)) {
    change_node(*whole, random);
    return written(*whole);
  }
  const auto [begin, size] = some_line(text, random);
  auto line = parsed(text.substr(begin, size));
  if (!line) return std::nullopt;
  change_node(*line, random);
  return std::string(text.substr(0, begin)) + written(*line) + std::string(text.substr(begin + size));
}

std::string with_bytes_changed(std::string_view text, random_stream& random) {
  static constexpr std::string_view telling = "{}[]\",:\\0123456789-+.eEu \n\t\0\x80\xff";
  std::string out(text);
  const std::size_t at = below(out.size() + 1, random);
  const std::size_t size = std::min<std::size_t>(std::size_t{1} << random.below(9), out.size() - at);
  switch (random.below(6)) {
    case 0:
      out.resize(at);
      break;
    case 1:
      out.erase(at, size);
      break;
    case 2:
      out.insert(at, out.substr(at, size));
      break;
    case 3:
      if (at < out.size()) out[at] = static_cast<char>(out[at] ^ (1 << random.below(8)));
      break;
    case 4:
      out.insert(below(out.size() + 1, random), out.substr(at, size));
      break;
    default:
      out.insert(at, 1 + below(3, random), picked(telling, random));
  }
  return out;
}

}  // namespace ablate::fuzz
