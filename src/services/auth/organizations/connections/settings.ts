/** The settings of an organization's connection, and their parser. */
import { createHash } from 'node:crypto';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { fetchMetadata } from '../../sso/metadata.ts';
import { parseIdentityProvider } from '../../sso/saml/metadata.ts';
import type { ConnectionSettings, OidcSettings, SamlSettings } from './types.ts';

/** The settings as a person entered them. */
export type TypedSettings =
  | { readonly kind: 'saml'; readonly metadataUrl: string; readonly metadataXml: string }
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      readonly clientId: string;
      /** Empty if the stored secret remains. */
      readonly clientSecret: string;
    };

const maxUrlLength = 2048;
const maxClientIdLength = 512;
const maxSecretLength = 2048;
const maxMetadataLength = 500_000;

/**
 * Checks the settings. The metadata or the discovery document is fetched from public addresses only.
 * @throws {AuthError} validation_failed, saml_metadata_fetch_failed
 */
export async function readSettings(
  ctx: AuthContext,
  typed: TypedSettings,
  known: ConnectionSettings | null,
): Promise<ConnectionSettings> {
  return typed.kind === 'saml' ? readSaml(ctx, typed) : readOidc(ctx, typed, known);
}

async function readSaml(
  ctx: AuthContext,
  { metadataUrl, metadataXml }: TypedSettings & { readonly kind: 'saml' },
): Promise<SamlSettings> {
  const url = metadataUrl.trim();
  if ((url === '') === (metadataXml.trim() === ''))
    throw invalid('Enter either the URL of the metadata or the metadata itself');
  if (metadataXml.length > maxMetadataLength) throw invalid('The metadata is too long');
  if (url !== '') requireHttps(url);
  const xml = url === '' ? metadataXml.trim() : await fetchMetadata(ctx, url);
  const { entityId, signOnUrl, certificates } = parseIdentityProvider(xml);
  if (signOnUrl === undefined || !/^https:\/\//.test(signOnUrl))
    throw invalid('The metadata contains no HTTPS sign-on URL for the HTTP-Redirect binding');
  if (certificates.length === 0) throw invalid('The metadata contains no signing certificate');
  return {
    kind: 'saml',
    entityId,
    metadataXml: xml,
    metadataUrl: url === '' ? null : url,
    readAtMs: ctx.clock.now(),
  };
}

/** Issuers whose users belong to many companies, so their tokens don't prove that a user belongs to this one. */
const sharedIssuers: ReadonlySet<string> = new Set([
  'https://accounts.google.com',
  'https://appleid.apple.com',
  'https://login.microsoftonline.com/common/v2.0',
  'https://login.microsoftonline.com/organizations/v2.0',
  'https://login.microsoftonline.com/consumers/v2.0',
  'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
]);

async function readOidc(
  ctx: AuthContext,
  { issuer: typedIssuer, clientId: typedId, clientSecret }: TypedSettings & { readonly kind: 'oidc' },
  known: ConnectionSettings | null,
): Promise<OidcSettings> {
  const issuer = typedIssuer.trim().replace(/\/\.well-known\/openid-configuration$/, '');
  requireHttps(issuer);
  if (sharedIssuers.has(issuer.replace(/\/$/, '')))
    throw invalid('This issuer serves many companies. Use the issuer of your own tenant');
  const clientId = typedId.trim();
  if (clientId === '' || clientId.length > maxClientIdLength) throw invalid('Enter the client ID');
  const isSame = known?.kind === 'oidc' && known.issuer === issuer && known.clientId === clientId;
  const secret = clientSecret.trim() || (isSame ? known.clientSecret : '');
  if (secret === '' || secret.length > maxSecretLength) throw invalid('Enter the client secret');
  ctx.oidc.forget(issuer);
  const discovery = await ctx.oidc.discover({ issuer, reach: 'public' }).catch((cause: unknown) => {
    throw authError('validation_failed', 'The discovery document of the issuer could not be read', { cause });
  });
  for (const url of [discovery.authorizationEndpoint, discovery.tokenEndpoint]) requireHttps(url);
  return { kind: 'oidc', issuer, clientId, clientSecret: secret };
}

const invalid = (message: string) => authError('validation_failed', message);

function requireHttps(address: string): void {
  const isAddress = address.length <= maxUrlLength && URL.canParse(address) && !address.includes('\\');
  const url = isAddress ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw invalid('Enter a URL that begins with https://');
}

/** Identifies settings, so that only tested settings can be activated. Refreshing the metadata doesn't change it. */
export function fingerprint(settings: ConnectionSettings): string {
  const parts =
    settings.kind === 'saml'
      ? ['saml', settings.entityId, settings.metadataUrl ?? settings.metadataXml]
      : ['oidc', settings.issuer, settings.clientId, settings.clientSecret];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
