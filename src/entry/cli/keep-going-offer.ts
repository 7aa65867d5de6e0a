/** Offers `--keep-going` if a statement of the project's files fails when the database is created. */
import { ProjectError } from '../../project/folder/index.ts';
import type { Input } from './command.ts';
import { confirm } from './confirm.ts';
import { CommandError, describeError } from './errors.ts';
import { say } from './output.ts';

const codes: readonly string[] = ['statement_failed', 'commit_failed', 'copy_from_stdin'];

/** Whether --keep-going would skip the statement that failed. */
export const isSkippable = (error: unknown): boolean =>
  error instanceof ProjectError && codes.includes(error.code);

/** Adds a sentence about --keep-going to the error. Returns any other error unchanged. */
export function withKeepGoingAdvice(error: unknown, command: 'start' | 'db reset'): unknown {
  if (!isSkippable(error)) return error;
  const { message, advice } = describeError(error);
  return new CommandError(
    message,
    ...advice,
    `To skip the statements that fail, run "plinth ${command} --keep-going". It lists these statements and what their absence means for security.`,
  );
}

/** Asks whether to continue with --keep-going. Returns false if the answer can't come from a person. */
export async function acceptsKeepGoing(input: Input, shown: unknown): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || input.flag('json') || input.flag('follow'))
    return false;
  if (shown !== undefined) {
    const { message, advice } = describeError(shown);
    say([message, ...advice].join('\n'));
  }
  return await confirm(
    input,
    '\nSkip the statements that fail and start with the rest of the schema?',
    false,
  );
}
