/** Renders new factors and factor challenges as JSON, with members in upstream's order. */

import type { JsonObject } from '../common/json.ts';
import type { FactorType } from '../common/rows.ts';

/** A factor that the user has started to enroll. */
export interface Enrollment {
  readonly id: string;
  readonly type: FactorType;
  readonly friendlyName: string;
  /** An authenticator app's secret. `qrCode` is an SVG image. */
  readonly totp?: { readonly qrCode: string; readonly secret: string; readonly uri: string };
  /** The phone number, as the client sent it. */
  readonly phone?: string;
}

export function renderEnrollment({ id, type, friendlyName, totp, phone }: Enrollment): JsonObject {
  return {
    id,
    type,
    friendly_name: friendlyName,
    ...(totp ? { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } } : {}),
    ...(phone === undefined ? {} : { phone }),
  };
}

export interface FactorChallenge {
  readonly id: string;
  readonly type: FactorType;
  readonly expiresAtSeconds: number;
  /** The input for the browser's WebAuthn API. This input is set only for WebAuthn keys. */
  readonly webauthn?: { readonly type: 'create' | 'request'; readonly publicKey: object };
}

export function renderChallenge({ id, type, expiresAtSeconds, webauthn }: FactorChallenge) {
  return {
    id,
    type,
    expires_at: expiresAtSeconds,
    ...(webauthn
      ? { webauthn: { type: webauthn.type, credential_options: { publicKey: webauthn.publicKey } } }
      : {}),
  };
}
