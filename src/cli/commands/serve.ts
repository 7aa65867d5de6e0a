import type { Command } from '../command.ts';
import { placeOf } from '../place.ts';
import { refuseIfRunning } from '../run-server.ts';
import { serveInFront, serverOptions } from './start.ts';

export const serve: Command = {
  name: 'serve',
  about:
    'Starts all services for production. The first start generates keys in .plinth/secrets.json, which only its\n' +
    'owner can read. Emails are sent through your SMTP server. Run it behind a TLS proxy.',
  options: serverOptions,
  examples: [
    ['plinth serve', "serves this folder's project with generated keys"],
    ['plinth serve --database-url postgresql://app@db.internal/app', 'uses your own PostgreSQL'],
  ],
  run: async (input) => {
    const place = placeOf(input);
    await refuseIfRunning(place);
    return await serveInFront(place, input, 'production');
  },
};
