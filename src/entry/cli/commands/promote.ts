import { existsSync } from 'node:fs';
import { promoteCopy } from '../../backup-tools.ts';
import { type Command, projectOptions } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const promote: Command = {
  name: 'promote',
  about:
    'Makes a restored copy the production server. From its next start, it sends emails and webhooks, runs jobs, and continues\n' +
    'the backups. Stop the original first. If it is still running, it stops writing to the backup target.',
  options: projectOptions,
  examples: [
    [
      'plinth promote --data-dir .plinth-restored',
      'makes the copy the production server, once the original is stopped',
    ],
  ],
  run: async (input) => {
    const { dataDir } = locationOf(input);
    if (!existsSync(dataDir)) throw new CommandError(`${dataDir} doesn't exist.`);
    const running = await findRunning(dataDir);
    const wasCopy = await promoteCopy(dataDir);
    print(wasCopy ? 'The copy is promoted.' : 'This server takes over the backup target.');
    if (running !== undefined) print('Restart the server to apply the change.');
    return 0;
  },
};
