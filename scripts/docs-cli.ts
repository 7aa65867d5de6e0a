/** Writes docs/cli.md, docs/upstream-cli.md and docs/rest.md. A test fails if a file is out of date. */
import { writeFileSync } from 'node:fs';
import { cliDocument } from '../src/entry/cli/document.ts';
import { restDocument } from '../src/entry/rest-server/index.ts';
import { upstreamCliDocument } from './docs/upstream-cli.ts';

writeFileSync(new URL('../docs/cli.md', import.meta.url), await cliDocument());
writeFileSync(new URL('../docs/upstream-cli.md', import.meta.url), await upstreamCliDocument());
writeFileSync(new URL('../docs/rest.md', import.meta.url), restDocument());
