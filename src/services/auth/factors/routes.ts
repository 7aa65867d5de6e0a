/**
 * Declares the routes under /factors, which enroll, challenge, verify and unenroll second factors, and the routes under
 * /admin/users/:userId/factors. Also defines the operations with which the Account pages remove lost factors.
 */
import { requireTarget } from '../admin/users.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { renderFactor } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { timeInWords } from '../security-events/notify.ts';
import { requireAdmin, requirePermanentUser } from '../sessions/authenticate.ts';
import { type IssuedSession, renderSession } from '../sessions/issued-session.ts';
import { challengeFactor, verifyFactor } from './challenges.ts';
import { type Enrollment, enroll } from './enrollment.ts';
import { deleteFactorByAdmin, requireFactor, unenroll, updateFactorByAdmin } from './manage.ts';
import { sweepFactorRemovals } from './removal-rounds.ts';
import {
  cancelOwnRemoval,
  confirmFactorRemoval,
  previewRemoval,
  type RemovalState,
  readRemoval,
  requestRemoval,
} from './removals.ts';
import type { FactorChallenge } from './verification.ts';

export function factorRoutes(route: Route): void {
  route({
    on: 'POST /factors',
    async run(ctx, { caller, body }) {
      await limitChanges(ctx, await requirePermanentUser(ctx, caller));
      // Each attempt reads the user's factors again.
      const attempt = async () => enroll(ctx, await requirePermanentUser(ctx, caller), body);
      return renderEnrollment(await retryOnConflict(attempt));
    },
  });

  route(challengeOwnFactor, {
    read: ({ params, hasBody }) => ({ factorId: params.factorId ?? '', hasBody }),
    render: renderChallenge,
  });

  route(verifyOwnFactor, {
    read: ({ params }) => ({ factorId: params.factorId ?? '' }),
    render: renderSession,
  });

  route({
    on: 'DELETE /factors/:factorId',
    async run(ctx, { caller, params }) {
      const self = await limitChanges(ctx, await requirePermanentUser(ctx, caller));
      const factor = await requireFactor(ctx, params.factorId ?? '', self.user.id);
      await unenroll(ctx, self, factor);
      return { id: factor.id };
    },
  });

  route({
    on: 'GET /admin/users/:userId/factors',
    async run(ctx, { caller, params }) {
      await requireAdmin(ctx, caller);
      return (await requireTarget(ctx, params.userId ?? '')).factors.map(renderFactor);
    },
  });

  route({
    on: 'PUT /admin/users/:userId/factors/:factorId',
    async run(ctx, { caller, params, body }) {
      const admin = await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      const factor = await requireFactor(ctx, params.factorId ?? '', user.id);
      const fields = body();
      const change = { friendlyName: fields.text('friendly_name'), phone: fields.text('phone') };
      await updateFactorByAdmin(ctx, admin, factor, change);
      return renderFactor(factor);
    },
  });

  route({
    on: 'DELETE /admin/users/:userId/factors/:factorId',
    async run(ctx, { caller, params }) {
      const admin = await requireAdmin(ctx, caller);
      const user = await requireTarget(ctx, params.userId ?? '');
      const factor = await requireFactor(ctx, params.factorId ?? '', user.id);
      await deleteFactorByAdmin(ctx, admin, user, factor);
      return renderFactor(factor);
    },
  });
}

export interface FactorCall extends Call {
  readonly factorId: string;
}

export interface ChallengeCall extends FactorCall {
  /** Whether the request has a body. The body is optional for some factor types. */
  readonly hasBody: boolean;
}

export const challengeOwnFactor: Operation<ChallengeCall, FactorChallenge> = {
  on: 'POST /factors/:factorId/challenge',
  guards: [limitByAddress('factor_challenge')],
  async run(ctx, { caller, factorId, hasBody, body }) {
    const self = await requirePermanentUser(ctx, caller);
    const factor = await requireFactor(ctx, factorId, self.user.id);
    return challengeFactor(ctx, self, factor, { isEmpty: !hasBody, read: body });
  },
};

export const verifyOwnFactor: Operation<FactorCall, IssuedSession> = {
  on: 'POST /factors/:factorId/verify',
  guards: [limitByAddress('factor_verify')],
  signIn: 'second_factor',
  async run(ctx, { caller, factorId, body }) {
    const self = await requirePermanentUser(ctx, caller);
    const factor = await requireFactor(ctx, factorId, self.user.id);
    return verifyFactor(ctx, self, factor, body());
  },
};

export const readOwnRemoval: Operation<Call, RemovalState> = {
  on: 'GET /user/security-events',
  async run(ctx, { caller }) {
    const removal = await readRemoval(ctx, await requirePermanentUser(ctx, caller));
    // If the user's request is due, processes it now, so that the user doesn't have to wait for the background task,
    // which runs only every few minutes.
    if (removal.dueMs !== undefined && removal.dueMs <= ctx.clock.now()) await sweepFactorRemovals(ctx);
    return removal;
  },
};

export const requestOwnRemoval: Operation<Call, void> = {
  on: 'POST /user/security-events',
  guards: [limitByAddress('factor_verify')],
  run: async (ctx, { caller }) => requestRemoval(ctx, await requirePermanentUser(ctx, caller)),
};

export const cancelRemovalRequest: Operation<Call, void> = {
  on: 'POST /user/security-events',
  run: async (ctx, { caller }) => cancelOwnRemoval(ctx, await requirePermanentUser(ctx, caller)),
};

export interface RemovalCall extends Call {
  readonly token: string;
}

/** The details shown on the page where the user confirms a request. */
export interface RemovalFacts {
  readonly email: string;
  /** The time at which the factors will be removed, formatted in the page's language. */
  readonly when: string;
  readonly isConfirmed: boolean;
}

export const readRemovalLink: Operation<RemovalCall, RemovalFacts> = {
  on: 'GET /user/security-events',
  guards: [limitByAddress('verify')],
  async run(ctx, { caller, token }) {
    const { email, dueMs, isConfirmed } = await previewRemoval(ctx, token);
    return { email, when: timeInWords(dueMs, caller.pageLanguage), isConfirmed };
  },
};

export const confirmRemovalLink: Operation<RemovalCall, void> = {
  on: 'POST /user/security-events',
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => confirmFactorRemoval(ctx, caller, token),
};

function renderEnrollment({ id, type, friendlyName, totp, phone }: Enrollment): JsonObject {
  return {
    id,
    type,
    friendly_name: friendlyName,
    ...(totp ? { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } } : {}),
    ...(phone === undefined ? {} : { phone }),
  };
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
