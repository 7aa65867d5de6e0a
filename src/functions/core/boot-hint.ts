/** Suggests how to fix a function that failed to start, based on Deno's standard error output. */

const network =
  /error sending request|dns error|Connection refused|timed out|manifest for .* failed to load/i;
const source = /(?:Import '|Failed loading |package manifest for ')([^'\s]+)/;

/**
 * @example
 * bootHint(["error: Import 'https://a.test/x.ts' failed."]); // 'https://a.test/x.ts could not be fetched. …'
 */
export function bootHint(stderr: readonly string[]): string {
  const text = stderr.join('\n');
  const remote = source.exec(text)?.[1];
  if (/invalid peer certificate/i.test(text))
    return `The certificate of ${remote ?? 'a module host'} isn't trusted. If a proxy of your network intercepts TLS, set NODE_EXTRA_CA_CERTS to a file with its certificate authority, and start again.`;
  const isLocal = remote?.startsWith('file:') === true;
  if (!isLocal && (network.test(text) || (remote !== undefined && /\bfailed\b/i.test(text)))) {
    return `${remote ?? 'A module'} could not be fetched. What was fetched once is kept and needs no network; to bring it along, set "vendor": true in the function's deno.json, or keep a node_modules folder beside it.`;
  }
  if (/expects the node_modules|not a dependency|Relative import path/.test(text))
    return 'An import is named nowhere: list it in a deno.json beside the function, or write npm:, jsr: or https: before it.';
  if (/\berror\b/i.test(text)) return 'The function did not start.';
  return 'The function ended without serving: call Deno.serve(handler), or export default { fetch(request) {} }.';
}
