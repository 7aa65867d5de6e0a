/** Defines the relying party (WebAuthn level 3, section 4). Browsers bind each key to its relying party. */
import type { Config } from '../../../platform/config/index.ts';

export interface RelyingParty {
  /** The relying party's domain, without a scheme or port. */
  readonly id: string;
  /** The name that browsers display. */
  readonly name: string;
  /**
   * The origins of the pages that may use WebAuthn. The origin of an Android app has the form `android:apk-key-hash:…`.
   */
  readonly origins: readonly string[];
}

/**
 * Returns the relying party that `[auth.webauthn]` configures. Missing values are derived from the site URL. If
 * passkeys are enabled, the configuration loader ensures that both values are set. WebAuthn second factors work without
 * these settings.
 */
export function relyingParty(webauthn: Config['auth']['webauthn'], siteUrl: string): RelyingParty {
  const site = URL.canParse(siteUrl) ? new URL(siteUrl) : undefined;
  const id = webauthn.rp_id ?? site?.hostname ?? '';
  const origins = webauthn.rp_origins.length > 0 ? webauthn.rp_origins : [siteUrl];
  return { id, name: webauthn.rp_display_name || id, origins: origins.map(canonicalOrigin) };
}

/**
 * Returns the origin in the form that browsers use: the scheme and host are in lowercase, and a default port is
 * omitted.
 */
function canonicalOrigin(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : address;
}
