/** Finds settings by label, key, help text and synonyms. */
import { describePages, type PageFacts } from '../../../platform/config/index.ts';
import { allSettings } from '../settings/known.ts';
import type { SearchHit } from './contract.ts';
import { bestOf, rankOf } from './core/rank.ts';
import { hitsPerGroup } from './input.ts';

interface Fact {
  readonly key: string;
  readonly label: string;
  readonly help: string;
  readonly page: PageFacts;
  readonly words: string;
}

/** The settings that a search can find. The list is created when it is first needed. */
let facts: readonly Fact[] | undefined;

function listFacts(): readonly Fact[] {
  const pages = new Map(
    describePages().flatMap((page) =>
      page.parts.flatMap(({ keys }) => keys.map((key) => [key, page] as const)),
    ),
  );
  return allSettings().sections.flatMap(({ settings }) =>
    settings.flatMap(({ path, label, words, help }) => {
      const key = path.join('.');
      const page = pages.get(key);
      return page === undefined ? [] : [{ key, label, help, page, words: `${words} ${page.words}` }];
    }),
  );
}

export function findSettings(search: string): SearchHit[] {
  const phrases = synonymsOf(search);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).map(synonymsOf);
  facts ??= listFacts();
  const found = bestOf(
    facts,
    (fact) => {
      const name = fact.key.split('.').at(-1) ?? '';
      const direct = Math.max(rankOf(search, fact.label), rankOf(search, name), rankOf(search, fact.key));
      if (direct > 0) return direct + 1;
      const all = `${fact.label} ${fact.page.title} ${fact.key} ${fact.words} ${fact.help}`.toLowerCase();
      const has = (texts: readonly string[]): boolean => texts.some((text) => all.includes(text));
      return has(phrases) || words.every(has) ? 1 : 0;
    },
    hitsPerGroup,
  );
  return found.map(({ key, label, page }) => ({
    title: label,
    detail: `${page.title} · ${key}`,
    target: { to: '/settings', search: { section: page.id, setting: key } },
  }));
}

/** Groups of synonyms: words that operators search for, and words used in keys and help texts. */
const groups: readonly (readonly string[])[] = [
  ['login', 'log in', 'sign-in', 'signin'],
  ['register', 'registration', 'sign-up', 'signup'],
  ['2fa', 'two-factor', 'second factor', 'mfa', 'totp'],
  ['sso', 'saml', 'single sign-on'],
  ['text message', 'sms', 'phone'],
  ['mail', 'email', 'smtp'],
  ['throttle', 'rate limit', 'rate_limit'],
  ['domain', 'host', 'site_url', 'url'],
  ['callback', 'redirect'],
  ['captcha', 'bot', 'hcaptcha', 'turnstile'],
  ['token', 'jwt', 'session'],
  ['upload', 'file size', 'storage'],
  ['google', 'github', 'apple', 'provider', 'oauth', 'social'],
  ['certificate', 'https', 'tls', 'ssl'],
  ['logo', 'brand', 'branding', 'color'],
  ['backup', 'restore', 'archive'],
];

/** Returns the text and all its synonyms in lowercase. */
function synonymsOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const found = groups.filter((words) => words.includes(lower) && lower.length > 1);
  return [...new Set([lower, ...found.flat()])];
}
