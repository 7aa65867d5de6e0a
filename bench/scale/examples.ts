/** The loads that docs/scale.md shows, and the machines that it assumes. */
import type { Load, Sizes } from './model.ts';

export const defaultLoad: Load = {
  monthlyUsers: 1_000_000,
  requests: 5000,
  changes: 2000,
  recipients: 1,
  sockets: 20_000,
  downloads: 500,
  uploads: 20,
  storedGiB: 10 * 1024,
};

export const defaultSizes: Sizes = {
  nodeCores: 4,
  nodeGiB: 8,
  databaseCores: 32,
  use: 0.6,
  connectionsPerNode: 53,
  maxConnections: 500,
};

const scaled = (factor: number): Load =>
  Object.fromEntries(
    Object.entries(defaultLoad).map(([name, value]) => [
      name,
      name === 'recipients' ? value : value * factor,
    ]),
  ) as unknown as Load;

export const exampleLoads: readonly { readonly name: string; readonly load: Load }[] = [
  { name: '10,000 users a month', load: scaled(0.01) },
  { name: '100,000 users a month', load: scaled(0.1) },
  { name: '1 million users a month', load: defaultLoad },
  { name: '10 million users a month', load: scaled(10) },
  { name: '100 million users a month', load: scaled(100) },
];
