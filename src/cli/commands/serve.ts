import type { Command } from '../command.ts';
import { placeOf } from '../place.ts';
import { refuseIfRunning } from '../run-server.ts';
import { serveInFront, serverOptions } from './start.ts';

export const serve: Command = {
  name: 'serve',
  about:
    'Starts everything for production. The first start generates keys of its own into .plinth/secrets.json, readable\n' +
    'by its owner only; mail goes to your SMTP server. Put a proxy with TLS in front.',
  options: serverOptions,
  examples: [
    ['plinth serve', 'serves the project of this folder with its own keys'],
    ['plinth serve --database-url postgresql://app@db.internal/app', 'on a PostgreSQL of yours'],
  ],
  run: async (input) => {
    const place = placeOf(input);
    await refuseIfRunning(place);
    return await serveInFront(place, input, 'production');
  },
};
