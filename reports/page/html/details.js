// Everything that the record says of one case.

const pairs = (entries) => make('dl', {}, entries.filter(([, value]) => value !== undefined && value !== null && value !== '')
  .flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value instanceof Node ? value : String(value))]));

const part = (title, ...children) => make('section', {}, make('h3', {}, title), ...children);

const plainTable = (header, rows, left = 1) => make('div', { class: 'scroll', tabindex: '0' }, make('table', {},
  make('thead', {}, make('tr', {}, header.map((title, i) => make('th', { scope: 'col', class: i >= left ? 'number' : null }, title)))),
  make('tbody', {}, rows.map((cells) => make('tr', {}, cells.map((cell, i) => make('td', { class: i >= left ? 'number' : null }, cell ?? '')))))));

// A number with as many digits as it is worth, six; with thin thousands where it is a count.
const exact = (value) => (value === null || value === undefined ? '' : Number.isInteger(value) && Math.abs(value) >= 10000 ? value.toLocaleString('en-US')
  : typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value));

// A fact of the input: words by name, or a number.
const inWords = (value) => (value && typeof value === 'object' && !Array.isArray(value)
  ? Object.entries(value).map(([name, word]) => `${name}: ${word}`).join(', ') : exact(value));

const sampleColor = '#0072B2', medianColor = '#D55E00';
const timeAxis = (field) => ({ field, type: 'quantitative', title: 'time (µs)', scale: { zero: false }, axis: { tickCount: 6 } });
const sampleConfig = { view: { stroke: '#cccccc' }, axis: { gridColor: '#e6e6e6', labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal' } };

// What is shown of all samples: the median with its interval, of several launches the mean over them.
const shownInterval = ({ median, ci95_low, ci95_high }) => {
  const data = { values: [{ median, ci95_low, ci95_high }] };
  return [{ data, mark: { type: 'rect', opacity: 0.25, color: medianColor }, encoding: { y: timeAxis('ci95_low'), y2: { field: 'ci95_high' } } },
    { data, mark: { type: 'rule', color: medianColor }, encoding: { y: timeAxis('median') } }];
};

// The samples of one launch in the order of the record, and how they are spread.
function launchSpecification(time) {
  const [interval, median] = shownInterval(time);
  return {
    data: { values: time.samples.map((us, i) => ({ us, i: i + 1 })) },
    config: sampleConfig,
    hconcat: [
      { width: 330, height: 150, layer: [
        interval,
        { mark: { type: 'point', filled: true, size: 14, opacity: 0.7, color: sampleColor },
          encoding: { x: { field: 'i', type: 'quantitative', title: 'sample, in order', axis: { tickMinStep: 1 } }, y: timeAxis('us'), tooltip: [{ field: 'i', type: 'nominal', title: 'sample' }, { field: 'us', type: 'nominal', title: 'µs' }] } },
        median,
      ] },
      { width: 260, height: 150, mark: { type: 'bar', color: sampleColor },
        encoding: { x: { ...timeAxis('us'), bin: { maxbins: 30 } }, y: { aggregate: 'count', title: 'samples' }, tooltip: [{ aggregate: 'count', title: 'samples' }] } },
    ],
  };
}

// A strip a launch: its samples from left to right as the record lists them, a stroke at its median; across all, the mean over launches.
function launchesSpecification(time, launches) {
  const x = { field: 'launch', type: 'ordinal', title: 'launch', axis: { labelAngle: 0 } };
  const xOffset = { field: 'place', type: 'quantitative', scale: { domain: [0, 1] } };
  const width = Math.min(660, Math.max(240, 64 * launches.length));
  const tooltip = [['launch', 'launch'], ['gpu', 'GPU'], ['sample', 'sample'], ['us', 'µs']].map(([field, title]) => ({ field, type: 'nominal', title }));
  return {
    data: { values: launches.flatMap(({ gpu, samples }, at) => samples.map((us, i) => ({ launch: at + 1, gpu, us, sample: i + 1, place: (i + 0.5) / samples.length }))) },
    config: sampleConfig,
    width, height: 200,
    layer: [
      ...shownInterval(time),
      { mark: { type: 'point', filled: true, size: 12, opacity: 0.55, color: sampleColor }, encoding: { x, xOffset, y: timeAxis('us'), tooltip } },
      { data: { values: launches.map(({ median, gpu }, at) => ({ launch: at + 1, gpu, us: median, sample: 'median', place: 0.5 })) },
        mark: { type: 'tick', orient: 'horizontal', size: width / launches.length - 12, thickness: 2.5, color: '#000000' }, encoding: { x, xOffset, y: timeAxis('us'), tooltip } },
    ],
  };
}

const samplesSpecification = ({ time_us: time, launches }) => (launches ? launchesSpecification(time, launches) : launchSpecification(time));

function samplesNote({ time_us: time, launches }) {
  const blocks = [...new Set((launches ?? [time]).map((of) => of.samples_per_block).filter(Boolean))];
  const kept = blocks.length === 0 ? '' : ` ${launches ? 'A later launch keeps' : 'The record keeps'} medians of ${blocks.join(' or ')} consecutive samples.`;
  if (launches) return `A strip a launch: its samples as the record lists them, sorted in committed records; the stroke is its median, the line across the mean over launches with its 95 % interval.${kept}`;
  return `The line is the median, with its 95 % interval.${kept}`;
}

// Counters by the unit that counts them.
const units = [
  [/^smsp__/, 'SM quarters (smsp)'], [/^sm__|^tpc__|^TPC/, 'SMs'], [/^l1tex__|^idc__/, 'L1 and shared memory (l1tex)'], [/^lts__|^ltc__/, 'L2 (lts)'],
  [/^dram__|^fbpa__|^FBSP/, 'DRAM'], [/^gpu__|^gpc__/, 'GPU'], [/./, 'others'],
];
const unitOf = (counter) => units.find(([pattern]) => pattern.test(counter))[1];

function countersPart(entry) {
  const { counters } = entry;
  const { values } = counters;
  const names = Object.keys(values);
  const missing = Object.entries(counters.missing);
  const said = [`set ${counters.set}`];
  if (counters.coherent === true) said.push('the passes agree on what they all count');
  if (counters.coherent === false) said.push('the passes disagree on what they all count: do not compare counters of different groups');
  if (counters.over_timed) said.push(`§ that launch took ${counters.over_timed.toFixed(2)}× the time of the timed ones: these counters describe another regime`);
  if (counters.output) said.push(counters.output === 'ok' ? 'the output was right after every pass' : 'the output differed after a pass');
  const kernels = counters.kernels.map((kernel, i) => kernelCounters(entry, i));
  const header = () => ['counter', 'case', ...(kernels.length > 1 ? counters.kernels.map(({ name }) => make('span', { title: name }, shortKernel(name, entry.operation))) : [])];
  return part('Counters',
    make('p', {}, counters.reason ? `None: ${counters.reason}.` : `${said.join('; ')}.`),
    ...units.map(([, unit]) => {
      const of = names.filter((name) => unitOf(name) === unit);
      if (of.length === 0) return null;
      return make('details', { open: names.length <= 60 }, make('summary', {}, `${unit} (${of.length})`),
        plainTable(header(), of.map((name) => [make('code', {}, name), values[name] === null ? 'not read' : exact(values[name]),
          ...(kernels.length > 1 ? kernels.map((kernel) => exact(kernel[name])) : [])])));
    }),
    missing.length === 0 ? null : make('ul', {}, missing.map(([reason, of]) => make('li', {}, `Not read, because ${reason}: `, make('code', {}, of.join(', '))))));
}

function kernelsPart(entry) {
  if (entry.kernels.length === 0) return null;
  const { architecture } = entry.record;
  const counted = kernelRows([entry]);
  return part('Kernels',
    plainTable(['kernel', 'grid', 'block', 'dynamic shared bytes', 'theoretical occupancy'], entry.kernels.map((kernel) => [
      make('code', {}, kernel.name), kernel.grid.join('×'), kernel.block.join('×'), exact(kernel.dynamic_shared_bytes),
      Object.entries(kernel.theoretical_occupancy).map(([on, value]) => `${on}: ${value === null ? 'unknown' : `${(100 * value).toFixed(1)} %`}`).join(', ')])),
    counted.length === 0 ? null : plainTable(kernelColumns(architecture).map(({ title }) => title), counted.map((row) => kernelColumns(architecture).map(({ cell }) => cell(row)))));
}

function figuresPart(entry) {
  const { figures, record } = entry;
  const up = entry.speed_up;
  return pairs([
    ['speed-up', up && make('span', {}, `${exact(up.ratio)} (${significant(up.low)} to ${significant(up.high)}) over `, caseLink(record.cases[up.over], record.cases[up.over].variant),
      up.launches ? `, in ${up.launches} launches` : null, up.moved_pct ? `; that itself took up to ${up.moved_pct.toFixed(0)} % longer in one than in another` : null)],
    ['throughput', figures.points_per_s && `${withPrefix(figures.points_per_s)}points/s`],
    ...record.metrics.map(({ name, title, formula }) => [title, figures[name] !== undefined && make('span', { title: formula }, exact(figures[name]), regimeMark(entry))].map((value) => value || undefined)),
  ]);
}

function statePart(entry) {
  const state = entry.device_state;
  if (!state) return null;
  const keys = [...new Set(['before', 'after'].flatMap((when) => Object.keys(state[when] ?? {})))];
  const text = (value) => (Array.isArray(value) ? value.join(', ') || 'none' : exact(value));
  return part('Device state', plainTable(['', 'before', 'after'], keys.map((key) => [key, text(state.before?.[key]), text(state.after?.[key])])));
}

function noisePart({ noise }) {
  if (!noise) return null;
  const percent = (value) => (value === null ? undefined : `${significant(value)} %`);
  return part('Noise', pairs([['within this launch', percent(noise.within_pct)], ['between launches', percent(noise.launches_pct)],
    ['A/A noise floor', percent(noise.floor_pct)], ['effects of the A/A runs', noise.effects_pct.map((value) => `${value > 0 ? '+' : ''}${value.toFixed(2)} %`).join(', ')]]));
}

function workPairs({ random, reductions, steps, ...amounts }) {
  return [...Object.entries(amounts).map(([name, value]) => [name, exact(value)]),
    ...(random ?? []).map(({ resource, count, footprint_bytes: bytes }) => [resource, `${exact(count)} over ${withPrefix(bytes)}B`]),
    ...(reductions ?? []).map(({ ceiling, count }) => [ceiling, exact(count)]),
    ...(steps ?? []).map(({ kind, count, bytes, flops, exponentials }) => [`${exact(count)} steps: ${kind}`,
      [[bytes, 'B'], [flops, 'FLOP'], [exponentials, ' exponentials']].filter(([amount]) => amount > 0).map(([amount, unit]) => withPrefix(amount) + unit).join(', ')])];
}

function detailsOf(entry) {
  const { time_us: time, floors } = entry;
  const samples = make('div', { class: 'plot' });
  const hasPlot = (kind) => plotFigures.some(({ plot }) => plot.kind === kind && plot.cases.includes(entry));
  const content = make('div', {},
    make('div', { class: 'details-head' },
      make('h2', { id: 'details-title' }, `${entry.operation}: ${entry.variant}`),
      make('button', { type: 'button', class: 'close', onclick: () => document.getElementById('details').close() }, 'Close')),
    make('p', { class: 'id' }, make('code', {}, entry.name)),
    make('p', {}, `${entry.record.device}, suite ${entry.record.suite}${records.length > 1 ? `, ${entry.record.label}` : ''}`),
    part('Time', make('div', { class: 'cards' },
      pairs([[entry.launches ? `mean of ${entry.launches.length} launches, µs` : 'median µs', exact(time.median)], ['95 % interval', `${exact(time.ci95_low)} to ${exact(time.ci95_high)}`], ['least µs', exact(time.min)],
        ['median absolute deviation µs', exact(time.mad)], ['timed by', time.method], ['samples', time.sample_count ?? time.samples.length], ['launches a sample', time.launches_per_sample],
        ['warm-up launches', time.warmup_launches], ['ended by', time.stopped_by]]),
      entry.quality ? make('div', {}, make('p', {}, 'Quality of the output'), pairs(Object.entries(entry.quality).map(([name, value]) => [name, value === null ? 'none' : exact(value)]))) : null,
      figuresPart(entry)), samples, make('p', { class: 'note' }, samplesNote(entry))),
    noisePart(entry),
    countersPart(entry), kernelsPart(entry),
    hasPlot('picture') ? part('Picture', make('p', {}, 'A picture of this case’s output is in the report, under “Pictures of the output”.')) : null,
    !hasPlot('timeline') ? null : part('Over time', make('p', {}, 'A timeline of this case is in the report, under “Activity over time”.')),
    make('div', { class: 'cards' },
      floors && part('Floors', pairs([...['launch', 'bytes', 'flops', 'exponentials'].filter((name) => `${name}_us` in floors).map((name) => [`${name} µs${floors.binding === name ? ' (binds)' : ''}`, exact(floors[`${name}_us`])]),
        ['time over floor', exact(floors.time_over_floor)]])),
      floors && part('Models of one way of doing it', pairs([...['atomics', 'random', 'gathered', 'steps'].filter((name) => `${name}_us` in floors).map((name) => [`${name} µs${floors.model_binding === name ? ' (binds)' : ''}`, exact(floors[`${name}_us`])]),
        ...('time_over_model' in floors ? [['time over model', exact(floors.time_over_model)]] : [])])),
      part('Work', pairs(workPairs(entry.work))),
      part('Counted over declared work', pairs(Object.entries(entry.amounts).map(([name, { counted, waste, by }]) => [name,
        counted !== undefined && make('span', { title: by }, `${exact(counted)}${waste === undefined ? '' : `, ${significant(waste)} times`}`)].map((value) => value || undefined)))),
      entry.instrumented && part('Counted by the instrumented form', pairs(Object.entries(entry.instrumented).map(([name, value]) => [name, exact(value)]))),
      part('Input', pairs([...Object.entries(entry.axes), ...Object.entries(entry.switches).map(([name, value]) => [`switch ${name}`, value]),
        ...Object.entries(entry.input).map(([name, value]) => [`input ${name}`, inWords(value)])])),
      part('Check against the oracle', pairs([...(entry.check.against === undefined ? [] : [['the oracle is', `the variant ${entry.check.against}`]]), ['before timing', entry.check.before], ...(entry.check.timed === undefined ? [] : [['timed launches', entry.check.timed]]), ['after timing', entry.check.after], ['greatest error', exact(entry.check.max_error)], ...(entry.check.accepted_error === undefined ? [] : [['accepted error', exact(entry.check.accepted_error)]]), ...(entry.check.changed_share === undefined ? [] : [['share of the bytes that the two differ in', exact(entry.check.changed_share)]])])),
      statePart(entry)));
  return { content, samples };
}

// Of several records the link says which; a case's name may be in all.
const linkOf = ({ name, record }) => `#${records.length > 1 ? `record=${record.place}&` : ''}case=${encodeURIComponent(name)}`;

async function showDetails(entry) {
  const dialog = document.getElementById('details');
  const { content, samples } = detailsOf(entry);
  dialog.replaceChildren(content);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  history.replaceState(null, '', linkOf(entry));
  await drawSpecification(samples, samplesSpecification(entry), `samples of ${entry.name}`);
  dialog.dataset.case = entry.key;
}
