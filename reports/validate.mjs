// node validate.mjs SCHEMA FILE…: checks JSON files, records compressed by xz too, against a JSON Schema (draft 2020-12). Prints the pointer and the
// problem for each that does not hold. Exit code 0 when all hold, 2 when one does not or cannot be read.
import Ajv2020 from 'ajv/dist/2020.js';
import { readRecord } from './read_record.mjs';

function read(file) {
  try {
    return readRecord(file);
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exit(2);
  }
}

const [schema, ...files] = process.argv.slice(2);
if (!schema || files.length === 0) {
  console.error('usage: node validate.mjs SCHEMA FILE...');
  process.exit(2);
}

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
let check;
try {
  check = ajv.compile(read(schema));
} catch (error) {
  console.error(`${schema}: ${error.message}`);
  process.exit(2);
}

let failed = false;
for (const file of files) {
  if (check(read(file))) continue;
  failed = true;
  for (const { instancePath, message, params } of check.errors) {
    const detail = params.allowedValues ? `: ${params.allowedValues.join(', ')}` : params.additionalProperty ? `: ${params.additionalProperty}` : '';
    console.error(`${file}: ${instancePath || '/'}: ${message}${detail}`);
  }
}
process.exit(failed ? 2 : 0);
