/**
 * Serves the pages' forms to browsers that run no scripts. The browser posts a form to the URL of the form's page, and
 * the response is always a redirect. A cookie contains the data for the next page (`core/step.ts`). The next page is
 * prerendered separately and sent without scripts, because the scripts expect different markup.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { organizationsPage } from '../arrival.ts';
import { keepLeft, setCookie } from '../browser-sign-in.ts';
import { carriedFlow } from '../core/html.ts';
import { hostOf } from '../core/return-to.ts';
import { readSent, type Step, sentFields } from '../core/step.ts';
import { AccountError } from '../errors.ts';
import {
  createFormActions,
  type FormActionDeps,
  type FormContext,
  type Outcome,
  placesOf,
} from '../form-actions.ts';
import { FieldFault, recoveryField } from '../form-fields.ts';
import { keepAddress } from '../identify.ts';
import { hasParked } from '../parked-sessions.ts';
import { keepStep, stepOf } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import { accountName, mustStepUp, type Visitor } from '../visitor.ts';
import { formOf, isFromOurPage, isOurs, markedForm, queryOf } from './mark.ts';
import type { Send } from './page-names.ts';
import { sendRefused } from './responses.ts';

/** The pages whose forms work without scripts. */
export const formPages = [
  'sign-in',
  'password',
  'sso',
  'sign-up',
  'guest',
  'code',
  'recover',
  'new-password',
  'join',
  'mfa',
] as const;

export interface FormDeps extends FormActionDeps {
  readonly returnAddress: ReturnAddress;
}

export interface FormRouteDeps extends FormDeps {
  readonly send: Send;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
}

