/** Tests the commands and flags of upstream's CLI 3.1, as listed by its own help. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compareCommands, upstreamCliDocument } from '../../scripts/docs/upstream-cli.ts';

const commands = await compareCommands();

test('docs/upstream-cli.md is up to date', async () => {
  const text = readFileSync(new URL('../../docs/upstream-cli.md', import.meta.url), 'utf8');
  expect(text, 'Run "node scripts/docs-cli.ts".').toBe(await upstreamCliDocument());
});

test('every command exists or has a replacement', () => {
  expect(commands.length).toBeGreaterThan(100);
  const without = commands.filter(({ flags, instead }) => flags === undefined && instead === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
});

test.each(commands.filter(({ flags }) => flags !== undefined).map(({ name, flags }) => ({ name, flags })))(
  'every flag of $name works or is explained',
  ({ flags = new Map() }) => {
    for (const [flag, state] of flags)
      if (state.kind !== 'works')
        expect([flag, state.reason]).not.toEqual([flag, expect.stringMatching(/Unknown/)]);
  },
);
