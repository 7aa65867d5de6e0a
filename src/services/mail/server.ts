/** Serves the captured inbox over HTTP on a separate port, for tests written for Mailpit. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from '../../base/kernel/http.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { foreignOf } from '../../base/kernel/request-origin.ts';
import { RequestBody } from '../../base/shared/http/request-body.ts';
import { escapeMarkup } from '../../base/shared/printable.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { renderEntry, renderHeaders, renderMessage, renderRaw } from './core/mailpit.ts';
import { parseSearch, type SearchTerm } from './core/search.ts';
import {
  countMessages,
  deleteFound,
  deleteMessages,
  findMessage,
  listMessages,
  type MessageRow,
  markRead,
} from './queries.ts';

const maxBodyBytes = 1_048_576;
const defaultLimit = 50;
const maxLimit = 1000;

interface MailResponse {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createInboxServer(db: Queryable, log: Logger): Server {
  return createServer((request, response) => {
    respond(db, request)
      .catch((error: unknown): MailResponse => {
        if (error instanceof InputError) return json({ Error: error.message }, 400);
        log.error({ service: 'mail', path: request.url, error }, 'The inbox request failed');
        return json({ Error: 'Internal error' }, 500);
      })
      .then((result) => send(response, result, request.method === 'HEAD'));
  });
}

class InputError extends Error {}

async function respond(db: Queryable, request: IncomingMessage): Promise<MailResponse> {
  const url = readUrl(request);
  const rejection = rejectForeign(request, url);
  if (rejection !== undefined) return json({ Error: rejection }, 403);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const path = url.pathname.replace(/(?<=.)\/+$/, '');
  switch (`${method} ${path}`) {
    case 'GET /api/v1/messages':
      return list(db, url.searchParams, []);
    case 'GET /api/v1/search':
      return list(db, url.searchParams, requireQuery(url.searchParams));
    case 'DELETE /api/v1/messages':
      await deleteMessages(db, await readIds(request));
      return text('ok');
    case 'DELETE /api/v1/search':
      await deleteFound(db, requireQuery(url.searchParams));
      return text('ok');
    case 'PUT /api/v1/messages':
      return setRead(db, request);
    case 'GET /api/v1/info':
      return info(db);
    case 'GET /livez':
    case 'GET /readyz':
      return text('ok');
    case 'GET /':
      return indexPage(db);
  }
  const message = /^\/api\/v1\/message\/([^/]+)(?:\/(raw|headers))?$/.exec(path);
  if (method === 'GET' && message) return one(db, message[1] ?? '', message[2]);
  const view = /^\/view\/([^/]+)\.(html|txt)$/.exec(path);
  if (method === 'GET' && view) return show(db, view[1] ?? '', view[2] === 'html');
  return json({ Error: 'Not found' }, 404);
}

/**
 * Returns the reason why a request is rejected, or undefined if it is accepted. Rejects requests from other websites,
 * because any page in the developer's browser can send requests to this port. The inbox contains sign-in codes but
 * isn't protected by a password.
 */
function rejectForeign(request: IncomingMessage, url: URL): string | undefined {
  switch (foreignOf(request, {}, url.pathname === '/' || url.pathname.startsWith('/view/'))) {
    case 'name':
      return 'Use localhost or 127.0.0.1 to open the inbox.';
    case 'page':
      return 'The inbox rejects requests from other websites.';
  }
}

/**
 * Parses the request's URL. Rejects a URL that contains a NUL character, because PostgreSQL rejects text with this
 * character and no message contains it.
 */
function readUrl(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  try {
    if (!decodeURIComponent(target).includes('\0')) return new URL(target, 'http://inbox');
  } catch {
    // The response to an invalid URL is sent below.
  }
  throw new InputError('the address is not valid');
}

async function list(
  db: Queryable,
  query: URLSearchParams,
  terms: readonly SearchTerm[],
): Promise<MailResponse> {
  const start = readCount(query, 'start', 0);
  const limit = Math.min(readCount(query, 'limit', defaultLimit), maxLimit);
  const [rows, found, all] = await Promise.all([
    listMessages(db, { limit, offset: start, terms }),
    countMessages(db, terms),
    countMessages(db, []),
  ]);
  return json({
    total: all.total,
    unread: all.unread,
    count: rows.length,
    messages_count: found.total,
    messages_unread: found.unread,
    start,
    tags: [],
    messages: rows.map(renderEntry),
  });
}

