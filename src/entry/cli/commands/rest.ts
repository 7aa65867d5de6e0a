import { readFileSync } from 'node:fs';
import { printable } from '../../../base/shared/printable.ts';
import { shellEnvironment } from '../../../platform/config/index.ts';
import type { RestServer, RestServerOptions } from '../../rest-server/index.ts';
import type { Command, Input } from '../command.ts';
import { CommandError } from '../errors.ts';
import { print, say, surviveClosedOutput } from '../output.ts';

export const rest: Command = {
  name: 'rest',
  takes: '[FILE]',
  about:
    'Starts only the REST service for your own PostgreSQL (15 or newer), as a replacement for the PostgREST 16.2\n' +
    "binary with the same settings (environment variables PGRST_* or FILE), signals and admin server. Doesn't\n" +
    'change the database. Runs in the foreground. Press Ctrl-C to stop.',
  options: {
    'dump-config': {
      type: 'boolean',
      help: 'Prints the configuration, including settings in the database, and exits.',
    },
    'dump-schema': { type: 'boolean', help: 'Prints the schema cache as JSON and exits.' },
    example: {
      type: 'boolean',
      short: 'e',
      help: 'Prints an example configuration file with all settings and exits.',
    },
    version: {
      type: 'boolean',
      short: 'v',
      help: 'Prints the compatible PostgREST version and exits.',
    },
    ready: {
      type: 'boolean',
      help: "Checks the admin server of the running process. The exit status is 0 if it's ready.",
    },
  },
  examples: [
    ['plinth rest postgrest.conf', 'serves on port 3000 with the settings in the file'],
    [
      'PGRST_DB_URI=postgresql://authenticator@/app PGRST_DB_ANON_ROLE=anon plinth rest',
      'serves without a configuration file',
    ],
    ['plinth rest --example > postgrest.conf', 'creates a configuration file'],
    ['plinth rest --ready postgrest.conf', 'for health checks; prints OK: http://localhost:3001/ready'],
  ],
  more: async () => (await import('../../rest-server/index.ts')).settingsHelp(),
  run: async (input) => {
    const restServer = await import('../../rest-server/index.ts');
    if (input.flag('example')) {
      print(restServer.exampleText());
      return 0;
    }
    if (input.flag('version')) {
      print(restServer.followedRelease);
      return 0;
    }
    const ended = Promise.withResolvers<number>();
    const options = optionsOf(input, () => ended.resolve(1));
    if (input.flag('ready')) {
      const response = await restServer.requestReady(
        restServer.readServerConfig({ ...options, database: new Map() }),
      );
      if (!response.ok) throw new CommandError(`ERROR: ${response.reason}`);
      print(`OK: ${response.url}`);
      return 0;
    }
    const server = restServer.createRestServer(options);
    // Exits immediately, for the same reason as `plinth start`.
    if (!input.flag('dump-config') && !input.flag('dump-schema')) process.exit(await serve(server, ended));
    try {
      const config = await server.readWholeConfig();
      print(
        input.flag('dump-config')
          ? restServer.configText(config).trimEnd()
          : restServer.schemaCacheText(await server.loadSchemaCache()),
      );
      return 0;
    } finally {
      await server.stop();
    }
  },
};

function optionsOf(input: Input, onFatal: () => void): RestServerOptions {
  return {
    environment: shellEnvironment(),
    path: input.positionals[0],
    readFile: (path) => readFileSync(path),
    out: (text) => process.stdout.write(printable(text)),
    err: (text) => process.stderr.write(printable(text)),
    onFatal,
  };
}

/** Runs until a signal or a fatal error ends the process. A second signal terminates the process immediately. */
async function serve(server: RestServer, ended: PromiseWithResolvers<number>): Promise<number> {
  surviveClosedOutput();
  let requested = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (requested) process.exit(1);
      requested = true;
      void server.stop(signal).then(() => ended.resolve(0));
    });
  }
  process.on('SIGUSR1', () => server.reload('all'));
  process.on('SIGUSR2', () => server.reload('config'));
  try {
    await server.start();
    const status = await ended.promise;
    await server.stop();
    return status;
  } catch (error) {
    say((error as Error).message);
    await server.stop();
    return 1;
  }
}
