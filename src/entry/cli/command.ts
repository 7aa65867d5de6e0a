/** Defines commands, parses their arguments with `node:util`, and formats their help texts. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearest } from '../../platform/config/index.ts';
import { remoteWithValue, upstreamFlagsOf, withoutBooleanValues } from './core/upstream-flags.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder for the option's value in the help text, such as `PORT`. */
  readonly value?: string;
  readonly help: string;
  /**
   * Whether the help omits the option, because only Plinth's processes use it or it is accepted only for compatibility.
   */
  readonly hidden?: true;
}

export interface Command {
  /** The command as users type it, such as `migration new`. */
  readonly name: string;
  /** The positional arguments, such as `NAME` and `[LANG]`. */
  readonly takes?: string;
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Example command lines, with descriptions. */
  readonly examples: readonly (readonly [line: string, effect: string])[];
  /** Returns additional lines for the end of the help text. */
  readonly more?: () => Promise<readonly string[]>;
  /** Runs the command and resolves with the exit status. */
  run(input: Input): Promise<number>;
}

export interface Input {
  readonly positionals: readonly string[];
  /** Returns an option's last value. */
  text(name: string): string | undefined;
  /** Returns all values of an option. Commas separate values. */
  list(name: string): string[];
  flag(name: string): boolean;
  /** Returns an option's value as a port. @throws {UsageError} */
  port(name: string): number | undefined;
}

/** The error for an invalid command line. The CLI prints the error and the command's usage, and exits with status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const projectOptions = {
  workdir: {
    type: 'string',
    value: 'DIR',
    help: 'Folder that contains supabase/. Default: the closest such folder, from the working directory upward.',
  },
  'data-dir': { type: 'string', value: 'DIR', help: 'Data folder. Default: .plinth in the project folder.' },
} as const satisfies Record<string, Option>;

export interface ParsedInput extends Input {
  readonly help: boolean;
  /** Notes about flags from upstream's CLI that are accepted but have no effect in Plinth. */
  readonly notes: readonly string[];
}

/** Parses the arguments of a command. @throws {UsageError} */
export function parseInput(command: Command, args: readonly string[]): ParsedInput {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  const upstream = upstreamFlagsOf(command.name, command.options);
  const all: Readonly<Record<string, Pick<Option, 'type' | 'short' | 'multiple'>>> = {
    ...upstream,
    ...command.options,
  };
  for (const [name, { type, short, multiple }] of Object.entries(all)) {
    options[name] = { type, ...(short ? { short } : {}), multiple: multiple ?? false };
  }
  const booleans = Object.entries(options).flatMap(([name, { type }]) => (type === 'boolean' ? [name] : []));
  const hasLinked = 'linked' in command.options && !('remote' in command.options);
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: withoutBooleanValues(remoteWithValue(args, hasLinked), new Set(booleans)),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(explainParseError(error as Error, Object.keys(options)));
  }
  const { values, positionals } = parsed;
  const notes: string[] = [];
  for (const [name, { note, refuse }] of Object.entries(upstream)) {
    if (values[name] === undefined) continue;
    if (refuse !== undefined) throw new UsageError(`--${name}: ${refuse}.`);
    if (note !== undefined) notes.push(`--${name}: ${note}.`);
  }
  const max =
    command.takes === undefined
      ? 0
      : command.takes.endsWith('...')
        ? Infinity
        : command.takes.split(' ').length;
  if (positionals.length > max) throw new UsageError(explainUnexpected(command, positionals[max]));

  const text = (name: string) => {
    const value = values[name];
    return Array.isArray(value) ? (value.at(-1) as string | undefined) : (value as string | undefined);
  };
  return {
    positionals,
    help: values.help === true,
    notes,
    text,
    list: (name) =>
      ([values[name] ?? []].flat() as string[])
        .flatMap((value) => value.split(','))
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    flag: (name) => values[name] === true,
    port: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const port = Number(value);
      if (!/^\d+$/.test(value) || port > 65_535) throw new UsageError(`--${name}: ${value} isn't a port`);
      return port;
    },
  };
}

/** Names the option for a folder, because other tools take the folder as an argument, as in `init .`. */
function explainUnexpected({ name, takes, options }: Command, argument: string | undefined): string {
  const sentences = [`Unexpected argument ${argument}`];
  if (takes === undefined) sentences.push(`"plinth ${name}" doesn't take arguments`);
  if (takes === undefined && 'workdir' in options) sentences.push('To use another folder, add --workdir DIR');
  return sentences.join('. ');
}

function explainParseError({ message }: Error, known: readonly string[]): string {
  const sentence = message.replace(/\. To specify.*/s, '');
  const option = /^Unknown option '--(.+)'/.exec(sentence)?.[1];
  const near = option === undefined ? undefined : nearest(option, known);
  return near === undefined ? sentence : `${sentence}; did you mean --${near}?`;
}

export async function helpOf({ name, takes, about, options, examples, more }: Command): Promise<string> {
  const usage = ['plinth', name, ...(takes === undefined ? [] : [takes]), '[options]'].join(' ');
  const all = {
    ...options,
    help: { type: 'boolean', short: 'h', help: 'Prints this help.' } satisfies Option,
  };
  const shown = Object.entries<Option>(all).filter(([, { hidden }]) => hidden !== true);
  const rows = shown.map(([option, { short, value, help }]: [string, Option]) => [
    `${short ? `-${short}, ` : '    '}--${option}${value ? ` ${value}` : ''}`,
    help,
  ]);
  const width = Math.max(...rows.map(([left]) => left?.length ?? 0));
  return [
    about,
    '',
    `Usage: ${usage}`,
    '',
    'Options:',
    ...rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Examples:',
    ...examples.map(([line, effect]) => `  ${line}\n      ${effect}`),
    ...(more === undefined ? [] : ['', ...(await more())]),
  ].join('\n');
}
