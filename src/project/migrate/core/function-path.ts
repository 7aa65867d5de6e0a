/** Checks the file names of functions, which come from the source's API, before the names are used as paths. */

export const isSlug = (slug: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,99}$/.test(slug);

/**
 * Returns the path below `supabase/functions/` of a file that was deployed with a function. Returns undefined if the
 * path would lead out of `supabase/functions/`.
 *
 * @example functionPath('hello', 'supabase/functions/_shared/cors.ts'); // '_shared/cors.ts'
 * @example functionPath('hello', 'source/index.ts'); // 'hello/index.ts'
 */
export function functionPath(slug: string, name: string): string | undefined {
  const plain = name.replace(/^file:\/\//, '').replace(/^\/+/, '');
  const at = plain.lastIndexOf(`functions/${slug}/`);
  const shared = /(?:^|\/)functions\/(_[^/]+\/.+)$/.exec(plain)?.[1];
  const relative =
    at === 0 || plain[at - 1] === '/'
      ? plain.slice(at + 'functions/'.length)
      : (shared ?? `${slug}/${plain.replace(/^(source|src)\//, '')}`);
  const isSafe = relative
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..' && /^[^\\\0:]+$/.test(segment));
  return isSafe ? relative : undefined;
}
