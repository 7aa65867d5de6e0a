/**
 * Removes storage parameters of pgvector's indexes (`with (lists = 100)`, `with (m = 16)`), which the embedded
 * PostgreSQL's index methods don't support. As a result, the same migration runs in Plinth and in the hosted service.
 * Statements that a DO block executes are changed as well.
 */
import { lex } from '../../../base/shared/sql/lex.ts';

/** Returns a statement of the same length. A statement that doesn't create a pgvector index is returned unchanged. */
export function withoutVectorIndexOptions(statement: string, words: readonly string[]): string {
  if (words[0] === 'do') return withoutExecutedOptions(statement);
  if (words[0] !== 'create' || !(words[1] === 'index' || words[2] === 'index')) return statement;
  const tokens = [...lex(statement)]
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map((token) => ({ ...token, text: unquoted(statement.slice(token.start, token.end)) }));
  const method = tokens.findIndex(({ text }) => text === 'using');
  if (!['hnsw', 'ivfflat'].includes(tokens[method + 1]?.text ?? '')) return statement;
  let depth = 0;
  for (let index = method; index < tokens.length; index++) {
    const text = tokens[index]?.text;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth > 0 || text !== 'with' || tokens[index + 1]?.text !== '(') continue;
    const close = tokens.findIndex((token, at) => at > index && token.text === ')');
    const from = tokens[index]?.start as number;
    const to = tokens[close]?.end;
    if (to === undefined) return statement;
    return statement.slice(0, from) + statement.slice(from, to).replace(/\S/g, ' ') + statement.slice(to);
  }
  return statement;
}

/** Removes quotes, because `supabase db dump` quotes every name: `USING "ivfflat" (…) WITH ("lists"='100')`. */
const unquoted = (word: string): string => word.replace(/^"(\w+)"$/, '$1').toLowerCase();

/** Two levels of parentheses are sufficient for the list of columns: `((embedding::halfvec(3)) halfvec_l2_ops)`. */
const executed =
  /(\busing\s+"?(?:hnsw|ivfflat)"?\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)(with\s*\([^()]*\))/gi;

function withoutExecutedOptions(block: string): string {
  return block.replace(executed, (_, index: string, options: string) => index + options.replace(/\S/g, ' '));
}
