/** Writes docs/config.md. A test fails when the file is stale. */
import { writeFileSync } from 'node:fs';
import { configDocument } from '../src/config/document.ts';

writeFileSync(new URL('../docs/config.md', import.meta.url), configDocument());
