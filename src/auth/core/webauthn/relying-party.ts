/** Whom a browser makes keys for and signs to: the relying party of WebAuthn (level 3, section 4). */
import type { Config } from '../../../config/index.ts';

export interface RelyingParty {
  /** A domain, without scheme and port. */
  readonly id: string;
  /** What the browser shows. */
  readonly name: string;
  /** Pages that may ask, as browsers write origins; Android apps as `android:apk-key-hash:…`. */
  readonly origins: readonly string[];
}

/**
 * From `[auth.webauthn]`; what is not set follows the site URL. Passkeys need both set (config says so), a second factor
 * works without.
 */
export function relyingParty(webauthn: Config['auth']['webauthn'], siteUrl: string): RelyingParty {
  const site = URL.canParse(siteUrl) ? new URL(siteUrl) : undefined;
  const id = webauthn.rp_id ?? site?.hostname ?? '';
  const origins = webauthn.rp_origins.length > 0 ? webauthn.rp_origins : [siteUrl];
  return { id, name: webauthn.rp_display_name || id, origins: origins.map(canonicalOrigin) };
}

/** Browsers write scheme and host in lower case and leave out the port that goes without saying. */
function canonicalOrigin(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : address;
}
