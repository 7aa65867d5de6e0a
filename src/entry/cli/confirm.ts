import { createInterface } from 'node:readline/promises';
import { printable } from '../../base/shared/printable.ts';
import type { Input } from './command.ts';

/**
 * Asks for confirmation on a terminal. Without a terminal, returns `byDefault`. With `--yes`, returns true immediately.
 */
export async function confirm(input: Input, question: string, byDefault: boolean): Promise<boolean> {
  if (input.flag('yes')) return true;
  if (!process.stdin.isTTY) return byDefault;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(`${printable(question)} [${byDefault ? 'Y/n' : 'y/N'}] `)).trim();
    return answer === '' ? byDefault : /^y/i.test(answer);
  } finally {
    terminal.close();
  }
}
