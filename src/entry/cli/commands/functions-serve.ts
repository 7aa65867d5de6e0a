import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServeSession } from '../../main.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

const inspectModes = ['run', 'brk', 'wait'] as const;

export const functionsServe: Command = {
  name: 'functions serve',
  about:
    "Shows the output of the running Plinth's functions, and serves them with different options while this command\n" +
    'runs. "plinth start" serves them even without this command. Press Ctrl-C to stop.',
  options: {
    ...projectOptions,
    'env-file': {
      type: 'string',
      value: 'FILE',
      help: 'Secrets file to use instead of supabase/functions/.env.',
    },
    'import-map': {
      type: 'string',
      value: 'FILE',
      help: "Import map to use instead of the functions' own import maps.",
    },
    'no-verify-jwt': { type: 'boolean', help: 'Accepts requests without a token.' },
    inspect: { type: 'boolean', help: 'Alias for --inspect-mode brk.' },
    'inspect-mode': {
      type: 'string',
      value: 'MODE',
      help: 'Enables debugging on ports from inspector_port upward: run, brk (break on the first line) or wait (wait until a debugger connects).',
    },
    'inspect-main': {
      type: 'boolean',
      help: 'Accepted for compatibility. Plinth has no main worker.',
    },
  },
  examples: [
    ['plinth functions serve', 'shows the output of all functions'],
    [
      'plinth functions serve --env-file .env.test --no-verify-jwt',
      'uses other secrets and accepts requests without a token',
    ],
    ['plinth functions serve --inspect-mode run', 'starts debuggers; open chrome://inspect'],
  ],
  run: async (input) => {
    const session = {
      envFile: fileOf(input, 'env-file'),
      importMap: fileOf(input, 'import-map'),
      noVerifyJwt: input.flag('no-verify-jwt'),
    } satisfies ServeSession;
    const running = await findRunning(locationOf(input).dataDir);
    if (running === undefined) throw notRunning();
    await running.call('functionsServe', { ...session, inspectMode: inspectModeOf(input) }, print);
    return 0;
  },
};

/**
 * Returns an absolute path, because the server's working directory may differ from the working directory of this
 * command.
 */
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
    throw new UsageError(`--inspect-mode: ${given} must be one of ${inspectModes.join(', ')}`);
  return mode;
}
