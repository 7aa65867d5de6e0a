/** Sends messages about alerts by email, as signed requests, or in Slack's format. */
import { type Outgoing, OutgoingError, type Reach } from '../../../base/shared/network/outgoing.ts';
import { signedRequest, signingKeys } from '../../../base/shared/standard-webhooks.ts';
import type { Mailer } from '../../../services/mail/types.ts';
import type { AlertEvent, Receiver } from './core/decide.ts';
import { alertKinds } from './core/kinds.ts';
import type { ReportedAlert } from './queries.ts';

export interface SendDeps {
  readonly mailer: Pick<Mailer, 'sendMail'>;
  readonly outgoing: Outgoing;
  /** Returns which addresses a request to a URL may reach. */
  readonly reachOf: (url: string) => Reach;
  /** The project's name. */
  readonly project: () => string;
  /** The Console's URL for operators. */
  readonly consoleUrl: () => string;
  readonly now: () => number;
}

export interface AlertMessage {
  readonly id: string;
  readonly event: AlertEvent | 'test';
  readonly alert: ReportedAlert;
}

const timeoutMs = 10_000;

/** Sends a message to an address of the receiver. Returns null, or a description of the error. */
export async function sendMessage(
  deps: SendDeps,
  receiver: Receiver,
  address: string,
  message: AlertMessage,
): Promise<string | null> {
  try {
    if (receiver.kind === 'email') {
      await deps.mailer.sendMail({ to: address, ...mailOf(deps, message) });
      return null;
    }
    if (receiver.url === undefined || receiver.url === '') return 'The receiver has no URL.';
    const { status } = await deps.outgoing.send({
      url: receiver.url,
      reach: deps.reachOf(receiver.url),
      method: 'POST',
      timeoutMs,
      ...requestOf(deps, receiver, message),
    });
    return status >= 200 && status < 300 ? null : `The receiver responded with ${status}.`;
  } catch (error) {
    if (error instanceof OutgoingError) return withoutUrl(error.message, receiver.url);
    if (receiver.kind === 'email') return error instanceof Error ? error.message : String(error);
    throw error;
  }
}

/** The URL of an incoming webhook is a secret, so error messages must not contain it. */
const withoutUrl = (text: string, url: string | undefined): string =>
  url === undefined ? text : text.replaceAll(url, 'the URL');

const verbs = { raised: '', reminder: 'Still: ', resolved: 'Resolved: ', test: 'Test: ' } as const;

const headline = (project: string, { event, alert: { title } }: AlertMessage): string =>
  `[${project}] ${verbs[event]}${title}`;

const pageOf = ({ consoleUrl }: SendDeps, { page }: ReportedAlert): string =>
  `${consoleUrl()}/console${page}`;

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

function mailOf(deps: SendDeps, message: AlertMessage): Mail {
  const { alert, event } = message;
  const url = pageOf(deps, alert);
  const lines = [
    `${verbs[event]}${alert.title}`,
    `Kind: ${alert.kind} (${alertKinds[alert.kind].toLowerCase()})`,
    `Since: ${alert.since}`,
  ];
  const settings = `${deps.consoleUrl()}/console/alerts`;
  return {
    subject: headline(deps.project(), message).slice(0, 200),
    text: `${lines.join('\n')}\n\nDetails: ${url}\n\nReceivers of alerts: ${settings}\n`,
    html: [
      `<p><strong>${escapeHtml(lines[0] ?? '')}</strong></p>`,
      `<p>${lines.slice(1).map(escapeHtml).join('<br>')}</p>`,
      `<p><a href="${escapeHtml(url)}">Open the page in the Console</a></p>`,
      `<p><a href="${escapeHtml(settings)}">Receivers of alerts</a></p>`,
    ].join('\n'),
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function requestOf(
  deps: SendDeps,
  { kind, secret }: Receiver,
  message: AlertMessage,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const { id, event, alert } = message;
  const url = pageOf(deps, alert);
  if (kind === 'slack') {
    const text = `${escapeSlack(headline(deps.project(), message))}\n<${url}|Open the page in the Console>`;
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) };
  }
  const { page: _page, ...facts } = alert;
  const content = {
    id,
    type: `alert.${event}`,
    timestamp: new Date(deps.now()).toISOString(),
    data: { project: deps.project(), ...facts, url },
  };
  return signedRequest(secret === undefined || secret === '' ? [] : signingKeys(secret), content, deps.now());
}

/** Escapes the characters that have a meaning in Slack's messages, so that a text can't contain a link or a mention. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
