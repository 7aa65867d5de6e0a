/** Resolves a SAML artifact by fetching, from the identity provider, the response that the artifact refers to. */
import { type KeyObject, randomBytes } from 'node:crypto';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { artifactAddress, artifactResolve, checkArtifactResponse, soapEnvelope } from './saml/artifact.ts';
import type { IdentityProvider } from './saml/metadata.ts';
import { SamlFault } from './saml/names.ts';
import type { ServiceProvider } from './saml/service-provider.ts';

/**
 * Returns the response as XML. The caller must verify this response like a response received through a browser.
 * @throws {SamlFault}
 */
export async function resolveArtifact(
  ctx: AuthContext,
  artifact: string,
  { provider, own, key }: { provider: IdentityProvider; own: ServiceProvider; key: KeyObject },
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
