/**
 * Handles an email link that is opened on a device other than the device that requested the email. The link only
 * confirms the window that is waiting for the link, and only after the user enters the number shown in that window
 * (`waiting-windows.ts`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceOf } from '../../../base/shared/account.ts';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { escapeMarkup } from '../../../base/shared/printable.ts';
import type { AuthClient } from '../auth-client.ts';
import type { ConfirmLink } from '../core/confirm.ts';
import type { WaitingWindows } from '../waiting-windows.ts';
import { markedForm } from './mark.ts';
import type { Send } from './page-names.ts';
import { isTemporary, sendExpired } from './responses.ts';

/** A link, and the window that waits for it. */
interface WaitingLink {
  readonly link: ConfirmLink;
  readonly wait: string;
}

export function otherDevice(deps: {
  readonly auth: AuthClient;
  readonly windows: WaitingWindows;
  readonly send: Send;
}) {
  const { auth, windows, send } = deps;

  /** Shows the form for the number that the waiting window displays. */
  async function askNumber(
    request: FastifyRequest,
    reply: FastifyReply,
    { link, wait }: WaitingLink,
    isWrong = false,
  ) {
    const other = await windows.find(wait);
    if (other === undefined || other.isCanceled) return canceled(request, reply);
    let email: string;
    try {
      ({ email } = await auth.visitor(request).checkLink(link));
    } catch (error) {
      if (!(error instanceof AuthRejection) || isTemporary(error)) throw error;
      return sendExpired(send, request, reply);
    }
    const device = deviceOf(other.userAgent);
    const page = device === undefined ? 'plain/confirm-number' : 'plain/confirm-number-device';
    return send(request, reply, isWrong ? `${page}.code` : page, {
      fields: formFields(request, reply, link),
      email,
      isStill: true,
      ...(device && { device }),
      ...(isWrong && { problem: { code: 'field.number-wrong', place: 'code', requestId: request.id } }),
    });
  }

  const canceled = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, 'plain/confirm-canceled', { isStill: true });

  /** Confirms the window that is waiting for the link. Doesn't sign the user in with this browser. */
  async function confirmWindow(
    request: FastifyRequest,
    reply: FastifyReply,
    { link, wait }: WaitingLink,
    entered: string,
  ) {
    const number = entered
      .replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
      .replace(/\D/g, '');
    if (number === '') return askNumber(request, reply, { link, wait });
    try {
      await auth.visitor(request).checkLink(link);
    } catch (error) {
      if (!(error instanceof AuthRejection) || isTemporary(error)) throw error;
      return sendExpired(send, request, reply);
    }
    const result = await windows.checkNumber(wait, number);
    if (result === 'canceled') return canceled(request, reply);
    if (result === 'wrong') return askNumber(request, reply, { link, wait }, true);
    await windows.confirm(wait, { link: link.token, type: link.type });
    return reply.redirect('/account/confirmed', 303);
  }

  return { askNumber, confirmWindow };
}

/** Returns the hidden fields of the form that submits a link. */
export function formFields(request: FastifyRequest, reply: FastifyReply, link: ConfirmLink): string {
  const values = { token: link.token, type: link.type, redirect_to: link.redirectTo };
  const fields = Object.entries(values).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeMarkup(value)}">`,
  );
  return markedForm(request, reply) + fields.join('');
}
