// Several records side by side: the first, and each other one over it.

const sideRow = (sides_) => {
  const entries = sides_.map((side, i) => (side.case === undefined ? null : records[i].cases[side.case]));
  return { sides: sides_, entries, first: entries.find(Boolean) };
};

const ratioText = ({ ratio, low, high }) => `${ratio.toFixed(3)}${low && high ? ` (${low.toFixed(3)} to ${high.toFixed(3)})` : ''}`;

function sideNotes() {
  return make('ul', {}, sides.records.map(({ label, launches, why_not: whyNot, answer, invalid, notes }, i) => make('li', {},
    make('strong', {}, label), ` ${records[i].suite}${launches > 1 ? `, ${launches} launches` : ''}`,
    i === 0 ? '; the others are held against it.' : answer ? '; another kind of GPU: ratios without verdicts.' : whyNot ? `; judged by nothing: ${whyNot}.` : '.',
    invalid ? make('div', { class: 'missing' }, badge('INVALID'), ` ${invalid}.`) : null,
    notes?.length ? make('ul', {}, notes.map((note) => make('li', {}, ...sentence(note)))) : null)));
}

function sideTable() {
  const rows = sides.rows.map(sideRow);
  const others = sides.records.slice(1).map(({ label }, i) => ({ label, at: i + 1 }));
  const isJudged = ({ at }) => rows.some(({ sides: all }) => all[at].word);
  const several = new Set(rows.map(({ first }) => first.operation)).size > 1;
  return addTable({
    label: 'cases side by side',
    columns: [
      ...(several ? [{ title: 'operation', of: ({ first }) => first.operation }] : []),
      { title: 'variant', of: ({ first }) => first.variant, cell: ({ first }) => caseLink(first, first.variant) },
      { title: 'workload', of: ({ first }) => workloadText(first) },
      { title: 'cache state', of: ({ first }) => first.cache_state },
      ...sides.records.map(({ label }, i) => ({
        title: `${label}, µs`, number: true, of: ({ entries }) => entries[i]?.time_us.median,
        cell: ({ entries, sides: all }) => (entries[i] ? caseLink(entries[i], medianText(entries[i].time_us)) : make('span', { class: 'note' }, all[i].reason ?? '')),
      })),
      ...others.flatMap((other) => [
        { title: others.length > 1 ? `${other.label}, times faster than the first` : 'times faster than the first', number: true, of: ({ sides: all }) => all[other.at].ratio,
          cell: ({ sides: all, entries }) => (all[other.at].ratio ? ratioText(all[other.at]) : entries[other.at] && entries[0] ? all[other.at].reason ?? '' : '') },
        ...(isJudged(other) ? [{ title: 'verdict', of: ({ sides: all }) => all[other.at].word,
          cell: ({ sides: all }) => (all[other.at].word ? make('span', { title: all[other.at].reason ?? null }, badge(all[other.at].word)) : '') }] : []),
      ]),
    ],
    rows: () => rows.filter(({ entries }) => entries.some((entry) => entry && passes(entry))),
  });
}

// Of two kinds of GPU: which is faster, and where.
const deviceSections = (contents) => sides.records.filter(({ answer }) => answer).map(({ label, answer, tables: all }) => namedSection(contents, 2, `Which GPU is faster: ${label}`, `devices-${label}`,
  make('p', {}, answer),
  ...all.map(({ title, note, rows }) => make('details', { open: rows.lines.length <= 12 }, make('summary', {}, title), note ? make('p', { class: 'note' }, note) : null,
    rows.lines.length > 0 ? textTable(null, rows, `${label}: ${title}`) : null))));

function sideSections(contents) {
  const out = [make('h1', {}, 'Side by side'), sideNotes(), make('p', { class: 'note' }, ...sentence(sides.how))];
  out.push(...deviceSections(contents));
  if (sides.counts.lines.length === 0) return [...out, make('p', {}, 'No case stands in two of these records.')];
  out.push(section(contents, 2, 'Which is faster, and where', textTable(null, sides.counts, 'records by operation')));
  if (sides.plots.length > 0) out.push(section(contents, 2, 'Curves of the records', ...plotSection(sides.plots)));
  out.push(section(contents, 2, 'Case by case', sideTable()));
  return out;
}
