/** Returns the URL for a different account on the same server and database. */

/**
 * Later keywords override earlier ones, both in a query string and in a keyword list, so the account in the original
 * text is overridden.
 */
export function withAccount(url: string, user: string, password: string): string {
  const found = /^\s*(postgres(?:ql)?:\/\/)(?:[^/?@]*@)?(.*?)\s*$/is.exec(url);
  if (found === null) return `${url.trim()} user=${keywordValue(user)} password=${keywordValue(password)}`;
  const [, scheme, rest = ''] = found;
  const [place = '', query] = splitOnce(rest, '?');
  const kept = query?.split('&').filter((pair) => !/^(user|password|passfile)=/i.test(pair)) ?? [];
  const tail = kept.length === 0 ? '' : `?${kept.join('&')}`;
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${place}${tail}`;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function keywordValue(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
