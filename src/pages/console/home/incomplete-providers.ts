/**
 * Finds enabled sign-in providers whose client ID or secret is missing. Every attempt to sign in with such a provider
 * fails.
 */
import { type Config, describePages } from '../../../platform/config/index.ts';
import { ConsoleError } from '../errors.ts';
import { createSettingsFiles } from '../settings/files.ts';
import { envReference } from '../settings/known.ts';
import type { Problem } from './contract.ts';

/** Providers that need no secret in native apps, because the user signs in through the device. */
const nativeProviders: readonly string[] = ['apple', 'google'];

export function incompleteProviders({ auth }: Config, supabaseDir: string): Problem[] {
  if (!auth.enabled) return [];
  return Object.entries(auth.external).flatMap(([name, { enabled, client_id, secret }]): Problem[] => {
    if (!enabled) return [];
    // If the environment variable in an `env()` reference isn't set, a client ID is the text of the reference, but a
    // secret is undefined.
    const hasClientId = client_id !== '' && !envReference.test(client_id ?? '');
    const hasSecret =
      (secret ?? '') !== '' || (nativeProviders.includes(name) && !isSecretInFile(name, supabaseDir));
    const missing = [
      ...(hasClientId ? [] : (['client_id'] as const)),
      ...(hasSecret ? [] : (['secret'] as const)),
    ];
    if (missing.length === 0) return [];
    return [{ kind: 'provider', severity: 'error', provider: name, title: titleOf(name), missing }];
  });
}

const titleOf = (provider: string): string =>
  describePages()
    .flatMap(({ parts }) => parts)
    .find(({ panel }) => panel?.kind === 'provider' && panel.name === provider)?.title ?? provider;

/** Returns false if the file isn't valid TOML, because the home page reports invalid TOML as a separate problem. */
function isSecretInFile(provider: string, supabaseDir: string): boolean {
  const files = createSettingsFiles(supabaseDir);
  const { text } = files.read('config.toml');
  try {
    return files.valueOf(text, { file: 'config.toml', path: ['auth', 'external', provider, 'secret'] }).isSet;
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return false;
  }
}
