/**
 * Parses an entry of the redirect allow list. Scheme, host, port and path are matched separately, so that a wildcard in
 * one part never matches text in the next part. Within each part, the syntax is the same as in gobwas/glob with the
 * separators `.` and `/`. The wildcards `*` and `?` don't match separators, but `**` does. `[a-z]`, `[!a-z]`,
 * `{one,two}` and backslash escapes are also supported.
 */
import { domainToASCII } from 'node:url';

/** The parts into which browsers parse a URL. */
export interface Target {
  /** The scheme in lowercase, without the colon. */
  readonly scheme: string;
  /** The host name, or undefined if the scheme isn't followed by `//`. */
  readonly hostname: string | undefined;
  /** The port, or an empty string if it is the scheme's default port. */
  readonly port: string;
  /** The path and the query string. An empty path is represented by `/`. */
  readonly path: string;
}

export type Token =
  | { readonly kind: 'letter'; readonly letter: string }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  /** The wildcards `?`, `*` and `**`. */
  | { readonly kind: 'one' | 'some' | 'all' };

export interface RedirectGlob {
  readonly scheme: readonly Token[];
  readonly hostname: readonly Token[] | undefined;
  readonly port: readonly Token[];
  readonly path: readonly Token[];
}

/** The maximum number of alternatives in an entry. An entry with more alternatives isn't a plausible list of URLs. */
const maxAlternatives = 256;

/** Parses an entry. Returns an empty list if the entry can't match an absolute URL. */
export function parseRedirectGlob(glob: string): RedirectGlob[] {
  return (expandBraces(glob) ?? []).flatMap((each) => split(tokenize(each)) ?? []);
}

const anything: readonly Token[] = [{ kind: 'all' }];

function split(tokens: readonly Token[]): RedirectGlob | undefined {
  const isLetter = (index: number, char: string) => {
    const token = tokens[index];
    return token?.kind === 'letter' && token.letter === char;
  };
  // A leading `**` also matches the scheme, so the entry matches http and https URLs.
  const isSchemeless = tokens[0]?.kind === 'all';
  const colon = isSchemeless ? -1 : tokens.findIndex((_, index) => isLetter(index, ':'));
  if (!isSchemeless && colon < 1) return undefined;
  const scheme = isSchemeless ? anything : lowerCase(tokens.slice(0, colon));
  let rest = tokens.slice(colon + 1);
  if (!isSchemeless) {
    if (!isLetter(colon + 1, '/') || !isLetter(colon + 2, '/')) {
      return { scheme, hostname: undefined, port: [], path: rest };
    }
    rest = rest.slice(2);
  }
  const slash = rest.findIndex((token) => token.kind === 'letter' && token.letter === '/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  // If an entry without a path ends with `**`, the `**` matches the path, and the text before the `**` must match the
  // whole host.
  const endsOpen = slash < 0 && authority.at(-1)?.kind === 'all';
  const path = endsOpen ? anything : slash < 0 ? [] : rest.slice(slash);
  const host = endsOpen && authority.length > 1 ? authority.slice(0, -1) : authority;
  const isAnyHost = host.length === 1 && host[0]?.kind === 'all';
  const portColon = host.findLastIndex((token) => token.kind === 'letter' && token.letter === ':');
  return {
    scheme,
    hostname: asciiHost(portColon < 0 ? host : host.slice(0, portColon)),
    port: isAnyHost ? anything : portColon < 0 ? [] : host.slice(portColon + 1),
    path: path.length === 0 ? [{ kind: 'letter', letter: '/' }] : path,
  };
}

/** Whether the glob matches the URL. Schemes other than http(s) must appear literally in the glob. */
export function matchesGlob(glob: RedirectGlob, target: Target): boolean {
  const isNamed = glob.scheme.every(({ kind }) => kind === 'letter');
  const isWeb = target.scheme === 'http' || target.scheme === 'https';
  if (!isNamed && !isWeb) return false;
  if ((glob.hostname === undefined) !== (target.hostname === undefined)) return false;
  return (
    matchesTokens(glob.scheme, target.scheme) &&
    matchesTokens(glob.hostname ?? [], target.hostname ?? '') &&
    matchesTokens(withoutDefault(glob.port, target.scheme), target.port) &&
    matchesTokens(glob.path, target.path)
  );
}

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

function withoutDefault(port: readonly Token[], scheme: string): readonly Token[] {
  const text = port.map((token) => (token.kind === 'letter' ? token.letter : '*')).join('');
  return text !== '' && text === defaultPorts[scheme] ? [] : port;
}

/**
 * Whether the pattern matches the whole text. Tracks all possible pattern positions simultaneously, so the number of
 * steps is at most the product of the text length and the pattern length.
 */
export function matchesTokens(tokens: readonly Token[], text: string): boolean {
  let reached = new Uint8Array(tokens.length + 1);
  reach(tokens, reached, 0);
  for (const char of text) {
    const next = new Uint8Array(tokens.length + 1);
    for (let position = 0; position < tokens.length; position++) {
      const token = tokens[position];
      if (reached[position] !== 1 || token === undefined || !takes(token, char)) continue;
      reach(tokens, next, isRun(token) ? position : position + 1);
    }
    reached = next;
  }
  return reached[tokens.length] === 1;
}

/** Marks the position `from`, and all positions that can be reached from it without consuming a character. */
function reach(tokens: readonly Token[], reached: Uint8Array, from: number): void {
  for (let position = from; reached[position] === 0; position++) {
    reached[position] = 1;
    const token = tokens[position];
    if (token === undefined || !isRun(token)) return;
  }
}

const isRun = ({ kind }: Token): boolean => kind === 'some' || kind === 'all';

function takes(token: Token, char: string): boolean {
  switch (token.kind) {
    case 'letter':
      return token.letter === char;
    case 'class':
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
    case 'all':
      return true;
    default:
      return char !== '.' && char !== '/';
  }
}

/** Tokenizes a pattern without braces. */
export function tokenize(glob: string): Token[] {
  const tokens: Token[] = [];
  const chars = [...glob];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? '';
    if (char === '\\' && i + 1 < chars.length) tokens.push({ kind: 'letter', letter: chars[++i] ?? '' });
    else if (char === '*' && chars[i + 1] === '*') {
      while (chars[i + 1] === '*') i++;
      tokens.push({ kind: 'all' });
    } else if (char === '*') tokens.push({ kind: 'some' });
    else if (char === '?') tokens.push({ kind: 'one' });
    else if (char === '[' && chars.indexOf(']', i + 2) > 0) {
      const end = chars.indexOf(']', i + 2);
      tokens.push(parseClass(chars.slice(i + 1, end)));
      i = end;
    } else tokens.push({ kind: 'letter', letter: char });
  }
  return tokens;
}

