/**
 * Compares the commands and flags of upstream's CLI 3.1 with Plinth's, and writes docs/upstream-cli.md. The list in
 * upstream-cli.json is taken from the help text of each command in `supabase@3.1.0`.
 */
import { readFileSync } from 'node:fs';
import { parseInput, UsageError } from '../../src/entry/cli/command.ts';
import { upstreamNames } from '../../src/entry/cli/commands/inspect.ts';
import { insteadOf } from '../../src/entry/cli/core/upstream-commands.ts';
import { aliases, registry } from '../../src/entry/cli/registry.ts';

export type FlagState =
  | { readonly kind: 'works' }
  | { readonly kind: 'no effect' | 'rejected'; readonly reason: string };

export interface ComparedCommand {
  readonly name: string;
  /** The state of each flag. The map is undefined if Plinth doesn't have the command. */
  readonly flags: ReadonlyMap<string, FlagState> | undefined;
  /** The alternative to a command that Plinth doesn't support. */
  readonly instead: string | undefined;
}

const listed = JSON.parse(readFileSync(new URL('upstream-cli.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;

export const compareCommands = (): Promise<ComparedCommand[]> =>
  Promise.all(
    Object.entries(listed).map(async ([name, flags]) => {
      const entry = entryOf(name);
      if (entry === undefined) return { name, flags: undefined, instead: insteadOf(name.split(' '))?.text };
      const command = await entry.load();
      return {
        name,
        flags: new Map(flags.map((flag) => [flag.replace(' VALUE', ''), stateOf(command, flag)])),
        instead: undefined,
      };
    }),
  );

/** In Plinth, the names of `inspect` reports are arguments of a single command. */
function entryOf(name: string) {
  const report = /^inspect db (.+)/.exec(name)?.[1];
  if (report !== undefined && !Object.hasOwn(upstreamNames, report)) return undefined;
  const key = name.startsWith('inspect ') ? 'inspect' : name;
  return registry[aliases[key] ?? key];
}

function stateOf(command: Parameters<typeof parseInput>[0], flag: string): FlagState {
  const [name = '', value] = flag.split(' ');
  try {
    const { notes } = parseInput(command, [value === undefined ? name : `${name}=1`]);
    const [note] = notes;
    return note === undefined ? { kind: 'works' } : { kind: 'no effect', reason: textOf(note) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'rejected', reason: textOf(error.message) };
  }
}

const textOf = (message: string): string => message.replace(/^--[\w-]+: /, '').replace(/\.$/, '');

export async function upstreamCliDocument(): Promise<string> {
  const commands = await compareCommands();
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const supported = commands.flatMap(({ name, flags }) => {
    if (flags === undefined) return [];
    const working = [...flags].filter(([, { kind }]) => kind === 'works').map(([flag]) => flag);
    const others = [...flags].flatMap(([flag, state]) =>
      state.kind === 'works' ? [] : [`\`${flag}\`: ${state.kind}, because ${state.reason}`],
    );
    return [`| \`${name}\` | ${code(working)} | ${others.join('; ')} |`];
  });
  const missing = commands.flatMap(({ name, flags, instead }) =>
    flags === undefined ? [`| \`${name}\` | ${(instead ?? '').replaceAll('|', '\\|')} |`] : [],
  );
  return `${[
    '# Commands of the upstream CLI',
    '',
    'This page lists all commands and flags of the upstream CLI 3.1, and describes what `plinth` does with them.',
    '`node scripts/docs-cli.ts` generates this page. [cli.md](cli.md) describes the commands of Plinth, including those that',
    "upstream doesn't have, and [compatibility.md](compatibility.md#project-folder-and-cli) lists the commands whose behavior",
    'differs on purpose.',
    '',
    'Every command accepts the global flags `--agent`, `--create-ticket`, `--debug`, `--dns-resolver`, `--experimental`,',
    '`--log-level`, `--network-id`, `--output`, `--output-format`, `--profile`, `--workdir` and `--yes`, before or after its',
    'name. `--remote` without a value is the same as `--linked`.',
    '',
    '## Supported commands',
    '',
    '| Command | Flags that work | Other flags |',
    '| --- | --- | --- |',
    ...supported,
    '',
    '## Other commands',
    '',
    'For these commands, `plinth` prints the message in the second column and exits with status 2.',
    '',
    '| Command | Instead |',
    '| --- | --- |',
    ...missing,
  ].join('\n')}\n`;
}
