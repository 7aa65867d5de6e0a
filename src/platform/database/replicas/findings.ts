/** Describes the states of the read replicas for operators. */
import type { Finding, ReplicaState } from '../types.ts';

/** Returns a finding, or none if no replicas are configured. */
export function replicaFindings(states: readonly ReplicaState[]): Finding[] {
  if (states.length === 0) return [];
  const unused = states.filter(({ status }) => status !== 'ready');
  const sentences = [
    `Reads use ${states.length - unused.length} of ${states.length} replicas.`,
    ...unused.map(explain),
  ];
  const status = unused.length === 0 ? 'ok' : 'degraded';
  return [{ check: 'replicas', status, message: sentences.join(' '), statements: [] }];
}

function explain({ name, status, lagMs = 0, error }: ReplicaState): string {
  switch (status) {
    case 'lagging':
      return `${name} is ${Math.round(lagMs / 1000)} s behind the primary.`;
    case 'not a standby':
      return `${name} isn't a standby.`;
    default:
      return `${name} is unreachable${error === undefined ? '' : `: ${error}`}.`.replace(/\.\.$/, '.');
  }
}
