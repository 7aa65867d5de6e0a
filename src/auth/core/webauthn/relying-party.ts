/** The relying party (WebAuthn level 3, section 4), to which browsers bind each key. */
import type { Config } from '../../../config/index.ts';

export interface RelyingParty {
  /** The relying party's domain, without a scheme or port. */
  readonly id: string;
  /** The name that browsers display. */
  readonly name: string;
  /** The origins of pages that may use WebAuthn. An Android app's origin has the form `android:apk-key-hash:…`. */
  readonly origins: readonly string[];
}

/**
 * Returns the relying party from `[auth.webauthn]`. Missing values are derived from the site URL. The configuration
 * loader ensures that both values are set if passkeys are enabled. Second factors work without these values.
 */
export function relyingParty(webauthn: Config['auth']['webauthn'], siteUrl: string): RelyingParty {
  const site = URL.canParse(siteUrl) ? new URL(siteUrl) : undefined;
  const id = webauthn.rp_id ?? site?.hostname ?? '';
  const origins = webauthn.rp_origins.length > 0 ? webauthn.rp_origins : [siteUrl];
  return { id, name: webauthn.rp_display_name || id, origins: origins.map(canonicalOrigin) };
}

/** Returns the origin as browsers write it, with the scheme and host in lowercase and without a default port. */
function canonicalOrigin(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : address;
}
