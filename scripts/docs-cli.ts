/** Writes docs/cli.md. A test fails when the file is stale. */
import { writeFileSync } from 'node:fs';
import { cliDocument } from '../src/cli/document.ts';

writeFileSync(new URL('../docs/cli.md', import.meta.url), await cliDocument());
