/** Lists the social providers by the names that clients use. */
import { codeHosts } from './code-hosts.ts';
import { social } from './social.ts';
import type { ProviderSpec } from './spec.ts';
import { work } from './work.ts';

/** The providers that use OAuth 2.0 or OpenID Connect. */
export const oauth2Providers = { ...codeHosts, ...social, ...work } as const satisfies Record<
  string,
  ProviderSpec
>;

export type OAuth2ProviderName = keyof typeof oauth2Providers;

export function findProviderSpec(name: string): ProviderSpec | undefined {
  return Object.hasOwn(oauth2Providers, name) ? oauth2Providers[name as OAuth2ProviderName] : undefined;
}

/** The only provider that uses OAuth 1.0a. Twitter is the former name of X. */
export const oauth1Provider = 'twitter';

/** Providers that upstream's CLI disables, because providers whose names end with `_oidc` replace them. */
const retired = new Set(['linkedin', 'slack']);

export function isKnownProvider(name: string): boolean {
  return findProviderSpec(name) !== undefined || name === oauth1Provider || retired.has(name);
}
