// Tables that follow the filters. A column: {title, of (a value to sort by), cell (what is shown), number, mark (whether
// a row's cell is the best of it)}. A wide table begins with its first columns; the first one stays in view.

const firstRows = 100;

function makeTable({ columns: allColumns, rows, label, firstColumns = allColumns.length }) {
  let columns = allColumns.slice(0, firstColumns);
  let sortedBy = null;
  let descending = false;
  let all = false;
  const head = make('tr');
  const body = make('tbody');
  const more = make('button', { type: 'button', class: 'more', hidden: true, onclick: () => { all = true; update(); } });
  const table = make('table', { 'aria-label': label }, make('thead', {}, head), body);
  const wide = make('button', { type: 'button', class: 'wide', hidden: allColumns.length <= firstColumns, onclick: () => {
    columns = columns.length < allColumns.length ? allColumns : allColumns.slice(0, firstColumns);
    if (sortedBy >= columns.length) sortedBy = null;
    makeHead();
    update();
  } });
  const element = make('div', { class: 'table' }, make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, table), more, wide);

  function makeHead() {
    wide.textContent = columns.length < allColumns.length ? `All ${allColumns.length} columns` : `The first ${firstColumns} columns`;
    head.replaceChildren(...columns.map((column, i) => {
      const sort = make('button', { type: 'button', title: column.note ?? null, onclick: () => {
        descending = sortedBy === i ? !descending : Boolean(column.number);
        sortedBy = i;
        update();
      } }, breakable(column.title));
      return make('th', { scope: 'col', class: column.number ? 'number' : null }, sort);
    }));
  }
  makeHead();

  function update() {
    const shown = rows();
    if (sortedBy !== null) {
      const { of } = columns[sortedBy];
      const order = (a, b) => (typeof a === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));
      shown.sort((a, b) => {
        const [x, y] = [of(a), of(b)];
        if (x === undefined || x === null || x === '') return 1; // missing values last
        if (y === undefined || y === null || y === '') return -1;
        return descending ? order(y, x) : order(x, y);
      });
    }
    [...head.children].forEach((th, i) => {
      if (sortedBy === i) th.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    });
    body.replaceChildren(...(all ? shown : shown.slice(0, firstRows)).map((row) => make('tr', { 'data-key': row.key ?? null },
      columns.map((column) => make('td', { class: [column.number ? 'number' : '', column.wraps ? 'wraps' : '', column.mark?.(row) ? 'fastest' : ''].filter(Boolean).join(' ') || null }, column.cell ? column.cell(row) : String(column.of(row) ?? ''))))));
    more.hidden = all || shown.length <= firstRows;
    more.textContent = `Show all ${shown.length} rows`;
    element.dataset.rows = shown.length;
    element.classList.toggle('empty', shown.length === 0);
  }
  return { element, update };
}

const tables = [];

function addTable(description) {
  const table = makeTable(description);
  tables.push(table);
  table.update();
  return table.element;
}

const numberColumn = (title, of, note) => ({ title, note, number: true, of, cell: (row) => significant(of(row)) });

// What would take many lines of a cell is cut; the whole is one click away.
function words(text) {
  const most = 110;
  if (text.length <= most) return make('span', { class: text.length > 48 ? 'long' : null }, ...sentence(text));
  return make('details', { class: 'cell long' }, make('summary', {}, ...sentence(`${text.slice(0, text.lastIndexOf(' ', most))} …`)), ...sentence(text));
}

// A table that C++ made: {header, left, lines}.
function textTable(record, { header, left, lines }, label) {
  return addTable({
    label,
    firstColumns: header.length > 8 ? 7 : header.length,
    columns: header.map((title, i) => ({
      title, number: i >= left, wraps: true, of: (line) => line.cells[i],
      cell: (line) => (i === 0 && line.cases.length > 0 ? caseLink(record.cases[line.cases[0]], line.cells[i].replaceAll('`', ''))
        : title === 'verdicts' ? make('span', { class: 'long' }, ...verdictList(line.cells[i])) : words(line.cells[i])),
    })),
    rows: () => lines.filter(({ cases }) => cases.length === 0 || cases.some((i) => passesTable(record.cases[i]))),
  });
}

const figureColumn = (name, of, note) => ({ title: name, note, number: true, of, cell: (row) => plain(of(row)) });

const varyingAxes = (operation) => operation.axes.filter(({ values }) => values.length > 1).map(({ name }) => name);

// In the order of the workloads.
const casesOf = (record, operation) => operation.rows.flatMap((row) => Object.keys(operation.variants).filter((variant) => variant in row).map((variant) => record.cases[row[variant]]));

