import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServeSession } from '../../main.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { print } from '../output.ts';
import { placeOf } from '../place.ts';

const inspectModes = ['run', 'brk', 'wait'] as const;

export const functionsServe: Command = {
  name: 'functions serve',
  about:
    'Shows what the functions of the running Plinth print, and serves them in another way for as long as this command\n' +
    'runs. They are served without it, too. Ctrl-C ends it.',
  options: {
    ...projectOptions,
    'env-file': { type: 'string', value: 'FILE', help: 'Secrets instead of supabase/functions/.env.' },
    'import-map': { type: 'string', value: 'FILE', help: 'Import map instead of those of the functions.' },
    'no-verify-jwt': { type: 'boolean', help: 'Asks nobody for a token.' },
    inspect: { type: 'boolean', help: 'The same as --inspect-mode brk.' },
    'inspect-mode': {
      type: 'string',
      value: 'MODE',
      help: 'Debuggers from inspector_port on: run, brk (stops at the first line), wait (for a debugger).',
    },
    'inspect-main': {
      type: 'boolean',
      help: "For scripts made for upstream's command; there is no main worker here.",
    },
  },
  examples: [
    ['plinth functions serve', 'what all functions print'],
    ['plinth functions serve --env-file .env.test --no-verify-jwt', 'with other secrets, open to everybody'],
    ['plinth functions serve --inspect-mode run', 'with debuggers: open chrome://inspect'],
  ],
  run: async (input) => {
    const session = {
      envFile: fileOf(input, 'env-file'),
      importMap: fileOf(input, 'import-map'),
      noVerifyJwt: input.flag('no-verify-jwt'),
    } satisfies ServeSession;
    const running = await findRunning(placeOf(input).dataDir);
    if (running === undefined) throw notRunning();
    await running.call('functionsServe', { ...session, inspectMode: inspectModeOf(input) }, print);
    return 0;
  },
};

/** Absolute, since the server works in another folder. */
function fileOf(input: Input, option: string): string | undefined {
  const given = input.text(option);
  if (given === undefined) return undefined;
  const file = resolve(given);
  if (!existsSync(file)) throw new CommandError(`--${option}: the file ${file} doesn't exist`);
  return file;
}

function inspectModeOf(input: Input): (typeof inspectModes)[number] | undefined {
  const given = input.text('inspect-mode') ?? (input.flag('inspect') ? 'brk' : undefined);
  const mode = inspectModes.find((each) => each === given);
  if (given !== undefined && mode === undefined)
    throw new UsageError(`--inspect-mode: ${given} is not one of ${inspectModes.join(', ')}`);
  return mode;
}
