/**
 * Accepts an assertion from an identity provider. The browser delivers either the response that contains the assertion,
 * or an artifact, for which this server fetches the response.
 */
import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import type { XmlElement } from '../../../base/shared/xml.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { currentMetadata, serviceProvider } from './metadata.ts';
import type { RelayState, SsoProvider } from './queries.ts';
import { artifactAddress, artifactResolve, checkArtifactResponse, soapEnvelope } from './saml/artifact.ts';
import { sessionEndOf } from './saml/assertion.ts';
import { checkAssertion, checkResponse, type Expected, presentableUntilMs } from './saml/check-response.ts';
import type { IdentityProvider } from './saml/metadata.ts';
import type { ServiceProvider } from './saml/service-provider.ts';
import { SamlFault } from './saml/xml.ts';
import { verifyResponse } from './verify.ts';

/**
 * Returns the assertion after checking that the assertion is signed, intended for this server, and unused.
 * @throws {AuthError} validation_failed
 */
export async function acceptAssertion(
  ctx: AuthContext,
  provider: SsoProvider,
  relayState: RelayState | undefined,
  form: URLSearchParams,
): Promise<XmlElement> {
  const metadata = await currentMetadata(ctx, provider);
  const { current, next } = await ctx.keys.samlKeys();
  const decryption = ctx.settings.saml.allow_encrypted_assertions ? [current, ...(next ? [next] : [])] : [];
  const own = serviceProvider(ctx);
  const { entityId: audience, acsUrl } = own;
  const expected: Expected = {
    entityId: provider.entity_id,
    audience,
    acsUrl,
    requestId: relayState?.request_id,
  };
  const now = ctx.clock.now();
  try {
    const artifact = form.get('SAMLart') ?? '';
    const xml =
      artifact === ''
        ? decodeBase64(form.get('SAMLResponse') ?? '')
        : await resolveArtifact(ctx, artifact, { provider: metadata, own, key: current });
    if (xml === undefined) throw new SamlFault("the response isn't Base64");
    const { certificates } = metadata;
    const { response, isSigned, assertion } = await verifyResponse(xml, { certificates, decryption });
    checkResponse(response, expected, isSigned, now);
    checkAssertion(assertion, expected, now);
    await spend(ctx, provider, relayState, assertion);
    return assertion;
  } catch (fault) {
    if (!(fault instanceof SamlFault)) throw fault;
    const fields = { service: 'auth', ssoProviderId: provider.id, reason: fault.message };
    ctx.log.info(fields, 'rejected a SAML response');
    throw authError('validation_failed', 'SAML Assertion is not valid', { cause: fault });
  }
}

/** Decodes base64, which may contain line breaks, to UTF-8 text. Returns undefined for invalid base64. */
export function decodeBase64(encoded: string): string | undefined {
  const text = encoded.replace(/[\r\n]/g, '');
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) return undefined;
  return bytes.toString('utf8');
}

/**
 * Returns the response as XML. The caller must verify this response like a response received through a browser.
 * @throws {SamlFault}
 */
async function resolveArtifact(
  ctx: AuthContext,
  artifact: string,
  {
    provider,
    own,
    key,
  }: { readonly provider: IdentityProvider; readonly own: ServiceProvider; readonly key: KeyObject },
): Promise<string> {
  const destination = artifactAddress(artifact, provider);
  const now = ctx.clock.now();
  const id = `id-${randomBytes(20).toString('hex')}`;
  const question = artifactResolve(own, { id, issuedAt: fromMs(now), destination, artifact });
  const lib = await import('@node-saml/node-saml/lib/xml.js');
  const root = "/*[local-name(.)='ArtifactResolve']";
  const location = { reference: `${root}/*[local-name(.)='Issuer']`, action: 'after' } as const;
  const signed = lib.signXml(question, root, location, {
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
  });
  const reply = await ctx.outgoing
    .send({
      url: destination,
      reach: 'public',
      method: 'POST',
      headers: {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: '"http://www.oasis-open.org/committees/security"',
      },
      body: soapEnvelope(signed),
    })
    .catch((cause: unknown) => {
      throw new SamlFault('the artifact cannot be resolved', { cause });
    });
  if (reply.status !== 200) throw new SamlFault(`the artifact resolution returned status ${reply.status}`);
  try {
    checkArtifactResponse(reply.text, { id, entityId: provider.entityId }, now);
    const dom = await lib.parseDomFromString(reply.text);
    const [response] = lib.xpath.selectElements(
      dom,
      "/*/*[local-name(.)='Body']/*[local-name(.)='ArtifactResponse']/*[local-name(.)='Response']",
    );
    // Serializes the element with the namespaces inherited from its ancestors.
    return String(response);
  } catch (cause) {
    throw cause instanceof SamlFault
      ? cause
      : new SamlFault("the artifact response can't be parsed", { cause });
  }
}

/**
 * How long an assertion is stored. Assertions are stored longer than a PKCE code is valid, because the code exchange
 * reads the session's end from the assertion.
 */
const rememberMs = 600_000;

async function spend(
  ctx: AuthContext,
  provider: SsoProvider,
  relayState: RelayState | undefined,
  assertion: XmlElement,
): Promise<void> {
  const id = assertion.attributes.get('ID') ?? '';
  const isFresh = await ctx.assertions.spend({
    hash: createHash('sha256')
      .update(JSON.stringify([provider.entity_id, id]))
      .digest(),
    expiresAtMs: Math.max(presentableUntilMs(assertion), ctx.clock.now() + rememberMs),
    flowStateId: relayState?.flow_state_id ?? null,
    sessionNotAfter: sessionEndOf(assertion),
  });
  if (!isFresh) throw new SamlFault('the assertion was already used');
}
