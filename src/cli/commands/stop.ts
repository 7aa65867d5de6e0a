import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, projectOptions } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError } from '../errors.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { readState, type State } from '../state.ts';

const maxStopMs = 30_000;

export const stop: Command = {
  name: 'stop',
  about: 'Stops Plinth in this folder. Data is kept unless you use --no-backup.',
  options: {
    ...projectOptions,
    'no-backup': { type: 'boolean', help: 'Permanently deletes the database and the storage files.' },
  },
  examples: [
    ['plinth stop', 'keeps the data for the next start'],
    ['plinth stop --no-backup', 'deletes the data, so that the next start creates a new database'],
  ],
  run: async (input) => {
    const { dataDir } = locationOf(input);
    const running = await findRunning(dataDir);
    if (running === undefined) say("Plinth isn't running in this folder.");
    else {
      say('Stopping...');
      await running.call('stop').catch(() => {});
      await serverEnd(dataDir, running.state);
      say('Stopped.');
    }
    if (input.flag('no-backup')) {
      for (const name of ['postgres', 'storage'])
        rmSync(join(dataDir, name), { recursive: true, force: true });
      say('Deleted the database and the storage files.');
    }
    return 0;
  },
};

/** Waits until the process has removed its state file, which is its last action, or no longer exists. */
async function serverEnd(dataDir: string, { pid, token }: State): Promise<void> {
  for (const deadline = performance.now() + maxStopMs; performance.now() < deadline; ) {
    if (readState(dataDir)?.token !== token || !isAlive(pid)) return;
    await sleep(20);
  }
  throw new CommandError(`Process ${pid} doesn't exit.`, 'See .plinth/logs/plinth.log.');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
