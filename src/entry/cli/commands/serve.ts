import type { Command } from '../command.ts';
import { locationOf } from '../project-location.ts';
import { rejectIfRunning } from '../run-server.ts';
import { serveInFront, serverOptions } from './start.ts';

export const serve: Command = {
  name: 'serve',
  about:
    'Starts all services for production. The first start generates keys in .plinth/secrets.json, which only its\n' +
    'owner can read. Emails are sent through your SMTP server. Serve HTTPS with [server.tls] or a proxy.',
  options: {
    ...serverOptions,
    workers: {
      type: 'string',
      value: 'N',
      help: 'Number of processes that serve the API port, or "auto" for one per CPU core. Default: [server] workers.',
    },
    'api-worker': {
      type: 'boolean',
      hidden: true,
      help: 'Runs an API worker of the server that started this process.',
    },
    'schema-comparer': {
      type: 'boolean',
      hidden: true,
      help: 'Compares schemas for the server that started this process.',
    },
  },
  examples: [
    ['plinth serve', "serves this folder's project with generated keys"],
    ['plinth serve --workers auto', 'serves the API with one process per CPU core'],
    ['plinth serve --database-url postgresql://app@db.internal/app', 'uses your own PostgreSQL'],
  ],
  run: async (input) => {
    if (input.flag('api-worker') && process.send !== undefined) {
      const { runApiWorker } = await import('../../main.ts');
      return await runApiWorker();
    }
    if (input.flag('schema-comparer') && process.send !== undefined) {
      const { runSchemaComparer } = await import('../../main.ts');
      return await runSchemaComparer();
    }
    const location = locationOf(input);
    await rejectIfRunning(location);
    return await serveInFront(location, input, 'production');
  },
};
