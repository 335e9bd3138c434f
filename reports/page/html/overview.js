// The first screen: what was measured where, and what each switch is worth.

const factOf = (record, name) => record.facts.find(([known]) => known === name)?.[1];

// Little is above the answer: what was run where is one click away.
function recordHeader(record) {
  const claims = claimCounts(record);
  const list = (facts) => make('dl', {}, facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, ...sentence(value))]));
  return make('div', { class: 'record' },
    make('h1', {}, `${record.suite} `, make('span', {}, `on ${record.label}`)),
    make('p', { class: 'line' }, factOf(record, 'cases') ?? '', claims ? ['; claims: ', make('a', { href: `#record${record.place}-claims` }, claims)] : null),
    make('details', { class: 'facts' }, make('summary', {}, 'What was run, on which device, by which build'),
      record.description ? make('p', {}, record.description) : null, list(record.facts)));
}

// The suite's question: the verdict, the picture, and best against best by group of workloads.
function answerSection(record, contents) {
  const { answer } = record;
  if (!answer) return null;
  const said = answer.sentences.map((text) => make('p', { class: 'verdict-text' }, ...sentence(text)));
  let figure = null;
  if (answer.plot) {
    answer.plot.record = record;
    figure = makePlot(answer.plot);
  }
  // Of several operations the picture says first what the sentences say one after the other.
  return namedSection(contents, 2, answer.text, 'answer', ...(said.length > 1 ? [figure, ...said] : [...said, figure]).filter(Boolean),
    ...answer.parts.flatMap(({ name, table }) => [answer.parts.length > 1 ? make('h3', {}, name) : null,
      textTable(record, table, answer.parts.length > 1 ? `${name}: ${answer.text}` : answer.text)].filter(Boolean)),
    answer.about ? make('p', { class: 'note' }, answer.about) : null);
}

// What the suite has drawn of several cases: what it says, its picture and its table.
function drawnSection(record, drawn, name, contents) {
  const { title, plot } = drawn;
  if (plot) plot.record = record;
  return namedSection(contents, 2, title, name, ...drawn.sentences.map((text) => make('p', { class: 'verdict-text' }, ...sentence(text))),
    plot ? makePlot(plot) : null, textTable(record, drawn.table, title), make('p', { class: 'note' }, drawn.about));
}

const ladderSection = (record, contents) => record.ladder && drawnSection(record, record.ladder, 'ladder', contents);

// Published figures and tables, reproduced.
const exhibitSections = (record, contents) => record.exhibits.map((exhibit) => drawnSection(record, exhibit, exhibit.name, contents));

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

// By cases and effect, those of no certain effect left out: the first ones, the others on demand.
function switchTable(operation, most) {
  const { worths } = operation.ablation;
  const [verdicts, sizes, cases, median, range] = ['verdicts', 'measured at', 'cases', 'median', 'worst to best'].map((title) => worths.header.indexOf(title));
  const rowsOf = (lines) => {
    const table = plainTable(['switch', 'from → to', 'verdict, and where it holds', 'cases', 'median', 'worst to best'],
      lines.map(({ cells }) => [make('code', {}, cells[0]), cells[1], make('div', { class: 'verdicts' }, verdictList(cells[verdicts], `at ${cells[sizes] || 'every workload'}`)), cells[cases], cells[median], cells[range]]), 3);
    table.classList.add('first');
    return table;
  };
  const others = worths.lines.slice(most);
  return [rowsOf(worths.lines.slice(0, most)),
    others.length > 0 ? lazyDetails(`${others.length} further switches and values`, () => rowsOf(others)) : null].filter(Boolean);
}

function leftOut({ more_worths: more, without_effect: none }) {
  const said = [[more, 'of smaller effect'], [none, 'without a certain effect']].filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return said.length === 0 ? null : make('p', { class: 'note' }, `Further pairs of values, in ablation.csv: ${said.join(', ')}.`);
}

function overviewSection(record, contents) {
  const operations = record.operations.filter(({ rows }) => rows.length > 0);
  const most = operations.length > 2 ? 4 : operations.length > 1 ? 6 : 10;
  return section(contents, 2, 'What each switch is worth', ...operations.flatMap((operation) => {
    const { worths } = operation.ablation;
    const id = identifier(contents.prefix, operation.name);
    const fastest = fastestText(operation);
    return [
      make('h3', { class: 'first' }, make('a', { href: `#${id}` }, operation.name), make('span', { class: 'note' }, ` over ${operation.baseline}; `, ...sentence(fastest ?? 'one variant was measured.'))),
      ...operation.advice.map((text) => make('p', { class: 'advice' }, ...sentence(text))),
      ...(worths.lines.length > 0 ? switchTable(operation, most) : [make('p', { class: 'note' }, 'No change of a single switch has a certain effect on a workload that was measured with both values.')]),
      leftOut(operation.ablation),
    ].filter(Boolean);
  }), operations.length === 0 ? make('p', {}, 'No operation was measured; what the device reached stands under the measured ceilings.')
    : make('p', { class: 'note' }, 'Time with the first value over time with the second: above 1 the second is faster. Those with the most cases and the greatest effect come first.'));
}
