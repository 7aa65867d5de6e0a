/** Reasons for a restart that several settings share. */
import { restart } from './define.ts';

export const reasons = {
  opened: 'ports are opened at startup',
  keys: 'keys are read at startup',
} as const;

export const mounted = restart('services are assigned to ports at startup');
export const opened = restart(reasons.opened);
export const keysRead = restart(reasons.keys);
