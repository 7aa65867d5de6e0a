import { pageConfig } from './page-config.ts';

/** Returns the name of an identity provider, which the project may no longer offer. */
export const providerName = (id: string): string =>
  pageConfig.providers.find((provider) => provider.id === id)?.name ?? id.replace(/^custom:/, '');
