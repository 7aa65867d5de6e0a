/** Parses the media types in Accept and Content-Type, including PostgREST's vendor types. */

export type MediaType =
  | { readonly kind: PlainKind }
  | { readonly kind: 'other'; readonly text: string }
  | { readonly kind: 'array-stripped' }
  | { readonly kind: 'object'; readonly stripped: boolean }
  | {
      readonly kind: 'plan';
      readonly of: MediaType;
      readonly format: 'text' | 'json';
      readonly options: readonly PlanOption[];
    };

export type PlanOption = (typeof PLAN_OPTIONS)[number];
const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const;

const PLAIN = {
  json: 'application/json',
  geojson: 'application/geo+json',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'text/xml',
  openapi: 'application/openapi+json',
  form: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
  any: '*/*',
} as const;
type PlainKind = keyof typeof PLAIN;
const BY_NAME = new Map<string, PlainKind>(
  Object.entries(PLAIN).map(([kind, name]) => [name, kind as PlainKind]),
);

const SHAPE =
  /^([\p{L}\p{N}.*]+)\/([\p{L}\p{N}.*+-]+)((?:\s*;\s*[\p{L}\p{N}-]+\s*=\s*(?:"[^"]*"|[\p{L}\p{N}|-]+))*)/u;
const PARAMETER = /;\s*([\p{L}\p{N}-]+)\s*=\s*(?:"([^"]*)"|([\p{L}\p{N}|-]+))/gu;

export const JSON_TYPE: MediaType = { kind: 'json' };
export const ANY_TYPE: MediaType = { kind: 'any' };

export function readMediaType(text: string): MediaType {
  const found = SHAPE.exec(text);
  if (found === null) return { kind: 'other', text };
  const name = `${found[1]}/${found[2]}`.toLowerCase();
  const plain = BY_NAME.get(name);
  if (plain !== undefined) return { kind: plain };
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, bare] of (found[3] ?? '').matchAll(PARAMETER)) {
    parameters.set(key.toLowerCase(), quoted ?? bare ?? '');
  }
  const stripped = parameters.get('nulls') === 'stripped';
  switch (name) {
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripped };
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return stripped ? { kind: 'array-stripped' } : JSON_TYPE;
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
    case 'application/vnd.pgrst.plan+json': {
      const requested = (parameters.get('options') ?? '').split('|');
      return {
        kind: 'plan',
        of: readMediaType(parameters.get('for') ?? PLAIN.json),
        format: name.endsWith('+json') ? 'json' : 'text',
        options: PLAN_OPTIONS.filter((option) => requested.includes(option)),
      };
    }
    default:
      return { kind: 'other', text };
  }
}

/** Returns the name of a media type without its charset. Error messages and handler keys contain this name. */
export function mediaTypeName(type: MediaType): string {
  switch (type.kind) {
    case 'other':
      return type.text;
    case 'array-stripped':
      return 'application/vnd.pgrst.array+json;nulls=stripped';
    case 'object':
      return `application/vnd.pgrst.object+json${type.stripped ? ';nulls=stripped' : ''}`;
    case 'plan': {
      const options = type.options.length === 0 ? '' : `; options=${type.options.join('|')}`;
      return `application/vnd.pgrst.plan+${type.format}; for="${mediaTypeName(type.of)}"${options}`;
    }
    default:
      return PLAIN[type.kind];
  }
}

export function contentType(type: MediaType): string {
  const name = mediaTypeName(type);
  return type.kind === 'bytes' || type.kind === 'other' ? name : `${name}; charset=utf-8`;
}

/** Returns the media types in an Accept header, most preferred first. Types of equal quality keep their order. */
export function readAccept(header: string | undefined): MediaType[] {
  if (header === undefined) return [ANY_TYPE];
  const types = splitOutsideQuotes(header, ',')
    .map((part, index) => {
      const { text, quality } = splitQuality(part.trim());
      return { text, quality, index, wildcards: wildcards(text) };
    })
    .filter(({ text }) => text !== '');
  types.sort((a, b) => b.quality - a.quality || a.wildcards - b.wildcards || a.index - b.index);
  return types.map(({ text }) => readMediaType(text));
}

/** Types with the same quality are sorted by specificity: exact types first, then `type/*`, then the full wildcard. */
const wildcards = (text: string) => (text.startsWith('*/*') ? 2 : /^[^/]+\/\*/.test(text) ? 1 : 0);

function splitQuality(part: string): { text: string; quality: number } {
  const parameters = splitOutsideQuotes(part, ';');
  const at = parameters.findIndex((parameter) => /^\s*q\s*=/i.test(parameter));
  if (at === -1) return { text: part, quality: 1 };
  const quality = Number(parameters[at]?.split('=')[1]);
  const text = parameters.filter((_, index) => index !== at).join(';');
  return { text: text.trim(), quality: Number.isFinite(quality) ? quality : 0 };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts = [''];
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (char === separator && !quoted) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}
