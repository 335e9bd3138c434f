#include "base/record/energy.h"

#include "base/record/fields.h"

namespace ablate {

template <class List, fields::part_of<energy_use> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("launch_j", of.launch_j, positive());
  list.required("error_pct", of.error_pct, not_negative());
  list.required("mean_w", of.mean_w, positive());
  list.required("loop_us", of.loop_us, positive());
  list.required("around_j", of.around_j, not_negative());
  list.required("idle_w", of.idle_w, not_negative());
  list.required("seconds", of.seconds, positive());
  list.required("step_j", of.step_j, positive());
  list.required("steps", of.steps, count());
}

void from_json(const reports::json_place& at, energy_use& to) { fields::object::read(at, to); }
nlohmann::ordered_json to_json(const energy_use& of) { return fields::object::write(of); }
nlohmann::ordered_json fields_schema(const energy_use&) { return fields::object::schema_of<energy_use>(); }

}  // namespace ablate