const qualityOf = (name) => (entry) => entry.quality?.[name] ?? undefined;
const countedOf = (name) => (entry) => entry.instrumented?.[name] ?? undefined;
const countedNote = 'counted by the instrumented form, never timed';

// The columns that say which workload a row is of, from one of its cases.
const workloadColumns = (operation, caseOf) => {
  const states = new Set(casesOf(operation.record, operation).map((entry) => entry.cache_state));
  return [
    { title: 'workload', note: hasManyAxes(operation) ? 'what sets it apart from the usual one' : null, of: (row) => workloadText(caseOf(row)) },
    ...(states.size > 1 ? [{ title: 'cache state', of: (row) => caseOf(row).cache_state }] : []),
  ];
};

const withRegimeNote = (record, formula) => (record.cases.some(regimeMark) ? `${formula}; ${aboutRegimeMark}` : formula);

const energies = [
  { name: 'energy_mj', title: 'energy of a launch', unit: 'mJ' },
  { name: 'energy_delay_mj_us', title: 'energy × time', unit: 'mJ·µs' },
];

// What may be shown of each variant and workload.
function figuresToChoose(record, operation) {
  const timed = [
    { name: 'median', title: 'median time (µs)', of: (entry) => entry.time_us.median, text: (entry) => medianText(entry.time_us) },
    { name: 'speed_up', title: 'speed-up over the baseline', of: (entry) => entry.speed_up?.ratio,
      text: ({ speed_up: up }) => up && `${up.low <= 1 && up.high >= 1 ? '~ ' : ''}${up.ratio.toFixed(3)}${up.in_cycles ? ` ‡ ${up.in_cycles.toFixed(2)} in cycles` : ''}${up.moved_pct ? ` † ${up.moved_pct.toFixed(0)} %` : ''}${up.unequal ? ' ≠' : ''}`,
      note: [operation.quality.length > 0 ? '≠ marks an output that differs from the baseline’s by more than 5 % in some figure of quality' : '',
        record.cases.some((entry) => entry.speed_up?.in_cycles) ? '‡ marks times taken at SM clocks more than 1 % apart, with the ratio in cycles beside it' : '',
        record.cases.some((entry) => entry.speed_up?.moved_pct) ? '† marks a ratio over a baseline whose own time moved by more than 5 % between launches or GPUs, with by how much beside it' : '']
        .filter(Boolean).join('; ') || undefined },
    { name: 'points_per_s', title: 'throughput (points/s)', of: (entry) => entry.figures.points_per_s, text: (entry) => withPrefix(entry.figures.points_per_s) },
    { name: 'over_floor', title: 'time over the floor', of: (entry) => entry.figures.over_floor },
    ...energies.map(({ name, title, unit }) => ({ name, title: `${title} (${unit})`, of: (entry) => entry.figures[name] })),
  ];
  return [...timed,
    ...operation.quality.map((name) => ({ name, title: `quality: ${name}`, of: qualityOf(name), text: (entry) => plain(entry.quality[name]) })),
    ...record.metrics.map(({ name, title, formula }) => ({ name, title, note: withRegimeNote(record, formula), of: (entry) => entry.figures[name],
      text: (entry) => significant(entry.figures[name]) + regimeMark(entry) })),
    ...operation.counted.map((name) => ({ name, title: `counted: ${name}`, note: countedNote, of: countedOf(name), text: (entry) => plain(entry.instrumented[name]) }))]
    .filter(({ of }) => record.cases.some((entry) => !entry.ceiling && of(entry) !== undefined));
}

// Speed or energy at unequal quality is no fair win, so a time is never shown without it.
const isTime = ({ name }) => ['median', 'speed_up', 'points_per_s', 'over_floor', 'over_model', ...energies.map((energy) => energy.name)].includes(name);

const bestColumns = 6;