function parseClass(chars: readonly string[]): Token {
  const negated = chars[0] === '!';
  const members = negated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? '';
    const to = members[i + 1] === '-' ? members[i + 2] : undefined;
    if (to !== undefined) i += 2;
    ranges.push([from, to ?? from]);
  }
  return { kind: 'class', negated, ranges };
}

function lowerCase(tokens: readonly Token[]): Token[] {
  return tokens.map((token) =>
    token.kind === 'letter' ? { kind: 'letter', letter: token.letter.toLowerCase() } : token,
  );
}

/**
 * Returns the host in lowercase. Converts non-ASCII labels to Punycode, as browsers do. Doesn't convert labels that
 * contain a wildcard.
 */
function asciiHost(tokens: readonly Token[]): Token[] {
  const text = tokens.map((token) => (token.kind === 'letter' ? token.letter : '\0')).join('');
  if (/^[\0-\x7f]*$/.test(text)) return lowerCase(tokens);
  let next = 0;
  const wildcards = tokens.filter(({ kind }) => kind !== 'letter');
  const labels = text
    .split('.')
    .map((label) => (label.includes('\0') ? label : domainToASCII(label) || label));
  return [...labels.join('.')].map((char) =>
    char === '\0' ? (wildcards[next++] as Token) : { kind: 'letter', letter: char.toLowerCase() },
  );
}

/** Expands `a{b,c}d` to `abd` and `acd`. Returns undefined if the entry has too many alternatives. */
function expandBraces(glob: string): string[] | undefined {
  const open = firstBrace(glob);
  if (open < 0) return [glob];
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  let end = glob.length;
  for (let i = open; i < glob.length; i++) {
    if (glob[i] === '\\') i++;
    else if (glob[i] === '{') depth++;
    else if (glob[i] === ',' && depth === 1) {
      parts.push(glob.slice(start, i));
      start = i + 1;
    } else if (glob[i] === '}' && --depth === 0) {
      end = i;
      break;
    }
  }
  parts.push(glob.slice(start, end));
  const before = glob.slice(0, open);
  const expanded: string[] = [];
  for (const part of parts) {
    const alternatives = expandBraces(before + part + glob.slice(end + 1));
    if (alternatives === undefined) return undefined;
    expanded.push(...alternatives);
    if (expanded.length > maxAlternatives) return undefined;
  }
  return expanded;
}

/** Returns the index of the first unescaped opening brace, or -1. */
function firstBrace(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '{') return i;
  }
  return -1;
}
