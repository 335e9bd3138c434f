// The first screen: what was measured where, and what each switch is worth.

const factOf = (record, name) => record.facts.find(([known]) => known === name)?.[1];

// The facts that a reader asks for first stand open, all of them one click away.
function recordHeader(record) {
  const first = ['device', 'device state', 'build', 'cases'];
  const claims = claimCounts(record);
  const list = (facts) => make('dl', {}, facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, ...(value instanceof Node ? [value] : sentence(value)))]));
  return make('div', { class: 'record' },
    make('h1', {}, `${record.suite} `, make('span', {}, `on ${record.label}`)),
    make('p', {}, record.description),
    list([...first.map((name) => [name, factOf(record, name)]).filter(([, value]) => value),
      ...(claims ? [['claims', make('a', { href: `#record${record.place}-claims` }, claims)]] : [])]),
    make('details', { class: 'facts' }, make('summary', {}, 'Driver, host, command, missing evidence'),
      list(record.facts.filter(([name]) => !first.includes(name)))));
}

// "merged in 9 of 14 workloads, sorted in 5": those that several variants ran.
function fastestText(operation) {
  const wins = new Map();
  const rows = operation.rows.filter((row) => Object.keys(row).length > 1);
  for (const row of rows) {
    const [fastest] = Object.values(row).map((i) => operation.record.cases[i]).sort((a, b) => a.time_us.median - b.time_us.median);
    wins.set(fastest.variant, (wins.get(fastest.variant) ?? 0) + 1);
  }
  const ranked = [...wins].sort(([, a], [, b]) => b - a);
  if (ranked.length === 0) return null;
  const told = ranked.slice(0, 4).map(([variant, count], i) => `\`${variant}\` in ${count}${i === 0 ? ` of ${rows.length} workloads` : ''}`);
  const others = ranked.length - told.length;
  return `fastest: ${told.join(', ')}${others > 0 ? ` and ${others} other variants` : ''}.`;
}

// Strongest effects first; the operation's own section has the others.
function switchTable(operation, most) {
  const { worths, strongest } = operation.ablation;
  const [verdicts, sizes, cases, median, range] = ['verdicts', 'measured at', 'cases', 'median', 'worst to best'].map((title) => worths.header.indexOf(title));
  const shown = strongest.slice(0, most).map((i) => worths.lines[i].cells);
  const table = plainTable(['switch', 'from → to', 'verdict, and where it holds', 'median', 'worst to best', 'cases'],
    shown.map((cells) => [make('code', {}, cells[0]), cells[1], make('div', { class: 'verdicts' }, verdictList(cells[verdicts], `at ${cells[sizes] || 'every workload'}`)), cells[median], cells[range], cells[cases]]), 3);
  table.classList.add('first');
  return table;
}

function overviewSection(record, contents) {
  const operations = record.operations.filter(({ rows }) => rows.length > 0);
  const most = operations.length > 2 ? 4 : operations.length > 1 ? 6 : 10;
  return section(contents, 2, 'What each switch is worth', ...operations.flatMap((operation) => {
    const { worths } = operation.ablation;
    const id = identifier(contents.prefix, operation.name);
    const fastest = fastestText(operation);
    const left = worths.lines.length - Math.min(most, worths.lines.length);
    return [
      make('h3', { class: 'first' }, make('a', { href: `#${id}` }, operation.name), make('span', { class: 'note' }, ` over ${operation.baseline}; `, ...sentence(fastest ?? 'one variant was measured.'))),
      worths.lines.length > 0 ? switchTable(operation, most) : make('p', { class: 'note' }, 'No two variants that were measured on one workload differ in a single switch.'),
      left > 0 ? make('p', { class: 'note' }, make('a', { href: `#${id}-switches` }, `${left} further switches and values`)) : null,
    ].filter(Boolean);
  }), operations.length === 0 ? make('p', {}, 'No operation was measured; what the device reached stands under the measured ceilings.')
    : make('p', { class: 'note' }, 'Time with the first value over time with the second: above 1 the second is faster.'));
}
