import type { JsonObject } from '../common/json.ts';
import { toRfc3339 } from '../common/times.ts';
import type { UserKey } from './queries.ts';

/** Returns a key as its user and operators see it. The key itself isn't stored. */
export const renderUserKey = (key: UserKey): JsonObject => ({
  id: key.id,
  name: key.name,
  beginning: key.beginning,
  scopes: [...key.scopes],
  created_at: toRfc3339(key.created_at),
  expires_at: toRfc3339(key.expires_at),
  last_used_at: key.last_used_at === null ? null : toRfc3339(key.last_used_at),
});
