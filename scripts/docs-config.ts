/** Writes docs/config.md. A test fails if the file is out of date. */
import { writeFileSync } from 'node:fs';
import { configDocument } from '../src/platform/config/document.ts';

writeFileSync(new URL('../docs/config.md', import.meta.url), configDocument());
