/**
 * Removes the password from a libpq connection string in either format.
 *
 * @example withoutPassword("host=db password='a b' dbname=x"); // 'host=db dbname=x'
 */
export function withoutPassword(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text))
    return text
      .replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@')
      .replace(/([?&])(?:ssl)?password=[^&#]*(&?)/g, (_all, before: string, after: string) =>
        after === '' ? '' : before,
      );
  const value = String.raw`(?:'(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)`;
  return text.replace(new RegExp(String.raw`(^|\s)(?:ssl)?password\s*=\s*${value}`, 'g'), '$1').trim();
}
