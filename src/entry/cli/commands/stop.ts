import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../base/shared/run-folder.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning, type Running } from '../control.ts';
import { CommandError, describeError } from '../errors.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { type RunningProject, runningProjects } from '../running-projects.ts';
import { readState, type State } from '../state.ts';

const maxStopMs = 30_000;

export const stop: Command = {
  name: 'stop',
  about:
    'Stops Plinth in this folder, or other projects of the same user. Data is kept unless you use --no-backup.',
  options: {
    ...projectOptions,
    all: { type: 'boolean', help: 'Stops all running projects of this user.' },
    'project-id': {
      type: 'string',
      value: 'ID',
      help: 'Stops the running projects with this project_id in config.toml.',
    },
    backup: { type: 'boolean', help: 'Keeps the data (default).' },
    'no-backup': { type: 'boolean', help: 'Permanently deletes the database and the storage files.' },
  },
  examples: [
    ['plinth stop', 'keeps the data for the next start'],
    ['plinth stop --no-backup', 'deletes the data, so that the next start creates a new database'],
    ['plinth stop --all', 'stops every project that "plinth status --all" lists'],
  ],
  run: async (input) => {
    const isDeleted = deletesData(input);
    const projectId = input.text('project-id');
    if (input.flag('all') && projectId !== undefined)
      throw new UsageError("--all and --project-id can't be used together");
    if (!input.flag('all') && projectId === undefined) {
      const { dataDir } = locationOf(input);
      const running = await findRunning(dataDir);
      if (running === undefined) say("Plinth isn't running in this folder.");
      else {
        say('Stopping...');
        await stopRunning(dataDir, running);
        say('Stopped.');
      }
      if (isDeleted) deleteData(dataDir);
      return 0;
    }
    const projects = await runningProjects();
    const chosen = projects.filter((project) => projectId === undefined || project.projectId === projectId);
    if (chosen.length === 0)
      say(projectId === undefined ? 'No project is running.' : `No running project has the ID ${projectId}.`);
    return (await stopEach(chosen, isDeleted)) ? 0 : 1;
  },
};

function deletesData(input: Input): boolean {
  if (input.flag('backup') && input.flag('no-backup'))
    throw new UsageError("--backup and --no-backup can't be used together");
  return input.flag('no-backup');
}

/** Stops all projects. Returns false if any of the projects couldn't be stopped. */
async function stopEach(projects: readonly RunningProject[], isDeleted: boolean): Promise<boolean> {
  let isComplete = true;
  for (const { projectDir, dataDir, running } of projects) {
    say(`Stopping ${projectDir}...`);
    try {
      await stopRunning(dataDir, running);
      say('Stopped.');
      if (isDeleted) deleteData(dataDir);
    } catch (error) {
      isComplete = false;
      const { message, advice } = describeError(error);
      say([message, ...advice].join('\n'));
    }
  }
  return isComplete;
}

async function stopRunning(dataDir: string, running: Running): Promise<void> {
  await running.call('stop').catch(() => {});
  await serverEnd(dataDir, running.state);
}

function deleteData(dataDir: string): void {
  for (const name of ['postgres', 'storage']) rmSync(join(dataDir, name), { recursive: true, force: true });
  say('Deleted the database and the storage files.');
}

/**
 * Waits until the process has exited or has removed its state file, because removing this file is the last step before
 * the exit.
 */
async function serverEnd(dataDir: string, { pid, token }: State): Promise<void> {
  for (const deadline = performance.now() + maxStopMs; performance.now() < deadline; ) {
    if (readState(dataDir)?.token !== token || !isAlive(pid)) return;
    await sleep(20);
  }
  throw new CommandError(`Process ${pid} doesn't exit.`, 'See .plinth/logs/plinth.log.');
}
