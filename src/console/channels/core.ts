/** From facts of the catalog to a verdict: why an event would not be delivered. Pure. */
import type { TableFacts, TopicRights } from './queries.ts';

/** `stops`: nothing arrives; `limits`: less than everything does; `fine`: this is not the reason. */
export type Weight = 'stops' | 'limits' | 'fine';

export type CheckCode =
  | 'table-missing'
  | 'not-published'
  | 'no-grant'
  | 'rls-off'
  | 'no-policy'
  | 'policies-decide'
  | 'no-key'
  | 'nothing-published'
  | 'public-channel'
  | 'private-no-read'
  | 'private-no-write'
  | 'private-policies-decide';

export interface Check {
  readonly code: CheckCode;
  readonly weight: Weight;
  /** How many policies, where that matters. */
  readonly policies?: number;
}

/** Of the change feed of one table. */
export function judgeTable(facts: TableFacts): Check[] {
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

/** Of broadcast and presence. */
export function judgeTopic(isPrivate: boolean, { read, write }: TopicRights): Check[] {
  if (!isPrivate) return [{ code: 'public-channel', weight: 'fine' }];
  const checks: Check[] = [];
  if (read === 0) checks.push({ code: 'private-no-read', weight: 'stops' });
  if (write === 0) checks.push({ code: 'private-no-write', weight: 'limits' });
  if (read > 0) checks.push({ code: 'private-policies-decide', weight: 'limits', policies: read });
  return checks;
}
