/** Renders messages in the format of Mailpit's REST API, and as RFC 5322 text. */
import type { MessageRow } from '../queries.ts';

interface Address {
  readonly Name: string;
  readonly Address: string;
}

const snippetChars = 250;

export function sender(row: MessageRow): Address {
  return { Name: row.from_name, Address: row.from_address };
}

/** Converts a UTC timestamp from PostgreSQL's text format to ISO 8601 with milliseconds. */
export function isoTime({ created_at }: Pick<MessageRow, 'created_at'>): string {
  return new Date(created_at.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();
}

function messageId(row: MessageRow): string {
  return `${row.id}@plinth.local`;
}

export function renderEntry(row: MessageRow): object {
  return {
    ID: row.id,
    MessageID: messageId(row),
    Read: row.is_read,
    From: sender(row),
    To: [{ Name: '', Address: row.recipient }],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: row.subject,
    Created: isoTime(row),
    Username: '',
    Tags: row.kind === 'sms' ? ['sms'] : [],
    Size: Buffer.byteLength(renderRaw(row)),
    Attachments: 0,
    Snippet: row.text.replace(/\s+/g, ' ').trim().slice(0, snippetChars),
  };
}

export function renderMessage(row: MessageRow): object {
  return {
    ID: row.id,
    MessageID: messageId(row),
    From: sender(row),
    To: [{ Name: '', Address: row.recipient }],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    ReturnPath: row.from_address,
    Subject: row.subject,
    ListUnsubscribe: { Header: '', Links: [], Errors: '', HeaderPost: '' },
    Date: isoTime(row),
    Tags: row.kind === 'sms' ? ['sms'] : [],
    Username: '',
    Text: row.text,
    HTML: row.html,
    Size: Buffer.byteLength(renderRaw(row)),
    Inline: [],
    Attachments: [],
  };
}

export function renderHeaders(row: MessageRow): Record<string, string[]> {
  return Object.fromEntries(headerLines(row).map(([name, value]) => [name, [value]]));
}

function headerLines(row: MessageRow): [string, string][] {
  const from =
    row.from_name === '' ? row.from_address : `${encodeWords(row.from_name, true)} <${row.from_address}>`;
  return [
    ['From', from],
    ['To', row.recipient],
    ['Subject', encodeWords(row.subject, false)],
    ['Date', new Date(isoTime(row)).toUTCString().replace('GMT', '+0000')],
    ['Message-ID', `<${messageId(row)}>`],
    ['MIME-Version', '1.0'],
    ...Object.entries(row.headers),
    [
      'Content-Type',
      row.html === '' ? 'text/plain; charset=utf-8' : `multipart/alternative; boundary="${boundary(row)}"`,
    ],
    ...(row.html === '' ? ([['Content-Transfer-Encoding', 'base64']] satisfies [string, string][]) : []),
  ];
}

/** Returns the message in the form that an email client would receive. */
export function renderRaw(row: MessageRow): string {
  const head = headerLines(row)
    .map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}`)
    .join('\r\n');
  if (row.html === '') return `${head}\r\n\r\n${encodeBody(row.text)}`;
  const part = (type: string, body: string) =>
    `--${boundary(row)}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encodeBody(body)}`;
  return `${head}\r\n\r\n${part('text/plain', row.text)}${part('text/html', row.html)}--${boundary(row)}--\r\n`;
}

function boundary(row: MessageRow): string {
  return `plinth-${row.id}`;
}

function encodeBody(body: string): string {
  const lines =
    Buffer.from(body)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return `${lines.join('\r\n')}\r\n`;
}

/** Encodes text that isn't plain ASCII as RFC 2047 encoded words. */
function encodeWords(text: string, quote: boolean): string {
  if (!/^[\x20-\x7e]*$/.test(text)) return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  return quote && /[^\w ]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}
