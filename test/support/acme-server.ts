/**
 * Runs an ACME server (RFC 8555) for tests, with accounts, orders, HTTP-01 validation and certificates. The server
 * rejects requests that the RFC forbids.
 */
import {
  createHash,
  createHmac,
  createPublicKey,
  randomBytes,
  timingSafeEqual,
  verify,
  type webcrypto,
} from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { CertificateAuthority } from './certificate-authority.ts';

type JsonWebKey = webcrypto.JsonWebKey;

export interface AcmeTestServer {
  readonly directory: string;
  /** The contacts of each account. */
  readonly accounts: readonly (readonly string[])[];
  /** The domains of all issued certificates, in order. */
  readonly issued: readonly string[];
  /** The problems that the server returned. */
  readonly problems: readonly string[];
  /** The current and the maximum number of orders in progress. */
  readonly orders: { current: number; max: number };
  lifetimeMs: number;
  /** The number of subsequent orders that the server rejects with status 429. */
  rejectOrders: number;
  close(): Promise<void>;
}

interface Account {
  readonly url: string;
  readonly jwk: JsonWebKey;
  readonly thumbprint: string;
  readonly contact: readonly string[];
}

interface Order {
  readonly id: string;
  readonly account: Account;
  readonly domain: string;
  readonly token: string;
  status: 'pending' | 'ready' | 'valid' | 'invalid';
  challenge: 'pending' | 'processing' | 'valid' | 'invalid';
  certificate: string | undefined;
}

class Problem extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, detail: string, status = 400) {
    super(detail);
    this.type = type;
    this.status = status;
  }
}

interface Options {
  readonly authority: CertificateAuthority;
  /** The port on this machine to which HTTP-01 requests are sent instead of to the domain's port 80. */
  readonly httpPort: number;
  readonly lifetimeMs: number;
  /** The external account to which every account must be bound. */
  readonly externalAccount?: { readonly kid: string; readonly hmacKey: Buffer } | undefined;
}

