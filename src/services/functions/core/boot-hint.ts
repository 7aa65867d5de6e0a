/** Suggests how to fix a function that couldn't start, based on Deno's standard error output. */

const network =
  /error sending request|dns error|Connection refused|timed out|manifest for .* failed to load/i;
const source = /(?:Import '|Failed loading |package manifest for ')([^'\s]+)/;

/**
 * Returns the suggestion.
 * @example
 * bootHint(["error: Import 'https://a.test/x.ts' failed."]); // "https://a.test/x.ts couldn't be downloaded. …"
 */
export function bootHint(stderr: readonly string[]): string {
  const text = stderr.join('\n');
  const remote = source.exec(text)?.[1];
  if (/invalid peer certificate/i.test(text))
    return `The certificate of ${remote ?? 'a module host'} isn't trusted. If a proxy of your network intercepts TLS, set NODE_EXTRA_CA_CERTS to a file with its certificate authority, and start again.`;
  const isLocal = remote?.startsWith('file:') === true;
  if (!isLocal && (network.test(text) || (remote !== undefined && /\bfailed\b/i.test(text)))) {
    return `${remote ?? 'A module'} couldn't be downloaded. Modules downloaded earlier are cached and don't need a network. To include modules in the project, set "vendor": true in the function's deno.json, or add a node_modules folder beside it.`;
  }
  if (/expects the node_modules|not a dependency|Relative import path/.test(text))
    return "An import isn't defined. Add it to a deno.json beside the function, or begin it with npm:, jsr: or https:.";
  if (/\berror\b/i.test(text)) return "The function didn't start.";
  return 'The function ended without handling requests. Call Deno.serve(handler), or export default { fetch(request) {} }.';
}
