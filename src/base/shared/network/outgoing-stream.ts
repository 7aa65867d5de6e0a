/**
 * Sends a POST request to a configured address and streams the response. HTTPS is required, except for addresses of this
 * machine, which the operator may name in production too. Redirects aren't followed.
 */
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from '../../kernel/http.ts';
import { scopeOf } from './address-scope.ts';
import { OutgoingError, refuseTunnel } from './outgoing.ts';

export interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the exchange, also while the response arrives. */
  readonly signal: AbortSignal;
}

export interface StreamResponse {
  readonly status: number;
  readonly contentType: string;
  /** Leaving the loop ends the exchange. @throws if the response ends early */
  readonly chunks: AsyncIterable<Buffer>;
}

/** @throws {OutgoingError} if the address isn't allowed or doesn't respond */
export function postForStream({ url: text, headers, body, signal }: StreamRequest): Promise<StreamResponse> {
  const url = checkUrl(text);
  const send = url.protocol === 'https:' ? process.getBuiltinModule('node:https').request : httpRequest;
  return new Promise((done, fail) => {
    const failed = (cause: Error): void =>
      fail(new OutgoingError(`${url.origin} didn't respond`, undefined, cause));
    const sent = send(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'plinth',
          ...headers,
          'content-length': Buffer.byteLength(body),
        },
        signal,
        agent: false,
      },
      (response: IncomingMessage) =>
        done({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          chunks: response as AsyncIterable<Buffer>,
        }),
    );
    sent.on('error', failed);
    refuseTunnel(sent, failed);
    sent.end(body);
  });
}

/** @throws {OutgoingError} if the address isn't allowed */
function checkUrl(text: string): URL {
  if (!URL.canParse(text)) throw new OutgoingError('The URL is invalid.', 'format');
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = host === 'localhost' || host.endsWith('.localhost') || scopeOf(host) === 'loopback';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new OutgoingError(`${url.origin} doesn't use https`, 'scheme');
  return url;
}
