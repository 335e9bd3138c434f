// What is said of a whole run: claims held against it, noise, device state.

const verdictNames = ['reproduced', 'refuted', 'inconclusive', 'not measured'];

// "12 reproduced, 3 refuted", or nothing where no claim is on these operations. What others published and what we
// predicted ourselves are counted apart.
function claimCounts(record) {
  const countsOf = (claims) => verdictNames.map((verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length])
    .filter(([, count]) => count > 0).map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  const [own, published] = [true, false].map((isOwn) => record.claims.filter((claim) => claim.own === isOwn));
  if (own.length === 0 || published.length === 0) return countsOf(record.claims);
  return `${published.length} published (${countsOf(published)}), ${own.length} of our own (${countsOf(own)})`;
}

const short = (value) => Number(value.toPrecision(4)).toLocaleString('en-US', { maximumSignificantDigits: 4 });

function boundsText(bounds) {
  if (!bounds) return '';
  const { at_least: low, at_most: high } = bounds;
  if (high === null) return `at least ${short(low)}`;
  if (low === null) return `at most ${short(high)}`;
  return low === high ? short(low) : `${short(low)} to ${short(high)}`;
}

function claimFigure({ figure, figures, unit }) {
  if (!figure) return '';
  const values = figures.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const text = figures.length === 1 ? `${short(figure.value)}${figure.low < figure.high ? ` [${short(figure.low)}, ${short(figure.high)}]` : ''}`
    : low === high ? `${short(low)} in all ${figures.length}` : `${short(low)} to ${short(high)}, median ${short(figure.value)}`;
  return unit ? `${text} ${unit}` : text;
}

// What the verdict rests on, figure by figure.
function claimDetails(record, claim) {
  const named = (i) => (i === null ? 'a case that the record lacks' : caseLink(record.cases[i], `${record.cases[i].variant}, ${workloadText(record.cases[i])}`));
  const joined = (cases) => make('span', {}, cases.flatMap((i, at) => (at === 0 ? [named(i)] : [` ${claim.by || 'and'} `, named(i)])));
  const missing = [...new Set(claim.missing.map(({ reason }) => reason))].map((reason) => {
    const of = claim.missing.filter((one) => one.reason === reason);
    return make('li', {}, `${of.length} cases without a figure: ${reason}`);
  });
  return make('div', {},
    make('p', {}, `${claim.document}, ${claim.section}${claim.about ? `; about ${claim.about}` : ''}. ${claim.note} Registered ${claim.registered}.`),
    make('p', {}, `${claim.why}.`),
    claim.figures.length === 0 ? null : plainTable(['figure', 'interval', 'in the expectation', claim.by ? `case ${claim.by} case` : 'cases'],
      claim.figures.slice(0, 60).map(({ value, low, high, place, cases }) => [short(value), low < high ? `${short(low)} to ${short(high)}` : 'exact', place, cases.length > 2 ? `${cases.length} cases` : joined(cases)]), 3),
    claim.figures.length > 60 ? make('p', { class: 'note' }, `and ${claim.figures.length - 60} further figures, which claims.md has.`) : null,
    missing.length > 0 ? make('ul', {}, missing) : null);
}

function claimsSection(record, contents) {
  if (record.claims.length === 0) return null;
  const isShown = ({ figures }) => figures.length === 0 || figures.some(({ cases }) => cases.some((i) => i === null || passes(record.cases[i])));
  return section(contents, 2, 'Claims',
    make('p', {}, `${record.claims.length} claims on these operations: ${claimCounts(record)}.${record.other_claims > 0 ? ` ${record.other_claims} further claims are on other operations.` : ''}`),
    make('p', { class: 'note' }, record.how_claims_are_judged),
    addTable({
      label: 'claims',
      columns: [
        { title: 'verdict', of: ({ verdict }) => verdictNames.indexOf(verdict), cell: ({ verdict, marks }) => make('span', {}, badge(verdict), marks ? ` ${marks}` : '') },
        { title: 'claim', of: ({ id }) => id, cell: (claim) => lazyDetails(make('span', {}, make('code', {}, claim.id), ' ', claim.statement), () => claimDetails(record, claim), { class: 'claim' }) },
        { title: 'figure', of: ({ figure }) => figure?.value, cell: claimFigure },
        { title: 'expected', of: ({ expectation }) => boundsText(expectation) },
        ...(record.claims.every(({ prediction }) => !prediction) ? [] : [{ title: 'predicted', of: ({ prediction, prediction_verdict: outcome }) => (prediction ? `${boundsText(prediction)}${outcome ? `: ${{ reproduced: 'as predicted', refuted: 'not as predicted', inconclusive: 'in part' }[outcome] ?? 'open'}` : ''}` : '') }]),
      ],
      rows: () => record.claims.filter(isShown),
    }));
}

const runPlot = (record, name) => record.run_plots.filter((plot) => plot.name.endsWith(name)).map((plot) => {
  plot.record = record;
  return makePlot(plot);
});

function noiseSection(record, contents) {
  const { said, table, has_floors: hasFloors, too_noisy_pct: tooNoisy } = record.noise;
  if (table.lines.length === 0) return null;
  const entries = () => record.cases.filter((entry) => entry.noise && passes(entry));
  const percent = (title, key) => ({ title, number: true, of: ({ noise }) => noise[key], cell: ({ noise }) => percentText(noise[key]) });
  return section(contents, 2, 'Noise',
    make('ul', {}, said.map((line) => make('li', {}, ...sentence(line)))),
    textTable(record, table, 'noise by operation'),
    ...runPlot(record, 'noise'),
    lazyDetails('Noise of each case', () => addTable({
      label: 'noise of each case',
      columns: [
        { title: 'operation', of: ({ operation }) => operation },
        { title: 'variant', of: ({ variant }) => variant, cell: (entry) => caseLink(entry, entry.variant) },
        { title: 'workload', of: workloadText },
        { title: 'cache state', of: (entry) => entry.cache_state },
        { title: 'median µs', number: true, of: (entry) => entry.time_us.median, cell: (entry) => significant(entry.time_us.median) },
        percent('within this launch (%)', 'within_pct'), percent('between launches (%)', 'launches_pct'),
        ...(hasFloors ? [percent('A/A noise floor (%)', 'floor_pct'),
          { title: 'A/A runs', number: true, of: ({ noise }) => noise.effects_pct.length || undefined },
          { title: 'gate', of: ({ noise }) => (noise.floor_pct === null ? 'no floor' : noise.floor_pct > tooNoisy ? 'too noisy to fail' : '') }] : []),
      ],
      rows: entries,
    })));
}

function deviceSection(record, contents) {
  const plots = runPlot(record, 'device-state');
  const said = factOf(record, 'device state');
  if (plots.length === 0) return null;
  return section(contents, 2, 'Device state over the run', said ? make('p', {}, `${said}.`) : null, ...plots);
}
