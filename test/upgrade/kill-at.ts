/** Upgrades a data folder to the same major version, and kills its own process with SIGKILL at the given step. */
import { dirname } from 'node:path';
import { upgradeCluster } from '../../src/operations/upgrade/index.ts';
import { findBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { migrateNewCluster } from '../../src/platform/database/index.ts';

const [, , dataDir = '', step = ''] = process.argv;
const reach = (name: string): void => {
  if (name === step) process.kill(process.pid, 'SIGKILL');
};
await upgradeCluster({
  dataDir,
  oldBindir: dirname(findBinaries().postgres),
  check: false,
  force: true,
  settings: {},
  migrate: (target, from) => migrateNewCluster(target, from, []),
  onProgress: (message) => {
    if (message.startsWith('Creating the indexes')) reach('loaded');
    if (message.startsWith('Starting the new cluster')) reach('written');
  },
  onLine: () => {},
  signal: new AbortController().signal,
  onStep: reach,
});