export async function startAcmeServer({
  authority,
  httpPort,
  lifetimeMs,
  externalAccount,
}: Options): Promise<AcmeTestServer> {
  const nonces = new Set<string>();
  const accounts = new Map<string, Account>();
  const orders = new Map<string, Order>();
  const issued: string[] = [];
  const problems: string[] = [];
  const contacts: (readonly string[])[] = [];
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      const problem = error instanceof Problem ? error : new Problem('serverInternal', String(error), 500);
      problems.push(problem.type);
      outgoing.writeHead(problem.status, { 'content-type': 'application/problem+json', ...freshNonce() });
      outgoing.end(
        JSON.stringify({ type: `urn:ietf:params:acme:error:${problem.type}`, detail: problem.message }),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function freshNonce(): Record<string, string> {
    const nonce = randomBytes(16).toString('base64url');
    nonces.add(nonce);
    return { 'replay-nonce': nonce, 'cache-control': 'no-store' };
  }

  /** Verifies a signed request (RFC 8555 section 6.2). */
  function authenticate(body: string, url: string) {
    const jws = JSON.parse(body) as { protected: string; payload: string; signature: string };
    const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString()) as {
      alg: string;
      nonce: string;
      url: string;
      jwk?: JsonWebKey;
      kid?: string;
    };
    if (!nonces.delete(header.nonce)) throw new Problem('badNonce', 'the nonce is unknown or was used');
    if (header.url !== url) throw new Problem('unauthorized', 'the url differs from the request', 403);
    if (header.alg !== 'ES256') throw new Problem('badSignatureAlgorithm', header.alg);
    if ((header.jwk === undefined) === (header.kid === undefined))
      throw new Problem('malformed', 'either jwk or kid is required');
    const account = header.kid === undefined ? undefined : accounts.get(header.kid);
    const jwk = header.jwk ?? account?.jwk;
    if (jwk === undefined) throw new Problem('accountDoesNotExist', 'the kid is unknown');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const isValid = verify(
      'sha256',
      Buffer.from(`${jws.protected}.${jws.payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(jws.signature, 'base64url'),
    );
    if (!isValid) throw new Problem('unauthorized', 'the signature is wrong', 403);
    const payload =
      jws.payload === ''
        ? undefined
        : (JSON.parse(Buffer.from(jws.payload, 'base64url').toString()) as Record<string, unknown>);
    return { account, jwk, payload };
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      outgoing.writeHead(status, { 'content-type': 'application/json', ...freshNonce(), ...headers });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (path === '/directory') {
      return send(200, {
        newNonce: `${base}/nonce`,
        newAccount: `${base}/account`,
        newOrder: `${base}/order`,
        meta: {
          termsOfService: `${base}/terms`,
          ...(externalAccount === undefined ? {} : { externalAccountRequired: true }),
        },
      });
    }
    if (path === '/nonce') return send(incoming.method === 'HEAD' ? 200 : 204, '');
    if (incoming.method !== 'POST') throw new Problem('malformed', 'POST is required', 405);
    if (incoming.headers['content-type'] !== 'application/jose+json')
      throw new Problem('malformed', 'the media type must be application/jose+json', 415);
    const { account, jwk, payload } = authenticate(await text(incoming), `${base}${path}`);
    if (path === '/account') {
      const thumbprint = thumbprintOf(jwk);
      const known = [...accounts.values()].find((one) => one.thumbprint === thumbprint);
      if (known !== undefined) return send(200, { status: 'valid' }, { location: known.url });
      if (payload?.termsOfServiceAgreed !== true)
        throw new Problem('userActionRequired', 'the terms must be accepted', 403);
      if (externalAccount !== undefined)
        checkBinding(externalAccount, payload.externalAccountBinding, jwk, `${base}${path}`);
      const url = `${base}/account/${accounts.size + 1}`;
      const contact = (payload.contact as string[] | undefined) ?? [];
      accounts.set(url, { url, jwk, thumbprint, contact });
      contacts.push(contact);
      return send(201, { status: 'valid' }, { location: url });
    }
    if (account === undefined) throw new Problem('malformed', 'kid is required');
    if (path === '/order') return createOrder(account, payload, send);
    // This request updates the account (section 7.3.2).
    if (`${base}${path}` === account.url) return send(200, { status: 'valid' });
    const [, kind, id = ''] = path.split('/');
    const order = orders.get(id);
    if (order === undefined || order.account !== account)
      throw new Problem('unauthorized', 'no such order', 403);
    switch (kind) {
      case 'order':
        return send(200, orderOf(order));
      case 'authorization':
        return send(200, {
          status: order.challenge === 'processing' ? 'pending' : order.challenge,
          identifier: { type: 'dns', value: order.domain },
          challenges: [challengeOf(order)],
        });
      case 'challenge':
        if (payload !== undefined && order.challenge === 'pending') void validate(order);
        return send(200, challengeOf(order));
      case 'finalize':
        return await finalize(order, payload, send);
      case 'certificate':
        result.orders.current -= 1;
        return send(200, order.certificate ?? '', { 'content-type': 'application/pem-certificate-chain' });
      default:
        throw new Problem('malformed', path, 404);
    }
  }

  type Send = (status: number, body: unknown, headers?: Record<string, string>) => void;

  function createOrder(account: Account, payload: Record<string, unknown> | undefined, send: Send): void {
    if (result.rejectOrders > 0) {
      result.rejectOrders -= 1;
      throw new Problem('rateLimited', 'too many orders', 429);
    }
    const identifiers = payload?.identifiers as { type: string; value: string }[];
    const [first] = identifiers;
    if (first?.type !== 'dns' || identifiers.length !== 1)
      throw new Problem('unsupportedIdentifier', 'one DNS name is required');
    const order: Order = {
      id: randomBytes(8).toString('hex'),
      account,
      domain: first.value,
      token: randomBytes(24).toString('base64url'),
      status: 'pending',
      challenge: 'pending',
      certificate: undefined,
    };
    orders.set(order.id, order);
    result.orders.current += 1;
    result.orders.max = Math.max(result.orders.max, result.orders.current);
    send(201, orderOf(order), { location: `${base}/order/${order.id}` });
  }

  const orderOf = ({ id, domain, status, certificate }: Order) => ({
    status,
    identifiers: [{ type: 'dns', value: domain }],
    authorizations: [`${base}/authorization/${id}`],
    finalize: `${base}/finalize/${id}`,
    ...(certificate === undefined ? {} : { certificate: `${base}/certificate/${id}` }),
  });
  const challengeOf = ({ id, token, challenge }: Order) => ({
    type: 'http-01',
    url: `${base}/challenge/${id}`,
    token,
    status: challenge,
    ...(challenge === 'invalid' ? { error: { type: 'urn:ietf:params:acme:error:unauthorized' } } : {}),
  });

  /** Validates an order's HTTP-01 challenge (RFC 8555 section 8.3). */
  async function validate(order: Order): Promise<void> {
    order.challenge = 'processing';
    const expected = `${order.token}.${order.account.thumbprint}`;
    const response = await fetchFrom(
      httpPort,
      order.domain,
      `/.well-known/acme-challenge/${order.token}`,
    ).catch(() => undefined);
    const isValid = response?.status === 200 && response.body.trimEnd() === expected;
    order.challenge = isValid ? 'valid' : 'invalid';
    order.status = isValid ? 'ready' : 'invalid';
    if (!isValid) result.orders.current -= 1;
  }

  async function finalize(order: Order, payload: Record<string, unknown> | undefined, send: Send) {
    if (order.status !== 'ready') throw new Problem('orderNotReady', order.status, 403);
    const csr = Buffer.from(String(payload?.csr), 'base64url');
    if (String(authority.namesIn(csr)) !== order.domain)
      throw new Problem('badCSR', 'the names differ from the order');
    order.certificate = await authority.sign(csr, result.lifetimeMs);
    order.status = 'valid';
    issued.push(order.domain);
    send(200, orderOf(order));
  }

  const result: AcmeTestServer = {
    directory: `${base}/directory`,
    accounts: contacts,
    issued,
    problems,
    orders: { current: 0, max: 0 },
    lifetimeMs,
    rejectOrders: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return result;
}

/** Checks the binding to an external account (RFC 8555 section 7.3.4). */
function checkBinding(
  { kid, hmacKey }: NonNullable<Options['externalAccount']>,
  binding: unknown,
  jwk: JsonWebKey,
  url: string,
): void {
  if (binding === undefined)
    throw new Problem('externalAccountRequired', 'an external account is required', 403);
  const jws = binding as { protected: string; payload: string; signature: string };
  const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString()) as Record<string, unknown>;
  const expected = createHmac('sha256', hmacKey).update(`${jws.protected}.${jws.payload}`).digest();
  const given = Buffer.from(jws.signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Problem('unauthorized', 'the HMAC of the external account is wrong', 403);
  const bound = JSON.parse(Buffer.from(jws.payload, 'base64url').toString()) as JsonWebKey;
  const isRight =
    header.alg === 'HS256' &&
    header.kid === kid &&
    header.url === url &&
    header.nonce === undefined &&
    thumbprintOf(bound) === thumbprintOf(jwk);
  if (!isRight) throw new Problem('malformed', 'the external account binding is wrong');
}

/** Returns the thumbprint of a key (RFC 7638). */
function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** Sends a request with the Host header `host` to a port on this machine. */
export function fetchFrom(port: number, host: string, path: string, method = 'GET') {
  return new Promise<{ status: number; location: string | undefined; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers: { host }, agent: false }, (response) => {
      buffer(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            body: body.toString(),
          }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}
