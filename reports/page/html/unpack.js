// JSON as reports/page/packed_json.h packs it. Nothing that is read is held twice, so each part may be changed by itself.

function unpacked({ keys, shared, value }) {
  const read = (part) => {
    if (part === null || typeof part !== 'object') return part;
    if (!Array.isArray(part)) return read(shared[part['']]);
    const [kind, ...parts] = part;
    if (kind < 0) return parts.map(read);
    return Object.fromEntries(keys[kind].map((key, i) => [key, read(parts[i])]));
  };
  return read(value);
}
