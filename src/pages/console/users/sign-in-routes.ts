/** The routes for how a user and their programs get access: factors, identities, sessions, API keys and events. */
import type { UserApiKey, UserEventPage, UserSession } from './contract.ts';
import { nameOf, param, type UserRouteDeps } from './user-call.ts';

export function factorRoutes({ route, users, audit, userOf }: UserRouteDeps): void {
  route('DELETE /users/:id/factors', 'write', async (call) => {
    const user = await userOf(call);
    await users.resetFactors(user.id);
    await audit(call, 'user.reset-factors', nameOf(user), { userId: user.id });
  });
  route('DELETE /users/:id/factors/:factor', 'write', async (call) => {
    const user = await userOf(call);
    await users.removeFactor(user.id, param(call, 'factor'));
    await audit(call, 'user.remove-factor', nameOf(user), {
      userId: user.id,
      factorId: param(call, 'factor'),
    });
  });
  route('DELETE /users/:id/identities/:identity', 'write', async (call) => {
    const user = await userOf(call);
    await users.unlink(user.id, param(call, 'identity'));
    await audit(call, 'user.unlink', nameOf(user), {
      userId: user.id,
      identityId: param(call, 'identity'),
    });
  });
}

export function sessionRoutes({ route, users, audit, userOf }: UserRouteDeps): void {
  route('GET /users/:id/sessions', 'read', async (call) => ({
    sessions: (await users.sessions(param(call, 'id'))) as readonly UserSession[],
  }));
  route('GET /users/:id/events', 'read', async (call) =>
    eventPage(await users.events(param(call, 'id'), (await call.query()).before)),
  );
  route('DELETE /users/:id/sessions', 'write', async (call) => {
    const user = await userOf(call);
    await users.endSessions(user.id);
    await audit(call, 'user.end-sessions', nameOf(user), { userId: user.id });
  });
  route('DELETE /users/:id/sessions/:session', 'write', async (call) => {
    const user = await userOf(call);
    await users.endSession(user.id, param(call, 'session'));
    await audit(call, 'user.end-session', nameOf(user), {
      userId: user.id,
      sessionId: param(call, 'session'),
    });
  });
}

export function apiKeyRoutes({ route, users, audit, userOf }: UserRouteDeps): void {
  route('GET /users/:id/api-keys', 'read', async (call) => ({
    keys: (await users.apiKeys(param(call, 'id'))) as readonly UserApiKey[] | null,
  }));
  route('DELETE /users/:id/api-keys/:key', 'write', async (call) => {
    const user = await userOf(call);
    const keyId = param(call, 'key');
    await users.revokeApiKey(user.id, keyId);
    await audit(call, 'user.revoke-api-key', nameOf(user), { userId: user.id, keyId });
  });
}

const eventPage = (page: unknown): UserEventPage => page as UserEventPage;
