/** Upgrades a data folder to the same major version, and kills its own process with SIGKILL at the given step. */
import { dirname } from 'node:path';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { migrateNewCluster } from '../../src/database/index.ts';
import { upgradeCluster } from '../../src/upgrade/index.ts';

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
