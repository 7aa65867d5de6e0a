/** Finds and removes the secrets in changes of foreign servers and user mappings. */
import type { SchemaChange } from '../changes.ts';
import { isHarmlessOption } from './foreign-options.ts';

/** Whether the change contains a value that mustn't be displayed, logged or saved in a file. */
export const hasSecrets = (change: SchemaChange): boolean =>
  'options' in change &&
  isForeign(change.kind) &&
  Object.keys(change.options).some((name) => !isHarmlessOption(name));

/** Replaces the values that could be secrets. */
export function withoutSecrets(change: SchemaChange): SchemaChange {
  if (change.kind !== 'create_server' && change.kind !== 'create_user_mapping') return change;
  const options = Object.entries(change.options).map(([name, value]) => [
    name,
    isHarmlessOption(name) ? value : '…',
  ]);
  return { ...change, options: Object.fromEntries(options) };
}

const isForeign = (kind: SchemaChange['kind']): boolean =>
  kind === 'create_server' || kind === 'create_user_mapping';
