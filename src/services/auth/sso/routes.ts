/**
 * Declares the routes for single sign-on with SAML 2.0. The routes serve this server's metadata and handle the
 * redirects to and from the identity provider.
 */

import { errorParams } from '../common/public-errors.ts';
import { withParams } from '../common/redirects.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Handler, Router } from '../http/route.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { ssoSignIn } from '../providers/operations.ts';
import { certificateOf } from './saml/certificate.ts';
import { type AdvertisedCertificate, serviceProviderMetadata } from './saml/service-provider.ts';
import { finishSamlSignIn, SamlFailure, serviceProvider } from './sign-in.ts';

export function ssoRoutes({ define, serve }: Router, ctx: AuthContext): void {
  serve('POST', '/sso', ssoSignIn, (url, { body, reply }) =>
    body().flag('skip_http_redirect') ? { url } : reply.redirect(url, 303),
  );
  if (!ctx.settings.saml.enabled) {
    const refuse = () => {
      throw authError('saml_provider_disabled');
    };
    define('POST', '/sso/saml/acs', refuse);
    define('GET', '/sso/saml/metadata', refuse);
    return;
  }
  const finish: Handler = (exchange) => consumeAssertion(ctx, exchange);
  define('POST', '/sso/saml/acs', finish, [limitByAddress('saml_assertion')]);

  define('GET', '/sso/saml/metadata', (exchange) => sendMetadata(ctx, exchange));
}

/**
 * If an error occurs, redirects the browser (status 303) to the Account page where the sign-in started, or to the site
 * URL, so that the page or the app can show the error.
 */
async function consumeAssertion(ctx: AuthContext, exchange: Exchange): Promise<undefined> {
  const { caller, reply, path, text } = exchange;
  try {
    const params = new URLSearchParams(text);
    await reply.redirect(await ctx.signIns.track('saml', () => finishSamlSignIn(ctx, caller, params)), 302);
  } catch (thrown) {
    const [page, error] =
      thrown instanceof SamlFailure ? [thrown.page, thrown.cause] : [ctx.settings.siteUrl, thrown];
    await reply.redirect(withParams(page, errorParams(ctx, path, error)), 303);
  }
  return undefined;
}

/** During a key rotation, providers cache the metadata for a shorter time, so that they get the new key soon. */
const rotation = { maxAgeSeconds: 60, cacheDuration: 'PT1H' };
const maxAgeSeconds = 600;
const metadataLifetimeMs = 48 * 3_600_000;

async function sendMetadata(ctx: AuthContext, { query, reply }: Exchange): Promise<undefined> {
  const provider = serviceProvider(ctx);
  const { current, next } = await ctx.keys.samlKeys();
  const mayEncrypt = ctx.settings.saml.allow_encrypted_assertions;
  const host = new URL(provider.entityId).hostname.replace(/^\[|\]$/g, '');
  const certificates = [current, ...(next ? [next] : [])].flatMap((key): AdvertisedCertificate[] => {
    const der = certificateOf(key, host, mayEncrypt);
    return mayEncrypt
      ? [
          { use: 'signing', der },
          { use: 'encryption', der },
        ]
      : [{ use: 'signing', der }];
  });
  const isDownload = query.get('download') === 'true';
  const now = new Date(ctx.clock.now());
  if (isDownload) now.setUTCFullYear(now.getUTCFullYear() + 5);
  const xml = serviceProviderMetadata(provider, certificates, {
    validUntil: isDownload ? now.toISOString() : fromMs(now.getTime() + metadataLifetimeMs),
    ...(next ? { cacheDuration: rotation.cacheDuration } : {}),
  });
  if (isDownload) reply.header('content-disposition', 'attachment; filename="metadata.xml"');
  await reply
    .header('cache-control', `public, max-age=${next ? rotation.maxAgeSeconds : maxAgeSeconds}`)
    .type('application/xml')
    .send(xml);
  return undefined;
}
