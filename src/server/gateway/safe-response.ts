/**
 * Adds security headers to every response that the port sends. Responses from Fastify, from services that write
 * directly and from Node's HTTP server all call `writeHead`, so new services are covered automatically.
 */
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ServerResponse as NodeResponse } from '../../base/kernel/http.ts';
import type { Documents } from '../../base/kernel/service.ts';
import { sendableHeader } from '../../base/shared/http/header-text.ts';
import { safeHead } from '../../base/shared/http/response-head.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

const none: readonly string[] = [];

export class SafeResponse<Request extends IncomingMessage = IncomingMessage> extends NodeResponse<Request> {
  documents: Documents = 'users';
  /**
   * The headers that precede all other headers, as alternating names in lower case and values. A header is omitted if the
   * response has another value for it.
   */
  gatewayHeaders: readonly string[] = none;

  override writeHead(status: number, ...rest: [reason?: string | Headers, headers?: Headers]): this {
    const reason = typeof rest[0] === 'string' ? rest[0] : undefined;
    const given = typeof rest[0] === 'object' ? rest[0] : rest[1];
    const head = this.#withGatewayHeaders(this.#takeOver(listOf(given)));
    try {
      return this.#write(status, reason, head);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_CHAR') throw error;
      // Node adds the headers that precede the invalid header.
      for (const name of this.getHeaderNames()) this.removeHeader(name);
      return this.#write(status, reason, sendable(head));
    }
  }

  #write(status: number, reason: string | undefined, head: unknown[]): this {
    const safe = safeHead(status, head, this.documents) as OutgoingHttpHeader[];
    return reason === undefined ? super.writeHead(status, safe) : super.writeHead(status, reason, safe);
  }

  #withGatewayHeaders(head: unknown[]): unknown[] {
    const { gatewayHeaders: added } = this;
    if (added.length === 0) return head;
    const whole: unknown[] = [];
    for (let index = 0; index < added.length; index += 2) {
      const name = added[index] as string;
      if (!hasHeader(head, name)) whole.push(name, added[index + 1]);
    }
    for (const item of head) whole.push(item);
    return whole;
  }

  /** Merges the headers set with `setHeader` into the given list, so all headers are checked together. */
  #takeOver(given: unknown[]): unknown[] {
    const names = this.getHeaderNames();
    if (names.length === 0) return given;
    const replaced = new Set<string>();
    for (let index = 0; index < given.length; index += 2) replaced.add(String(given[index]).toLowerCase());
    const kept: unknown[] = [];
    for (const name of names) {
      if (!replaced.has(name)) push(kept, name, this.getHeader(name));
      this.removeHeader(name);
    }
    return [...kept, ...given];
  }
}

function hasHeader(head: readonly unknown[], name: string): boolean {
  for (let index = 0; index < head.length; index += 2) {
    const given = String(head[index]);
    if (given.length === name.length && (given === name || given.toLowerCase() === name)) return true;
  }
  return false;
}

/** Specifies the author of the response's content. The default author is `users`. */
export function setDocuments(response: ServerResponse, documents: Documents): void {
  (response as SafeResponse).documents = documents;
}

function listOf(headers: Headers | undefined): unknown[] {
  if (headers === undefined) return [];
  if (Array.isArray(headers)) return headers.some(Array.isArray) ? headers.flat() : headers;
  const list: unknown[] = [];
  for (const name of Object.keys(headers)) push(list, name, headers[name]);
  return list;
}

/**
 * Encodes the values that Node rejects, so that the text in a header can't cause a response to fail. The values are
 * encoded only after Node has rejected one of them, because almost no response has such values.
 */
const sendable = (head: readonly unknown[]): unknown[] =>
  head.map((item, index) => (index % 2 === 1 && typeof item === 'string' ? sendableHeader(item) : item));

function push(list: unknown[], name: string, value: unknown): void {
  if (Array.isArray(value)) for (const one of value) list.push(name, one);
  else list.push(name, value);
}
