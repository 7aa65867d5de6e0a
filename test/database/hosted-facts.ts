/** Reads tables that compare the hosted service's PostgreSQL with Plinth's (`hosted-*.txt`). */

export interface Fact {
  readonly name: string;
  /** Is `-` if the object doesn't exist or has no value. */
  readonly hosted: string;
  readonly plinth: string;
  readonly reason: string;
}

/** Parses a table of lines `name | value`. If Plinth's value differs, the next line is `plinth: value # reason`. */
export function factsOf(text: string): Fact[] {
  const facts: Fact[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const last = facts.at(-1);
    if (line.startsWith('plinth: ') && last !== undefined) {
      const [own = '', reason = ''] = line.slice('plinth: '.length).split(' # ');
      facts.splice(-1, 1, { ...last, plinth: own.trim(), reason });
    } else {
      const cut = line.indexOf(' | ');
      const hosted = line.slice(cut + 3).trim();
      facts.push({ name: line.slice(0, cut), hosted, plinth: hosted, reason: '' });
    }
  }
  return facts;
}
