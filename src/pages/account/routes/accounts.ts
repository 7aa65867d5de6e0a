/**
 * Declares `/account/accounts`, where users choose between the accounts in this browser. The page works without
 * scripts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { arrivalAddress, ourPage, pageWith } from '../arrival.ts';
import { forgetAllLeft } from '../browser-sign-in.ts';
import { forget, isOwnMethod, memoryCookie, readMemory, wayOf, writeMemory } from '../core/browser-memory.ts';
import { type AccountRow, carriedFlow, escapeText } from '../core/html.ts';
import { isProviderId } from '../core/providers.ts';
import { AccountError } from '../errors.ts';
import type { Identify } from '../identify.ts';
import type { ParkedSessions } from '../parked-sessions.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import type { SignedInAccounts } from '../signed-in-accounts.ts';
import { accountName } from '../visitor.ts';
import { formOf, isOurs, markedForm, queryOf } from './mark.ts';
import type { Send } from './page-names.ts';
import { openElsewhere, sendRefused } from './responses.ts';

export interface AccountsDeps {
  readonly accounts: SignedInAccounts;
  readonly parked: ParkedSessions;
  readonly returnAddress: ReturnAddress;
  readonly identify: Identify;
}

/** The prefix of form values that identify accounts to which the user isn't signed in. */
const knownPrefix = 'known:';

export function accountsRoutes(app: FastifyInstance, deps: AccountsDeps, send: Send): void {
  const { accounts: signedIn, parked, returnAddress, identify } = deps;

  app.get('/accounts', async (request, reply) => {
    const accounts = await signedIn.list(request, reply);
    const names = new Set(accounts.map(({ user }) => accountName(user).toLowerCase()));
    const known = memoryOf(request).accounts.filter(({ name }) => !names.has(name.toLowerCase()));
    if (accounts.length + known.length === 0) {
      // With the parameter `add`, the sign-in page doesn't redirect the browser back to this page.
      const query = queryOf(request);
      query.set('add', '1');
      return reply.redirect(ourPage('sign-in', carriedFlow(query)), 303);
    }
    const rows: readonly AccountRow[] = [
      ...accounts.map(({ slot, user }): AccountRow => {
        const name = accountName(user);
        const state = name === '' ? 'guest' : slot === 'current' ? 'current' : 'in';
        return { key: String(slot), name, state };
      }),
      ...known.map(({ name, way }): AccountRow => {
        const isProvider = !isOwnMethod(way) && isProviderId(way);
        return { key: `${knownPrefix}${name}`, name, state: isProvider ? 'link' : 'out', way };
      }),
    ];
    const done = queryOf(request).get('signed-out');
    const page = done === 'one' || done === 'all' ? (`plain/accounts.${done}` as const) : 'plain/accounts';
    return send(request, reply, page, {
      fields: markedForm(request, reply),
      isStill: true,
      accounts: rows,
    });
  });

  app.post('/accounts', async (request, reply) => {
    const form = formOf(request);
    if (!isOurs(request, form)) return sendRefused(send, request, reply);
    const flow = carriedFlow(queryOf(request));
    const removed = form.get('do') === 'all' ? 'all' : form.get('remove');
    if (removed === null) return choose(request, reply, form.get('account') ?? '');
    if (removed.startsWith(knownPrefix)) {
      const memory = forget(memoryOf(request), removed.slice(knownPrefix.length));
      keepCookie(request, reply, memoryCookie, writeMemory(memory));
      return reply.redirect(ourPage('accounts', flow), 303);
    }
    const ended = (await signedIn.list(request, reply)).filter(
      ({ slot }) => removed === 'all' || String(slot) === removed,
    );
    // Signing out a guest requires a confirmation, because a guest can't sign in to the same account again.
    if (ended.some(({ user }) => user.is_anonymous === true) && form.get('leave') !== 'yes')
      return askToLeave(request, reply, removed);
    for (const one of ended) await signedIn.end(request, reply, one);
    return reply.redirect(pageWith('accounts', flow, 'signed-out', removed === 'all' ? 'all' : 'one'), 303);
  });

  /** Removes the most recently signed-out accounts from the list. */
  app.post('/forget', async (request, reply) => {
    if (!isOurs(request, formOf(request))) return sendRefused(send, request, reply);
    forgetAllLeft(request, reply);
    return reply.redirect('/account/signed-out', 303);
  });

  /** Shows a page that asks whether to sign out a guest, because the guest would lose access to the account. */
  function askToLeave(request: FastifyRequest, reply: FastifyReply, removed: string) {
    const field = `<input type="hidden" name="remove" value="${escapeText(removed)}">`;
    return send(request, reply, 'plain/leave-guest-account', {
      fields: markedForm(request, reply) + field,
      isStill: true,
    });
  }

  /** Redirects the browser, with the chosen account, to the app, an Account page, or the next step of the sign-in. */
  async function choose(request: FastifyRequest, reply: FastifyReply, key: string) {
    const query = queryOf(request);
    const flow = carriedFlow(query);
    if (key.startsWith(knownPrefix)) {
      const identified = await identify(request, reply, key.slice(knownPrefix.length));
      const step = identified?.next.step ?? 'none';
      const way = wayOf(memoryOf(request), key.slice(knownPrefix.length));
      // With the parameter `add`, the next page doesn't continue with the account that is already signed in.
      query.set('add', '1');
      const adding = carriedFlow(query);
      // Only the sign-in page offers passkeys and wallets.
      if (step === 'none' || way === 'passkey' || way === 'wallet')
        return reply.redirect(pageWith('sign-in', adding, 'chosen', '1'), 303);
      // The SSO page would only prompt for the address again, so the browser is redirected to the identity provider.
      if (step === 'sso')
        return openElsewhere(send, request, reply, pageWith('with', adding, 'provider', 'sso'));
      // The parameter `chosen` prevents the next page from sending a code before the user requests one.
      return reply.redirect(pageWith(step, adding, 'chosen', '1'), 303);
    }
    const account = (await signedIn.list(request, reply)).find(({ slot }) => String(slot) === key);
    if (account === undefined) return reply.redirect(ourPage('accounts', flow), 303);
    const { slot } = account;
    if (slot !== 'current') await parked.swap(request, reply, { slot, session: account.session });
    const address = await arrivalAddress(returnAddress, request, query, account).catch((error: unknown) => {
      // The app can't receive a session.
      if (error instanceof AccountError) return ourPage('security', flow);
      throw error;
    });
    if (address.startsWith('/account/')) return reply.redirect(address, 303);
    return openElsewhere(send, request, reply, address);
  }
}

const memoryOf = (request: FastifyRequest) => readMemory(cookieOf(request, memoryCookie));