async function one(db: Queryable, id: string, part: string | undefined): Promise<MailResponse> {
  const row = await findMessage(db, decodeURIComponent(id));
  if (!row) return json({ Error: 'Message not found' }, 404);
  if (part === 'raw') return text(renderRaw(row));
  if (part === 'headers') return json(renderHeaders(row));
  await markRead(db, [row.id], true);
  return json(renderMessage(row));
}

/** The content security policy for captured messages. Captured messages must not run scripts in the inbox's origin. */
const pagePolicy = {
  'content-security-policy':
    "default-src 'none'; img-src * data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-popups",
};

async function show(db: Queryable, id: string, asHtml: boolean): Promise<MailResponse> {
  const row = await findMessage(db, decodeURIComponent(id));
  if (!row) return json({ Error: 'Message not found' }, 404);
  if (!asHtml) return text(row.text);
  return { type: 'text/html; charset=utf-8', body: row.html, headers: pagePolicy };
}

async function setRead(db: Queryable, request: IncomingMessage): Promise<MailResponse> {
  const body = await readJson(request);
  const ids = readIdList(body);
  await markRead(db, ids, body.Read !== false);
  return text('ok');
}

async function info(db: Queryable): Promise<MailResponse> {
  const { total, unread } = await countMessages(db, []);
  return json({ Version: 'plinth', Messages: total, Unread: unread, Tags: {} });
}

/** Returns the page that developers see if they open the port in a browser. */
async function indexPage(db: Queryable): Promise<MailResponse> {
  const rows = await listMessages(db, { limit: defaultLimit, offset: 0, terms: [] });
  const items = rows.map(
    (row) =>
      `<li><a href="/view/${row.id}.${row.html === '' ? 'txt' : 'html'}">${escapeMarkup(row.subject)}</a> ` +
      `<span>to ${escapeMarkup(row.recipient)}, ${escapeMarkup(row.created_at.slice(0, 19))} UTC</span></li>`,
  );
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Captured emails</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}li{margin:.5rem 0}span{opacity:.7}</style>
<h1>Captured emails</h1>${items.length > 0 ? `<ol>${items.join('')}</ol>` : '<p>No messages yet.</p>'}</html>`;
  return { type: 'text/html; charset=utf-8', body, headers: pagePolicy };
}

function requireQuery(query: URLSearchParams): SearchTerm[] {
  const terms = parseSearch(query.get('query') ?? '');
  if (terms.length === 0) throw new InputError('no search query');
  return terms;
}

function readCount(query: URLSearchParams, name: string, fallback: number): number {
  const number = Number(query.get(name) ?? fallback);
  return Number.isSafeInteger(number) && number >= 0 ? number : fallback;
}

/**
 * Reads the message IDs from the request body. If the result is undefined, the request applies to all messages in the
 * inbox.
 */
async function readIds(request: IncomingMessage): Promise<readonly string[] | undefined> {
  return readIdList(await readJson(request));
}

function readIdList(body: Record<string, unknown>): readonly string[] | undefined {
  const ids = body.IDs ?? body.ids;
  if (!Array.isArray(ids) || ids.length === 0) return undefined;
  if (!ids.every((id) => typeof id === 'string')) throw new InputError('IDs must be a list of strings');
  return ids as string[];
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of new RequestBody(request)) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new InputError('the body is too large');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8').trim();
  if (body === '') return {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // The response to an invalid body is sent below.
  }
  throw new InputError('the body is not a JSON object');
}

function json(value: object, status = 200): MailResponse {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

function text(body: string): MailResponse {
  return { type: 'text/plain; charset=utf-8', body };
}

function send(
  response: ServerResponse,
  { status = 200, type, body, headers = {} }: MailResponse,
  isHead: boolean,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(isHead ? '' : body);
}

export type { MessageRow };
