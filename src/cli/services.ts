/** Names of services for `-x`: ours, and those that upstream's CLI takes. */
import { nearest } from '../config/index.ts';
import { UsageError } from './command.ts';

const ours = [
  'account',
  'auth',
  'console',
  'functions',
  'jobs',
  'mail',
  'realtime',
  'rest',
  'storage',
] as const;

/** Upstream's containers; `undefined` has no counterpart that could be left out. */
const upstream: Readonly<Record<string, string | undefined>> = {
  gotrue: 'auth',
  'edge-runtime': 'functions',
  inbucket: 'mail',
  mailpit: 'mail',
  postgrest: 'rest',
  'storage-api': 'storage',
  studio: 'console',
  imgproxy: undefined,
  kong: undefined,
  logflare: undefined,
  'postgres-meta': undefined,
  supavisor: undefined,
  vector: undefined,
};

/** @throws {UsageError} naming the nearest service. */
export function excludedServices(names: readonly string[]): string[] {
  const excluded = new Set<string>();
  for (const name of names) {
    const own = (ours as readonly string[]).includes(name) ? name : upstream[name];
    if (own !== undefined) excluded.add(own);
    else if (!(name in upstream)) {
      const near = nearest(name, [...ours, ...Object.keys(upstream)]);
      throw new UsageError(
        `-x: unknown service ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
  }
  return [...excluded];
}
