/**
 * Serves the pages' forms to browsers without scripts. A form is posted to its own page, and the response is always a
 * redirect. A cookie contains the data that the next page shows (`core/step.ts`). That page is prerendered separately
 * and sent without scripts, because its markup differs from what the scripts expect.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../shared/auth-rejection.ts';
import { setCookie } from '../browser-sign-in.ts';
import { stepCookie } from '../core/cookies.ts';
import { hostOf } from '../core/host.ts';
import { carriedFlow } from '../core/html.ts';
import { queryOf } from '../core/query.ts';
import { readSent, readStep, type Step, sentFields, writeStep } from '../core/step.ts';
import { AccountError } from '../errors.ts';
import {
  createFormActions,
  FieldFault,
  type FormActionDeps,
  type FormContext,
  type Outcome,
  placesOf,
} from '../form-actions.ts';
import { hasParked } from '../parked-sessions.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import { mustStepUp, type Visitor } from '../visitor.ts';
import { formOf, isFromOurPage, isOurs, markedForm } from './mark.ts';
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
   * Shows the page with the result of the last form. Returns undefined if no form was posted. In this case, the regular
   * page is sent.
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
    if (visitor !== undefined) await browserSignIn.leave(request, visitor.session, 'local');
    setCookie(request, reply, undefined);
    // The list shows which other accounts are still signed in.
    return reply.redirect(hasParked(request) ? '/account/accounts' : '/account/signed-out', 303);
  });

  app.get('/signed-in', async (request, reply) => {
    const query = queryOf(request);
    const visitor = await visitors.present(request);
    if (visitor === undefined) return reply.redirect(address('sign-in', query), 303);
    if (mustStepUp(visitor)) {
      // The response is a redirect because the regular page doesn't know the user's factors until its script runs.
      setStep(request, reply, { page: 'mfa' });
      return reply.redirect(address('mfa', query), 303);
    }
    const step = stepOf(request);
    const { problem, arrived } = step?.page === 'signed-in' ? step : {};
    const target = query.get('redirect_to') ?? '';
    const host = hostOf(target) ?? '';
    setStep(request, reply, undefined);
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

  // The page shows a link to the app because browsers apply the page's form-action policy to redirects that follow a
  // form submission.
  app.get('/go', async (request, reply) => {
    const query = queryOf(request);
    if (!isFromOurPage(request)) return reply.redirect(address('signed-in', query), 303);
    try {
      return reply.redirect(await returnAddress(request, Object.fromEntries(query)), 303);
    } catch (error) {
      setStep(request, reply, { page: 'signed-in', problem: problemOf(request, 'signed-in', error) });
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
      const step = {
        problem: problemOf(turn.request, page, error),
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
    setStep(request, reply, step === undefined ? undefined : { ...step, page });
    const kept = new URLSearchParams(query);
    if (next !== undefined) kept.set('next', next);
    return reply.redirect(address(page, kept), 303);
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply) => sendRefused(send, request, reply);

  return {
    async show(request, reply, page) {
      const step = stepOf(request);
      if (step === undefined || step.page !== page) return undefined;
      const { problem, purpose, email, resent, unconfirmed, enforced } = step;
      // An error is shown only once, but the progress is kept for the next page.
      setStep(request, reply, purpose === undefined ? undefined : { page, purpose, ...(email && { email }) });
      const form = purpose === undefined ? page : purpose === 'confirm' ? 'code-confirm' : 'code-entry';
      const state =
        problem === undefined
          ? resent
            ? '.resent'
            : unconfirmed
              ? '.unconfirmed'
              : enforced
                ? '.enforced'
                : ''
          : `.${problem.place}`;
      const fields = markedForm(request, reply) + sentFields({ email, purpose });
      return send(request, reply, `plain/${form}${state}`, {
        fields,
        isStill: true,
        ...(email === undefined ? {} : { email }),
        ...(purpose === undefined ? {} : { number: await windows.numberOf(request) }),
        ...(problem === undefined ? {} : { problem }),
      });
    },
  };
}

/** Whether a password was rejected only because it was leaked. It meets all requirements. */
function isLeaked(error: unknown): boolean {
  const { reasons = [] } = ((error as Partial<AuthRejection>).body?.weak_password ?? {}) as {
    readonly reasons?: readonly string[];
  };
  return reasons.length > 0 && reasons.every((reason) => reason === 'pwned');
}

function setStep(request: FastifyRequest, reply: FastifyReply, step: Step | undefined): void {
  const value = step === undefined ? undefined : writeStep(step);
  if (value === undefined && cookieOf(request, stepCookie) === undefined) return;
  keepCookie(request, reply, stepCookie, value);
}

const stepOf = (request: FastifyRequest): Step | undefined => readStep(cookieOf(request, stepCookie));

function address(page: string, query: URLSearchParams): string {
  const flow = carriedFlow(query);
  return `/account/${page}${flow === '' ? '' : `?${flow}`}`;
}

const nameOf = ({ user }: Visitor): string => String(user.email || user.phone || '');
const guestMark = (visitor: Visitor): string => (nameOf(visitor) === '' ? '-guest' : '');
