/** The relying party (WebAuthn level 3, section 4), for which browsers create keys and sign. */
import type { Config } from '../../../config/index.ts';

export interface RelyingParty {
  /** A domain, without scheme and port. */
  readonly id: string;
  /** The name that the browser shows. */
  readonly name: string;
  /** Origins of the pages that may use WebAuthn. Android apps have the form `android:apk-key-hash:…`. */
  readonly origins: readonly string[];
}

/**
 * Reads `[auth.webauthn]`, with defaults from the site URL. Passkeys require both values, which config checks. A second
 * factor works without them.
 */
export function relyingParty(webauthn: Config['auth']['webauthn'], siteUrl: string): RelyingParty {
  const site = URL.canParse(siteUrl) ? new URL(siteUrl) : undefined;
  const id = webauthn.rp_id ?? site?.hostname ?? '';
  const origins = webauthn.rp_origins.length > 0 ? webauthn.rp_origins : [siteUrl];
  return { id, name: webauthn.rp_display_name || id, origins: origins.map(canonicalOrigin) };
}

/** Returns the origin as browsers write it: scheme and host in lower case, without a default port. */
function canonicalOrigin(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : address;
}
