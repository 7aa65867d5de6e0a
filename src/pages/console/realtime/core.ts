/** Determines from catalog data why an event isn't delivered. */

import type { Check } from './contract.ts';
import type { TableFacts, TopicPermissions } from './queries.ts';

/** Checks whether changes to a table are delivered. */
export function checkTable(facts: TableFacts): Check[] {
  if (!facts.exists) return [{ code: 'table-missing', weight: 'stops' }];
  const checks: Check[] = [];
  if (!facts.published) checks.push({ code: 'not-published', weight: 'stops' });
  if (!facts.readable) checks.push({ code: 'no-grant', weight: 'stops' });
  if (!facts.rls) checks.push({ code: 'rls-off', weight: 'fine' });
  else if (facts.policies === 0) checks.push({ code: 'no-policy', weight: 'stops' });
  else checks.push({ code: 'policies-decide', weight: 'limits', policies: facts.policies });
  if (!facts.hasPrimaryKey) checks.push({ code: 'no-key', weight: 'limits' });
  return checks;
}

/** Checks whether broadcasts and presence are delivered. */
export function checkTopic(isPrivate: boolean, { read, write }: TopicPermissions): Check[] {
  if (!isPrivate) return [{ code: 'public-channel', weight: 'fine' }];
  const checks: Check[] = [];
  if (read === 0) checks.push({ code: 'private-no-read', weight: 'stops' });
  if (write === 0) checks.push({ code: 'private-no-write', weight: 'limits' });
  if (read > 0) checks.push({ code: 'private-policies-decide', weight: 'limits', policies: read });
  return checks;
}
