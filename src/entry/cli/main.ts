/** Implements the command-line interface, which finds the command, runs the command, and prints errors. */
import { readdirSync } from 'node:fs';
import { installedVersion } from '../../base/shared/files.ts';
import { nearest } from '../../platform/config/index.ts';
import { type Command, helpOf, parseInput, UsageError } from './command.ts';
import { asUpstream, insteadOf } from './core/upstream-commands.ts';
import { commandFirst } from './core/upstream-flags.ts';
import { describeError } from './errors.ts';
import { columns, endAtClosedOutput, print, say } from './output.ts';
import { aliases, registry } from './registry.ts';

/**
 * Runs the command line.
 *
 * @param name the name by which the program was called, which is `supabase` in existing scripts
 * @returns the exit status: 0 for success, 1 for failure, 2 for an invalid command line
 */
export async function main(line: readonly string[], name: 'plinth' | 'supabase' = 'plinth'): Promise<number> {
  endAtClosedOutput();
  return await runLine(name === 'supabase' ? asUpstream(commandFirst(line)) : commandFirst(line));
}

async function runLine(args: readonly string[]): Promise<number> {
  const [first] = args;
  if (first === undefined && isEmptyFolder(process.cwd())) {
    const chosen = await (await import('./offer-templates.ts')).offerTemplates();
    return chosen === undefined ? 2 : await runLine(commandFirst(chosen));
  }
  if (first === undefined || first === 'help' || first === '--help' || first === '-h')
    return await help(args.slice(1));
  if (first === '--version' || first === 'version') {
    print(installedVersion());
    return 0;
  }
  const found = findCommand(args);
  if (found === undefined) return wantsHelp(args) ? groupHelp(args) : unknown(args);
  const command = await found.load();
  return await runCommand(command, args.slice(found.words));
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  try {
    const input = parseInput(command, args);
    if (input.help) {
      print(await helpOf(command));
      return 0;
    }
    input.notes.forEach(say);
    return await command.run(input);
  } catch (error) {
    const { message, advice } = describeError(error);
    say([message, ...advice].join('\n'));
    if (!(error instanceof UsageError)) return 1;
    say(`See "plinth ${command.name} --help".`);
    return 2;
  }
}

/**
 * Returns the command with the longest name that matches the start of the line. For example, `migration new` takes
 * precedence over `migration`.
 */
function findCommand(args: readonly string[]) {
  for (const words of [3, 2, 1]) {
    const name = args.slice(0, words).join(' ');
    const entry = registry[aliases[name] ?? name];
    if (args.length >= words && entry !== undefined) return { ...entry, words };
  }
  return undefined;
}

const wantsHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

const wordsOf = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith('-'));

/** Prints the commands whose names begin with these words, such as `operators token`. */
function groupHelp(args: readonly string[]): number {
  const group = wordsOf(args).join(' ');
  const entries = Object.entries(registry).filter(([name]) => name.startsWith(`${group} `));
  if (entries.length === 0) return unknown(args);
  print(`Usage: plinth ${group} COMMAND [options]\n`);
  print(columns(entries.map(([name, { summary }]) => [`  ${name}`, summary])));
  print(`\nRun "plinth ${group} COMMAND --help" for details and examples.`);
  return 0;
}

function unknown(args: readonly string[]): number {
  const words = wordsOf(args).slice(0, 2);
  const typed = words.join(' ') || (args[0] ?? '');
  const instead = insteadOf(words);
  const group = Object.keys(registry).filter((name) => name.startsWith(`${words[0]} `));
  const names = [...Object.keys(registry), ...Object.keys(aliases)];
  const near = nearest(typed, names) ?? nearest(words[0] ?? '', names);
  say(`Unknown command: ${typed}.`);
  if (instead !== undefined) say(instead.text);
  if (group.length > 0) say(`Available commands: ${group.join(', ')}.`);
  else if (instead !== undefined) return 2;
  else if (near !== undefined) say(`Did you mean "plinth ${near}"?`);
  else say('See "plinth --help".');
  return 2;
}

async function help(topic: readonly string[]): Promise<number> {
  if (topic.length > 0) {
    const found = findCommand(topic);
    if (found === undefined) return groupHelp(topic);
    print(await helpOf(await found.load()));
    return 0;
  }
  const rows = Object.entries(registry).map(([name, { summary }]) => [`  ${name}`, summary]);
  print('A whole backend and its web app in one process.\n');
  print('Usage: plinth COMMAND [options]\n');
  print(columns(rows));
  print('\nRun "plinth COMMAND --help" for details and examples.');
  return 0;
}

/** Whether the folder is empty or contains only hidden files of other programs, such as `.git`. */
function isEmptyFolder(dir: string): boolean {
  try {
    return readdirSync(dir).every((name) => name.startsWith('.') && name !== '.plinth');
  } catch {
    return false;
  }
}
