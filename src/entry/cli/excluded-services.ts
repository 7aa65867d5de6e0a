/** The service names that `-x` accepts: Plinth's names and the names in upstream's CLI. */
import { nearest } from '../../platform/config/index.ts';
import { UsageError } from './command.ts';

const ours = [
  'account',
  'auth',
  'console',
  'functions',
  'graphql',
  'jobs',
  'mail',
  'realtime',
  'rest',
  'storage',
] as const;

/** Upstream's containers. The value is `undefined` for containers that don't correspond to a Plinth service. */
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

/**
 * Returns the services that must be disabled.
 * @throws {UsageError} with the most similar service name as a suggestion
 */
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
