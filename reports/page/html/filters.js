// What the reader has chosen, per property of a case; nothing chosen of a property means all of it.

const chosen = new Map(); // "operation", "axis:points" … -> Set of values
let searched = '';

const properties = [
  { key: 'record', title: 'record', of: (entry) => entry.record.label },
  { key: 'operation', title: 'operation', of: (entry) => entry.operation },
  { key: 'variant', title: 'variant', of: (entry) => entry.variant },
  { key: 'cache_state', title: 'cache state', of: (entry) => entry.cache_state },
];

const plottedCases = () => records.flatMap((record) => record.cases.filter((entry) => !entry.ceiling));

// The properties by which the cases differ, each with its values: integers by value, words as in the record.
function facets() {
  const axes = new Set(plottedCases().flatMap((entry) => Object.keys(entry.axes)));
  const all = [...properties, ...[...axes].map((axis) => ({ key: `axis:${axis}`, title: axis, of: (entry) => entry.axes[axis] }))];
  return all.map((property) => {
    const counts = new Map();
    for (const entry of [...plottedCases(), ...records.flatMap((record) => record.unmeasured)]) {
      const value = property.of(entry);
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts.keys()];
    if (values.every((value) => /^-?\d+$/.test(value))) values.sort((a, b) => a - b);
    return { ...property, values, counts };
  }).filter(({ values }) => values.length > 1);
}

let allFacets = [];

function passes(entry) {
  if (searched && !entry.name.includes(searched)) return false;
  return allFacets.every(({ key, of }) => !chosen.get(key)?.size || chosen.get(key).has(of(entry)));
}

// A calibration is measured for all operations: no filter hides it.
const passesTable = (entry) => Boolean(entry.ceiling) || passes(entry);

const isFiltered = () => searched !== '' || [...chosen.values()].some((values) => values.size > 0);

function makeFilters(form, changed) {
  allFacets = facets();
  const count = make('output', { class: 'count', 'aria-live': 'polite' });
  const update = () => {
    const cases = plottedCases();
    count.textContent = `${cases.filter(passes).length} of ${cases.length} cases`;
    reset.disabled = !isFiltered();
    changed();
  };
  const reset = make('button', {
    type: 'button',
    onclick: () => {
      chosen.clear();
      searched = '';
      form.reset();
      update();
    },
  }, 'Show all');
  const search = make('input', {
    type: 'search', placeholder: 'part of a case id', 'aria-label': 'part of a case id', spellcheck: 'false',
    oninput: ({ target }) => {
      searched = target.value.trim();
      update();
    },
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.append(make('div', { class: 'filters-head' }, make('h2', {}, 'Filters'), count, reset), search);
  const all = make('details', { open: isWide }, make('summary', {}, 'By operation, variant, axis'));
  form.append(all);
  for (const { key, title, values, counts } of allFacets) {
    const boxes = values.map((value) => {
      const box = make('input', {
        type: 'checkbox', name: key, value,
        onchange: ({ target }) => {
          if (!chosen.has(key)) chosen.set(key, new Set());
          chosen.get(key)[target.checked ? 'add' : 'delete'](value);
          update();
        },
      });
      return make('label', {}, box, make('span', {}, value), make('small', {}, String(counts.get(value))));
    });
    all.append(make('details', { open: isWide && (['operation', 'variant', 'cache_state'].includes(key) || values.length <= 4) },
      make('summary', {}, title), make('div', { class: 'choices', role: 'group', 'aria-label': title }, boxes)));
  }
  update();
}
