// Writes a file whole or not at all: a full disk leaves the old one.
import { renameSync, rmSync, writeFileSync } from 'node:fs';

export const writeWhole = (file, text) => {
  const part = `${file}.${process.pid}.part`;
  try {
    writeFileSync(part, text, { flush: true });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
};
