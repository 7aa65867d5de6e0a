/**
 * Tests a connection with a sign-in at the identity provider. The result shows the attributes that arrived, and no one is
 * signed in.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { errorResponse } from '../../common/public-errors.ts';
import { fromMs } from '../../common/times.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { authorizationUrl, newCodeVerifier } from '../../providers/oauth-client.ts';
import { readToken } from '../../providers/response.ts';
import { acceptAssertion } from '../../sso/accept.ts';
import { serviceProvider } from '../../sso/metadata.ts';
import { listAttributes, readUser } from '../../sso/saml/assertion.ts';
import { parseIdentityProvider } from '../../sso/saml/metadata.ts';
import { signInUrl } from '../../sso/saml/service-provider.ts';
import { nameIdFormats } from '../../sso/saml/xml.ts';
import { hasOrganizationSso } from '../availability.ts';
import { recordOrganizationEvent } from '../history.ts';
import { findConnectionById, finishTest, insertTest, setTested, type TestRow, takeTest } from './queries.ts';
import { fingerprint } from './settings.ts';
import { isInDomains, oidcClient, samlProvider } from './sign-in.ts';
import type { Connection } from './types.ts';

const testLifetimeMs = 900_000;
const maxShownAttributes = 40;
const maxValueLength = 200;

export interface TestResult {
  readonly ok: boolean;
  /** Why the test failed. */
  readonly problem: 'rejected' | 'no-email' | 'other-domain' | null;
  /** A sentence with details for the administrator, or an empty string. */
  readonly detail: string;
  readonly email: string;
  readonly subject: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
}

/** Starts a test of the draft, or of the settings in use if a draft doesn't exist. Returns the URL to open. */
export async function startTest(
  ctx: AuthContext,
  connection: Connection,
  linkId: string,
): Promise<string | undefined> {
  const settings = connection.draft ?? connection.settings;
  if (settings === null) return undefined;
  const now = ctx.clock.now();
  const secret = settings.kind === 'saml' ? `id-${randomBytes(20).toString('hex')}` : newCodeVerifier();
  const state = await insertTest(
    ctx.pool,
    { organization_id: connection.organizationId, link_id: linkId, settings, secret },
    now,
  );
  if (settings.kind === 'saml') {
    const { signOnUrl = '' } = parseIdentityProvider(settings.metadataXml);
    const { current } = await ctx.keys.samlKeys();
    const request = {
      id: secret,
      issuedAt: fromMs(now),
      destination: signOnUrl,
      nameIdFormat: nameIdFormats.persistent,
      relayState: state,
    };
    return signInUrl(serviceProvider(ctx), request, current);
  }
  const client = await oidcClient(ctx, connection.id, settings);
  const challenge = createHash('sha256').update(secret).digest('base64url');
  const params = { code_challenge: challenge, code_challenge_method: 'S256', nonce: randomUUID() };
  return authorizationUrl({ ...client, state, params: [params] });
}

async function take(ctx: AuthContext, id: string): Promise<TestRow | undefined> {
  if (!hasOrganizationSso(ctx) || !isUuid(id)) return undefined;
  const nowMs = ctx.clock.now();
  return takeTest(ctx.pool, id, { since: fromMs(nowMs - testLifetimeMs), nowMs });
}

/** Completes a test with the response of a SAML provider. Returns the URL of the page, or undefined if the test is unknown. */
export async function finishSamlTest(
  ctx: AuthContext,
  relayState: string,
  form: URLSearchParams,
): Promise<string | undefined> {
  const test = await take(ctx, relayState);
  const settings = test?.settings;
  if (test === undefined || settings?.kind !== 'saml') return undefined;
  return finish(ctx, test, async () => {
    const provider = samlProvider(ctx, test.id, settings);
    const began = {
      sso_provider_id: test.id,
      request_id: test.secret,
      redirect_to: null,
      created_at: '',
      flow_state_id: null,
      auth_code: null,
    };
    const assertion = await acceptAssertion(ctx, provider, began, form);
    const attributes = listAttributes(assertion);
    try {
      const { email, claims } = readUser(assertion, settings.entityId, {});
      return { email, subject: claims.sub, attributes };
    } catch (error) {
      return { email: '', subject: '', attributes, detail: detailOf(error) };
    }
  });
}

/** Completes a test with the response of an OpenID provider. */
export async function finishOidcTest(
  ctx: AuthContext,
  connectionId: string,
  params: URLSearchParams,
): Promise<string | undefined> {
  const test = await take(ctx, params.get('state') ?? '');
  const settings = test?.settings;
  const connection = isUuid(connectionId) ? await findConnectionById(ctx.pool, connectionId) : undefined;
  if (test === undefined || settings?.kind !== 'oidc') return undefined;
  if (connection?.organizationId !== test.organization_id) return undefined;
  return finish(ctx, test, async () => {
    const client = await oidcClient(ctx, connectionId, settings);
    const token = await readToken(ctx, client, params, test.secret);
    const { emails, claims } = await client.readProfile(token);
    const shown = { ...claims, ...(claims.custom_claims as object | undefined), custom_claims: undefined };
    const attributes = Object.entries(shown).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value: Array.isArray(value) ? value.join(', ') : String(value) }],
    );
    const [sent] = emails;
    return { email: sent?.verified === true ? sent.email : '', subject: claims.sub, attributes };
  });
}

interface Arrived extends Pick<TestResult, 'email' | 'subject' | 'attributes'> {
  readonly detail?: string;
}

async function finish(ctx: AuthContext, test: TestRow, read: () => Promise<Arrived>): Promise<string> {
  const { id, organization_id: organizationId, settings } = test;
  const result = await resultOf(ctx, organizationId, read);
  await finishTest(ctx.pool, id, result);
  if (result.ok) await setTested(ctx.pool, organizationId, fingerprint(settings));
  await recordOrganizationEvent(ctx, ctx.pool, {
    organizationId,
    kind: 'connection_tested',
    actor: 'setup',
    details: { ok: result.ok },
  });
  return `${ctx.settings.accountUrl()}/organizations/setup?tested=1`;
}

async function resultOf(
  ctx: AuthContext,
  organizationId: string,
  read: () => Promise<Arrived>,
): Promise<TestResult> {
  let arrived: Arrived;
  try {
    arrived = await read();
  } catch (error) {
    const nothing = { email: '', subject: '', attributes: [] };
    return { ok: false, problem: 'rejected', detail: detailOf(error), ...nothing };
  }
  const { email, subject, attributes, detail = '' } = arrived;
  const cut = (text: string) => text.slice(0, maxValueLength);
  const shown = {
    detail,
    email: cut(email),
    subject: cut(subject),
    attributes: attributes
      .slice(0, maxShownAttributes)
      .map(({ name, value }) => ({ name: cut(name), value: cut(value) })),
  };
  if (email === '' || subject === '') return { ok: false, problem: 'no-email', ...shown };
  const isOurs = await isInDomains(ctx.pool, organizationId, email.toLowerCase());
  return isOurs ? { ok: true, problem: null, ...shown } : { ok: false, problem: 'other-domain', ...shown };
}

/** Returns the reason of an error in words, without internal details of unexpected errors. */
function detailOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const { status, body } = errorResponse(error, '');
  if (status < 500 && cause instanceof Error) return cause.message.slice(0, maxValueLength);
  const { msg, error_description: description } = body as { msg?: unknown; error_description?: unknown };
  const text = status < 500 ? (msg ?? description) : 'The identity provider rejected the request';
  return typeof text === 'string' ? text.slice(0, maxValueLength) : '';
}
