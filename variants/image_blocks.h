#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/axis.h"
#include "kernels/common/block_layout.h"
#include "kernels/selection_attention/selection_attention.h"

// What the operations on blocks of images' tokens (pooling, compression, selection, their layer) have in
// common: axes, and what they refuse.

namespace ablate {

/// Words of an axis, and what each means to an operation; the first is the default.
template <class Meaning, std::size_t Count>
using word_table = std::array<std::pair<const char*, Meaning>, Count>;

template <class Meaning, std::size_t Count>
axis axis_of(std::string name, const word_table<Meaning, Count>& table, std::string description) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : table) words.emplace_back(word);
  return axis::of_words(std::move(name), std::move(words), std::move(description));
}

/// Of one of the table's words.
template <class Meaning, std::size_t Count>
Meaning meaning_of(const word_table<Meaning, Count>& table, const std::string& word) {
  return std::ranges::find_if(table, [&](const auto& known) { return known.first == word; })->second;
}

inline axis images_axis() {
  return axis::of_integers("images", 1, 2048, 32, "images of 1008 tokens (36 x 28 patches)");
}
inline axis heads_axis() { return axis::of_integers("heads", 1, 64, 16, "heads of 64 elements"); }
inline axis block_axis(std::string description) {
  return axis::of_words("block", {"16", "32", "64", "128"}, std::move(description));
}

constexpr word_table<token_geometry, 2> geometry_words = {
    {{"s3r", token_geometry::s3r}, {"vggt", token_geometry::vggt}}};

inline axis geometry_axis() {
  return axis_of("geometry", geometry_words,
                 "an image: 1008 tokens; or 1041, of 37 x 28 patches in blocks of 4 x 4, those of the last "
                 "column with 4, and 5 special tokens, in no block; blocks of 16 alone")
      .silent_at_default();
}
inline token_geometry geometry_at(const axis_values& at) {
  return meaning_of(geometry_words, at.word("geometry"));
}
/// What is made for lists of 32 places at most.
inline axis_conditions with_short_lists(axis_conditions conditions) {
  std::vector<std::string> lengths;
  for (int selected = 1; selected <= 32; ++selected) lengths.push_back(std::to_string(selected));
  conditions.emplace_back("selected", std::move(lengths));
  return conditions;
}

/// What is made for images of 1008 tokens alone.
inline axis_conditions with_s3r(axis_conditions conditions = {}) {
  conditions.push_back({"geometry", {"s3r"}});
  return conditions;
}

/// The tokens of all images.
inline std::int64_t tokens_at(const axis_values& at, token_geometry geometry = token_geometry::s3r) {
  return at.integer("images") *
         (geometry == token_geometry::vggt ? block_layout::tokens_of_vggt : block_layout::tokens_of_s3r);
}

/// The same, and their blocks.
inline block_layout layout_at(const axis_values& at, token_geometry geometry = token_geometry::s3r) {
  return {geometry, tokens_at(at, geometry), static_cast<int>(at.integer("block"))};
}

/// Why images are no whole blocks, if they are not.
inline std::optional<std::string> refuses_blocks(const block_layout& layout) {
  if (layout.is_cut() && layout.block != block_layout::patch_block)
    return fmt::format("block={}: in the geometry vggt blocks are those of {} patches, whole or cut",
                       layout.block, block_layout::patch_block);
  if (layout.is_cut() || layout.tokens % layout.block == 0) return std::nullopt;
  return fmt::format("images={}: {} tokens are not whole blocks of {}", layout.images(), layout.tokens,
                     layout.block);
}

constexpr word_table<selection_attention::first_frame, 4> first_frame_words = {
    {{"competes", selection_attention::first_frame::competes},
     {"forced", selection_attention::first_frame::forced},
     {"masked", selection_attention::first_frame::masked},
     {"dense", selection_attention::first_frame::dense}}};

/// Of these words alone.
inline axis first_frame_axis(std::vector<std::string> words, std::string description) {
  return axis::of_words("first_frame", std::move(words), std::move(description)).silent_at_default();
}
inline selection_attention::first_frame first_frame_at(const axis_values& at) {
  return meaning_of(first_frame_words, at.word("first_frame"));
}

}  // namespace ablate
