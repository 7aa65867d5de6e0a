import { pageConfig } from './page-config.ts';

/** Returns the name of an identity provider, even if the project no longer offers the provider. */
export const providerName = (id: string): string =>
  pageConfig.providers.find((provider) => provider.id === id)?.name ?? id.replace(/^custom:/, '');