// Rows are workloads, columns variants, those that lead most often first; one figure at a time.
function comparisonTable(record, operation) {
  const figures = figuresToChoose(record, operation);
  let figure = figures[0];
  const variants = operation.leading;
  const comparable = operation.rows.map((row) => Object.fromEntries(Object.entries(row).map(([variant, i]) => [variant, record.cases[i]])));
  const rowsNow = () => comparable
    .map((row) => Object.fromEntries(Object.entries(row).filter(([, entry]) => passes(entry) && figure.of(entry) !== undefined)))
    .map((row) => ({ first: Object.values(row)[0], variants: row, best: bestOf(row) }))
    .filter(({ first }) => first);
  // Where the figure says who is fastest, the best of all variants of the workload, shown or not.
  const bestOf = (row) => {
    const values = Object.values(row).map((entry) => figure.of(entry));
    if (!isTime(figure) || values.length < 2) return undefined;
    return ['speed_up', 'points_per_s'].includes(figure.name) ? Math.max(...values) : Math.min(...values);
  };
  const valueOf = (row, variant) => row.variants[variant] && figure.of(row.variants[variant]);
  const cell = (row, variant) => {
    const value = valueOf(row, variant);
    if (value === undefined) return '';
    const entry = row.variants[variant];
    const link = caseLink(entry, figure.text ? figure.text(entry) : significant(value));
    return isTime(figure) ? make('div', { class: 'with-quality' }, link, qualityBeside(entry)) : link;
  };
  const workload = workloadColumns(operation, ({ first }) => first);
  const table = makeTable({
    label: `${operation.name}: variants by workload`,
    columns: [
      ...workload,
      ...variants.map((variant) => ({ title: variant, note: operation.variants[variant], number: true, of: (row) => valueOf(row, variant), cell: (row) => cell(row, variant),
        mark: (row) => row.best !== undefined && valueOf(row, variant) === row.best })),
    ],
    firstColumns: workload.length + bestColumns,
    rows: rowsNow,
  });
  tables.push(table);
  table.update();
  const note = make('span', { class: 'note' });
  const select = make('select', { onchange: ({ target }) => {
    figure = figures[target.selectedIndex];
    note.textContent = figure.note ?? '';
    table.update();
  } }, figures.map(({ title }) => make('option', {}, title)));
  return make('div', {}, make('p', { class: 'control' }, make('label', {}, 'Figure ', select), ' ', make('span', { class: 'note' }, 'The fastest of each workload is marked. '), note), table.element);
}

function caseTable(record, operation) {
  const figure = (name) => (entry) => entry.figures[name];
  const known = record.metrics.filter(({ name }) => casesOf(record, operation).some((entry) => entry.figures[name] !== undefined));
  return addTable({
    label: `${operation.name}: all cases`,
    columns: [
      { title: 'variant', of: (entry) => entry.variant, cell: (entry) => caseLink(entry, entry.variant) },
      ...workloadColumns(operation, (entry) => entry),
      { title: 'median µs', number: true, of: (entry) => entry.time_us.median, cell: (entry) => medianText(entry.time_us) },
      ...energies.filter(({ name }) => casesOf(record, operation).some((entry) => entry.figures[name] !== undefined))
        .map(({ name, title, unit }) => numberColumn(`${title} ${unit}`, figure(name))),
      ...operation.quality.map((name) => figureColumn(name, qualityOf(name), 'quality of the output')),
      numberColumn('speed-up', (entry) => entry.speed_up?.ratio, `over ${operation.baseline}`),
      { title: 'points/s', number: true, of: figure('points_per_s'), cell: ({ figures }) => (figures.points_per_s ? withPrefix(figures.points_per_s) : '') },
      numberColumn('time / floor', figure('over_floor')),
      ...(casesOf(record, operation).some((entry) => entry.figures.over_model) ? [numberColumn('time / model', figure('over_model'))] : []),
      ...known.map(({ name, title, formula }) => ({ ...numberColumn(title, figure(name), withRegimeNote(record, formula)),
        cell: (entry) => (entry.figures[name] === undefined ? '' : significant(entry.figures[name]) + regimeMark(entry)) })),
      ...operation.counted.map((name) => figureColumn(name, countedOf(name), countedNote)),
    ],
    firstColumns: 7,
    rows: () => casesOf(record, operation).filter(passes),
  });
}

// What is known of a counted kernel's launch; of several counted together, of the first one.
const launchOf = (entry, i) => {
  const { name, launches } = entry.counters.kernels[i];
  return launches === undefined ? entry.kernels[i] : entry.kernels.find((launch) => launch.name === name);
};

// A row for each kernel of each case that has counters.
const kernelRows = (entries) => entries.filter(hasCounters).flatMap((entry) => {
  const counters = entry.counters.kernels.map((kernel, i) => kernelCounters(entry, i));
  const cycles = counters.reduce((sum, values) => sum + (values['sm__cycles_elapsed.max'] ?? 0), 0);
  return counters.map((values, i) => ({ entry, values, key: entry.key, name: entry.counters.kernels[i].name, launch: launchOf(entry, i), share: cycles > 0 ? (100 * values['sm__cycles_elapsed.max']) / cycles : undefined }));
});