export interface Forms {
  /**
   * Shows the page with the result of the form that was posted last. Returns undefined if no form was posted, and the
   * caller then sends the regular page.
   */
  show(request: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply | undefined>;
}

export function formRoutes(app: FastifyInstance, deps: FormRouteDeps): Forms {
  const { send, onError, visitors, browserSignIn, returnAddress, windows } = deps;
  const actions = createFormActions(deps);

  for (const page of formPages) {
    app.post(`/${page}`, async (request, reply) => {
      const form = formOf(request);
      if (!isOurs(request, form)) return refuse(request, reply);
      const step = readSent(form) ?? stepOf(request);
      const turn = { request, reply, form, query: queryOf(request), step };
      const outcome = await outcomeOf(page, turn);
      return go(turn, outcome.isFilled === true ? await outcomeOf(outcome.page, turn) : outcome);
    });
  }

  app.post('/sign-out', async (request, reply) => {
    const form = formOf(request);
    if (!isOurs(request, form)) return refuse(request, reply);
    const visitor = await visitors.present(request);
    if (visitor?.user.is_anonymous === true && form.get('do') !== 'leave')
      return send(request, reply, 'plain/leave-guest', { fields: markedForm(request, reply), isStill: true });
    if (visitor !== undefined) {
      await browserSignIn.leave(request, visitor.session, 'local');
      keepLeft(request, reply, [accountName(visitor.user)]);
    }
    setCookie(request, reply, undefined);
    // The page then lists the accounts that are still signed in.
    return reply.redirect(hasParked(request) ? '/account/accounts' : '/account/signed-out', 303);
  });

  app.get('/signed-in', async (request, reply) => {
    const query = queryOf(request);
    const visitor = await visitors.present(request);
    if (visitor === undefined) return reply.redirect(address('sign-in', query), 303);
    if (mustStepUp(visitor)) {
      // The browser is redirected because the regular page shows the user's factors only after its script has run.
      keepStep(request, reply, { page: 'mfa' });
      return reply.redirect(address('mfa', query), 303);
    }
    if (query.get('next') === 'organizations') return reply.redirect(organizationsPage(query), 303);
    const step = stepOf(request);
    const { problem, arrived } = step?.page === 'signed-in' ? step : {};
    const target = query.get('redirect_to') ?? '';
    const host = hostOf(target) ?? '';
    keepStep(request, reply, undefined);
    const fields = markedForm(request, reply);
    const onward = address('go', query);
    const shared = { fields, email: nameOf(visitor), isStill: true } as const;
    if (problem !== undefined) return send(request, reply, 'plain/signed-in.stuck', { ...shared, problem });
    if (host === '') return send(request, reply, `plain/signed-in.home${guestMark(visitor)}`, shared);
    if (arrived === true) reply.header('refresh', `0; url=${onward}`);
    return send(request, reply, `plain/signed-in.app${guestMark(visitor)}`, {
      ...shared,
      host,
      target: onward,
    });
  });

  // The signed-in page links to this route, because the form's response can't redirect the browser directly to the app.
  // Browsers apply the page's `form-action` policy to redirects after a form submission.
  app.get('/go', async (request, reply) => {
    const query = queryOf(request);
    if (!isFromOurPage(request)) return reply.redirect(address('signed-in', query), 303);
    try {
      return reply.redirect(await returnAddress(request, Object.fromEntries(query)), 303);
    } catch (error) {
      keepStep(request, reply, { page: 'signed-in', problem: problemOf(request, 'signed-in', error) });
      return reply.redirect(address('signed-in', query), 303);
    }
  });

  async function outcomeOf(page: string, turn: FormContext): Promise<Outcome> {
    try {
      return await (actions[page] as (typeof actions)[string])(turn);
    } catch (error) {
      if (error instanceof AccountError && error.code === 'not_signed_in') return { page: 'sign-in' };
      const { email, purpose } = turn.step?.page === page ? turn.step : {};
      const typed = email ?? turn.form.get('email')?.trim().slice(0, 256);
      if (needsSso(error) && typed !== undefined) return toOrganization(turn, typed);
      const step = {
        problem: problemOf(turn.request, page, error),
        ...(turn.form.has(recoveryField) ? { recovery: true } : {}),
        ...(typed === undefined ? {} : { email: typed }),
        ...(purpose === undefined ? {} : { purpose }),
      };
      return { page, step };
    }
  }

  function problemOf(request: FastifyRequest, page: string, error: unknown) {
    if (error instanceof FieldFault) {
      return { code: error.code, place: error.place, requestId: request.id };
    }
    const isKnown = error instanceof AuthRejection || error instanceof AccountError;
    if (!isKnown) onError(request, error);
    const code = isKnown && error.code !== '' ? error.code : 'other';
    const place = placesOf[page]?.[code] ?? 'form';
    return { code: isLeaked(error) ? `${code}-leaked` : code, place, requestId: request.id };
  }

  function go({ request, reply, query }: FormContext, { page, step, next }: Outcome): FastifyReply {
    keepStep(request, reply, step === undefined ? undefined : { ...step, page });
    const kept = new URLSearchParams(query);
    if (next !== undefined) kept.set('next', next);
    return reply.redirect(address(page, kept), 303);
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply) => sendRefused(send, request, reply);

  return {
    async show(request, reply, page) {
      const step = stepOf(request);
      if (step === undefined || step.page !== page) return undefined;
      const { problem, purpose, recovery } = step;
      // The second-factor code belongs to the signed-in account, whose address may differ from the typed address.
      const visitor = page === 'mfa' ? await visitors.present(request) : undefined;
      const email = visitor === undefined ? step.email : nameOf(visitor);
      // The error is shown only once, but the progress is kept for the next page.
      keepStep(
        request,
        reply,
        purpose === undefined ? undefined : { page, purpose, ...(email && { email }) },
      );
      const form = recovery ? 'mfa-recovery' : purpose === undefined ? page : codeForms[purpose];
      const fields = markedForm(request, reply) + sentFields({ email, purpose });
      return send(request, reply, `plain/${form}${stateOf(step)}`, {
        fields,
        isStill: true,
        ...(email === undefined ? {} : { email }),
        ...(purpose === undefined ? {} : { number: await windows.numberOf(request) }),
        ...(problem === undefined ? {} : { problem }),
      });
    },
  };
}

/** The form in which the user enters a code that was sent, by the purpose of the code. */
const codeForms = { 'sign-in': 'code-entry', recover: 'code-entry', confirm: 'code-confirm' } as const;

/** The part of the page's file name that selects its state. */
function stateOf({ problem, resent, unconfirmed, enforced, unknown, unsaved }: Step): string {
  if (problem !== undefined) return `.${problem.place}`;
  if (resent) return '.resent';
  if (unconfirmed) return '.unconfirmed';
  if (unknown) return '.unknown';
  if (unsaved) return '.unsaved';
  return enforced ? '.enforced' : '';
}

const needsSso = (error: unknown): boolean => error instanceof AuthRejection && error.code === 'sso_required';

/** Offers SSO, the sign-in method that the address requires, as the sign-in page does. */
function toOrganization({ request, reply }: FormContext, email: string): Outcome {
  keepAddress(request, reply, email);
  return { page: 'sso', step: { email, enforced: true } };
}

/** Whether a password met all requirements and was rejected only because it appears in a data breach. */
function isLeaked(error: unknown): boolean {
  const { reasons = [] } = ((error as Partial<AuthRejection>).body?.weak_password ?? {}) as {
    readonly reasons?: readonly string[];
  };
  return reasons.length > 0 && reasons.every((reason) => reason === 'pwned');
}

function address(page: string, query: URLSearchParams): string {
  const flow = carriedFlow(query);
  return `/account/${page}${flow === '' ? '' : `?${flow}`}`;
}

const nameOf = ({ user }: Visitor): string => String(user.email || user.phone || '');
const guestMark = (visitor: Visitor): string => (nameOf(visitor) === '' ? '-guest' : '');
