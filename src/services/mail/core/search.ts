/**
 * Parses the inbox's search syntax, which consists of words, "phrases", `to:` `from:` `subject:` `body:` `message-id:`,
 * `is:read`, and a leading `-` or `!`.
 */
export type SearchTerm =
  | {
      readonly kind: 'text';
      readonly field: 'any' | 'to' | 'from' | 'subject' | 'body' | 'id';
      readonly value: string;
      readonly negated: boolean;
    }
  | {
      readonly kind: 'read' | 'unread';
      readonly field: 'any';
      readonly value: '';
      readonly negated: boolean;
    };

const fields: Readonly<Record<string, 'to' | 'from' | 'subject' | 'body' | 'id' | 'any'>> = {
  to: 'to',
  addressed: 'any',
  from: 'from',
  subject: 'subject',
  body: 'body',
  'message-id': 'id',
};

/** Returns the terms of a search, all of which must match. Any text is a valid search. */
export function parseSearch(query: string): SearchTerm[] {
  const pattern = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi;
  const terms: SearchTerm[] = [];
  for (const [whole, sign, prefix, phrase, word] of query.matchAll(pattern)) {
    const negated = sign !== '';
    const value = phrase ?? word ?? '';
    const name = prefix?.toLowerCase();
    if (name === 'is' && (value === 'read' || value === 'unread')) {
      terms.push({ kind: value, field: 'any', value: '', negated });
      continue;
    }
    const field = name === undefined ? 'any' : Object.hasOwn(fields, name) ? fields[name] : undefined;
    // If a prefix is unknown, such as `http:`, it is treated as part of the word.
    const text = field === undefined ? whole.slice(sign?.length ?? 0).replaceAll('"', '') : value;
    if (text !== '') terms.push({ kind: 'text', field: field ?? 'any', value: text, negated });
  }
  return terms;
}
