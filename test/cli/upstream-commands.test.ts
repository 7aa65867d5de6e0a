/** Tests the commands and flags of upstream's CLI 3.1, as listed by its own help. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compareCommands, upstreamCliDocument } from '../../scripts/docs/upstream-cli.ts';
import { parseInput, UsageError } from '../../src/entry/cli/command.ts';
import { asUpstream } from '../../src/entry/cli/core/upstream-commands.ts';
import { registry } from '../../src/entry/cli/registry.ts';

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

test.each(commands.filter(({ name }) => registry[name] !== undefined))(
  'supabase $name accepts every flag or rejects it with a sentence',
  async ({ name, flags = new Map() }) => {
    const command = await registry[name]?.load();
    if (command === undefined) throw new Error(`no command ${name}`);
    const words = name.split(' ');
    for (const flag of ['', ...flags.keys()]) {
      const given = flag === '' ? [] : [takesValue(command, flag) ? `${flag}=1` : flag];
      const args = asUpstream([...words, ...given]).slice(words.length);
      try {
        parseInput(command, args);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        expect((error as UsageError).message).toMatch(/^--[a-z-]+: .+\.$/);
      }
    }
  },
);

/** Whether the flag needs a value, which upstream's list doesn't contain for all flags. */
function takesValue(command: Parameters<typeof parseInput>[0], flag: string): boolean {
  try {
    parseInput(command, [flag]);
    return false;
  } catch (error) {
    return /argument missing|ambiguous/.test((error as Error).message);
  }
}
