/** Parses the commands of documentation pages, for the tests that don't run them. */
import { type ParsedInput, parseInput } from '../../src/entry/cli/command.ts';
import { registry } from '../../src/entry/cli/registry.ts';

/** Finds the command at the start of the words, and parses the other words. @throws {UsageError} */
export async function parseCommand(words: readonly string[]): Promise<ParsedInput> {
  for (const count of [3, 2, 1]) {
    const entry = registry[words.slice(0, count).join(' ')];
    if (entry !== undefined) return parseInput(await entry.load(), words.slice(count));
  }
  throw new Error(`unknown command: ${words.join(' ')}`);
}
