// The launch functions that read a variant's switches and pick what other files compile (forms.h).
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/kernel_map/forms.h"
#include "kernels/kernel_map/launches.h"
#include "kernels/kernel_map/phases.h"

namespace ablate::kernel_map {
namespace {

/// Whether a switch has a value other than "off".
bool states(const switches& s, text_view name, text_view value) {
  return s.has(name) && s.word(name) == value;
}

searched_offsets offsets_searched(const switches& s) {
  return s.is_on("symmetry") ? searched_offsets::first_half : searched_offsets::all;
}

list_form lists_of(const switches& s) {
  if (states(s, "lists", "slabs")) return list_form::in_slabs;
  return states(s, "list_order", "fixed") ? list_form::fixed_order : list_form::as_blocks_arrive;
}

flat_form flat_form_of(const switches& s) {
  flat_form form;
  form.half = s.is_on("symmetry")                 ? symmetry::in_lists
              : states(s, "symmetry", "mirrored") ? symmetry::in_table
                                                  : symmetry::none;
  if (states(s, "block", "128x8")) form.rows_of_block = 128;
  form.lists = lists_of(s);
  return form;
}

void map_by_grid(launcher& to, const problem& p, const switches& s) {
  const flat_form form = flat_form_of(s);
  const bool by_murmur = states(s, "hash", "murmur");
  if (states(s, "layout", "interleaved")) return map_flat_on_interleaved_rows(to, p, form.lists);
  if (states(s, "layout", "in_line")) return map_flat_on_in_line_rows_by_murmur(to, p, form.lists);
  if (states(s, "layout", "indirect"))
    return by_murmur ? map_flat_on_indirect_rows_by_murmur(to, p, form.lists)
                     : map_flat_on_indirect_rows_by_city(to, p, form.lists);
  if (by_murmur) return map_flat_on_packed_rows_by_murmur(to, p, form.lists);
  if (states(s, "hash", "city")) return map_flat_on_packed_rows_by_city(to, p, form.lists);
  map_flat_on_packed_rows(to, p, form);
}

}  // namespace

void row_table(launcher& to, const problem& p, const switches& s) {
  const text_view driver = s.word("driver");
  if (driver == "grid") return map_by_grid(to, p, s);
  if (driver == "query_loop")
    return states(s, "layout", "interleaved") ? map_by_query_loop_on_interleaved_rows(to, p, lists_of(s))
                                              : map_by_query_loop_on_packed_rows(to, p, lists_of(s));
  if (driver == "count_scatter") return map_by_count_scatter(to, p);
  if (driver == "query_count_scatter") return map_by_query_count_scatter(to, p);
  if (driver == "register_held") return map_with_held_rows(to, p);
  if (driver == "direct_write") return map_by_direct_write(to, p);
  refuse_launch({"kernel_map: no such driver of a row table"});
}

void hierarchy(launcher& to, const problem& p, const switches& s) {
  const int edge = static_cast<int>(s.integer("coarse_stride"));
  const probed_cells probed =
      s.word("prune") == "own_cells" ? probed_cells::own_box : probed_cells::fixed_box;
  if (states(s, "search", "by_cell"))
    map_by_enumerated_cells(to, p, edge, probed);
  else
    map_by_occupied_cells(to, p, edge, probed, offsets_searched(s));
}

void hierarchy_of_bitmaps(launcher& to, const problem& p, const switches& s) {
  map_with_bitmaps(to, p, offsets_searched(s));
}

void bitmaps(launcher& to, const problem& p, const switches& s) {
  const cell_numbering numbering =
      states(s, "numbering", "by_block") ? cell_numbering::by_block : cell_numbering::by_warp;
  const bool by_block = numbering == cell_numbering::by_block;
  if (p.does(phase::coarse)) by_block ? number_maps(to, p) : number_all_cells(to, p, map_edge);
  if (p.does(phase::build)) by_block ? order_rows_of_maps(to, p) : order_numbered_rows(to, p);
  if (!p.does(phase::map)) return;
  if (states(s, "match", "by_line"))
    map_cells_by_lines(to, p, offsets_searched(s), numbering);
  else
    map_cells_by_offsets(to, p, numbering);
}

}  // namespace ablate::kernel_map
