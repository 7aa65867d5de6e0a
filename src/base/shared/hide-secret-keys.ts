/**
 * Removes the secret part of each `sb_secret_` key, for text that the project's SQL can read.
 * @example hideSecretKeys('{"apikey":"sb_secret_abc"}') // '{"apikey":"sb_secret_..."}'
 */
export const hideSecretKeys = (text: string): string => text.replace(/sb_secret_[\w-]+/g, 'sb_secret_...');
