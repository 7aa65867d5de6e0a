/** Renders passkeys and their challenges as JSON. */

import type { JsonObject } from '../common/json.ts';
import type { Passkey } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';

/** Renders a challenge for registering a passkey or for signing in with one. */
export function renderPasskeyOptions({
  challengeId,
  options,
  expiresAtSeconds,
}: {
  readonly challengeId: string;
  readonly options: object;
  readonly expiresAtSeconds: number;
}): object {
  return { challenge_id: challengeId, options, expires_at: expiresAtSeconds };
}

export function renderPasskey(passkey: Passkey): JsonObject {
  return {
    id: passkey.id,
    friendly_name: passkey.friendly_name || undefined,
    created_at: toRfc3339(passkey.created_at),
    last_used_at: passkey.last_used_at === null ? undefined : toRfc3339(passkey.last_used_at),
  };
}