const kernelColumns = (architecture) => [
  { title: 'kernel', of: ({ name, entry }) => shortKernel(name, entry.operation), cell: ({ name, entry }) => make('span', { title: name, class: 'kernel' }, shortKernel(name, entry.operation), regimeMark(entry)) },
  numberColumn('cycles (%)', ({ share }) => share, 'sm__cycles_elapsed.max over the sum of the case’s kernels'),
  ...[
    ['SM active (%)', 'sm__cycles_active.avg.pct_of_peak_sustained_elapsed'],
    ['SM issue (%)', 'sm__inst_executed.avg.pct_of_peak_sustained_elapsed'],
    ['tensor (%)', 'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed'],
    ['occupancy (%)', 'sm__warps_active.avg.pct_of_peak_sustained_active'],
  ].map(([title, counter]) => numberColumn(title, ({ values }) => values[counter], counter)),
  numberColumn('theoretical (%)', ({ launch }) => launch?.theoretical_occupancy[architecture] * 100 || undefined, 'theoretical occupancy'),
  ...[
    ['DRAM read (B)', 'dram__bytes_read.sum'],
    ['DRAM write (B)', 'dram__bytes_write.sum'],
    ['L2 red. sectors', 'lts__t_sectors_op_red.sum'],
    ['L2 atomic sectors', 'lts__t_sectors_op_atom.sum'],
  ].map(([title, counter]) => ({ title, note: counter, number: true, of: ({ values }) => values[counter], cell: ({ values }) => (values[counter] === undefined || values[counter] === null ? '' : withPrefix(values[counter])) })),
  numberColumn('L2 hit (%)', ({ values }) => values['lts__t_request_hit_rate.pct'], 'lts__t_request_hit_rate.pct'),
  numberColumn('instructions', ({ values }) => values['smsp__inst_executed.sum'], 'smsp__inst_executed.sum'),
];

function kernelTable(record, operation) {
  return addTable({
    label: `${operation.name}: counters of each kernel`,
    columns: [
      { title: 'variant', of: ({ entry }) => entry.variant, cell: ({ entry }) => caseLink(entry, entry.variant) },
      ...workloadColumns(operation, ({ entry }) => entry),
      ...kernelColumns(record.architecture),
    ],
    firstColumns: 7,
    rows: () => kernelRows(casesOf(record, operation).filter(passes)),
  });
}

function unmeasuredTable(record) {
  return addTable({
    label: 'cases not measured',
    columns: [
      { title: 'case', of: ({ name }) => name, cell: ({ name }) => make('code', {}, name) },
      { title: 'status', of: ({ status }) => status },
      { title: 'reason', of: ({ reason }) => reason },
    ],
    rows: () => record.unmeasured.filter(passes),
  });
}

const percentText = (value) => (value === null || value === undefined ? '' : significant(value));

// Which floor binds, how far above it a case is, and how much more than declared it did.
function workTable(operation) {
  const { record } = operation;
  const columns = [
    { title: 'variant', of: (entry) => entry.variant, cell: (entry) => caseLink(entry, entry.variant) },
    ...workloadColumns(operation, (entry) => entry),
    { title: 'median µs', number: true, of: (entry) => entry.time_us.median, cell: (entry) => medianText(entry.time_us) },
    { title: 'binding floor', of: (entry) => entry.floors?.binding ?? '' },
    numberColumn('floor µs', (entry) => (entry.figures.over_floor ? entry.time_us.median / entry.figures.over_floor : undefined)),
    numberColumn('time / floor', (entry) => entry.figures.over_floor),
  ];
  if (casesOf(record, operation).some((entry) => entry.figures.over_model)) {
    columns.push({ title: 'binding model', of: (entry) => entry.floors?.model_binding ?? '' },
      numberColumn('model µs', (entry) => (entry.figures.over_model ? entry.time_us.median / entry.figures.over_model : undefined)),
      numberColumn('time / model', (entry) => entry.figures.over_model));
  }
  for (const [name, title] of [['bytes', 'DRAM bytes'], ['flops', 'FLOPs'], ['atomics', 'atomics']]) {
    const of = (key) => (entry) => entry.amounts[name]?.[key];
    if (!casesOf(record, operation).some((entry) => entry.amounts[name])) continue;
    const amount = (key) => ({ number: true, of: of(key), cell: (entry) => (of(key)(entry) === undefined ? '' : withPrefix(of(key)(entry))) });
    columns.push({ title: `declared ${name}`, ...amount('declared') }, { title: `counted ${title}`, ...amount('counted') },
      numberColumn('waste', of('waste'), `counted over declared ${name}`));
  }
  return addTable({ label: `${operation.name}: floors, declared and counted work`, columns, firstColumns: 7, rows: () => casesOf(record, operation).filter(passes) });
}

const refreshTables = () => tables.forEach(({ update }) => update());
